// One pair of neighbouring streams and one way to look at what a mechanism makes of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rivulet::audit {

// Numbers that one attack adds up, with weights.
struct View {
  std::string attack;  // what the attack is called
  std::size_t size = 0;
  // By how much each number's mean moves from the first stream to the second, known to an attacker who knows the
  // mechanism. Empty: to be learnt from trials.
  std::vector<double> shift;
  // Weigh by the noise as it is measured. Otherwise by `shift` alone: the numbers are claimed to have independent noise
  // of variance 1.
  bool learn_noise = true;
};

class Experiment {
 public:
  Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;
  virtual ~Experiment() = default;

  [[nodiscard]] virtual const std::vector<View>& views() const = 0;
  // Runs the mechanism afresh, with new noise, on the second stream or on the first, and writes the numbers of all
  // views, one view after another.
  virtual void run(bool second, std::span<double> numbers) = 0;
  // Steps that were published although the promise does not cover them.
  [[nodiscard]] virtual std::uint64_t steps_past_the_last() const { return 0; }
};

}  // namespace rivulet::audit
