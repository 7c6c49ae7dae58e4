// Telling two neighbouring streams apart: experiments to look at, and the attacks that look.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rivulet::audit {

// One pair of neighbouring streams and one way to look at what a mechanism makes of them.

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

// Tells two streams apart as well as it can and says what that proves.
//
// Trials come in three parts, each with noise of its own. The first teaches the attacks their weights. The second
// fixes, for every attack, the cutoffs above which it says "the second stream". The third is for counting: errors at
// cutoffs that no longer change are binomial, and Clopper and Pearson bound their probabilities. All bounds of one
// measurement hold together with probability at least 1 - alpha, whatever the mechanism does.

// From counted errors of a test between two neighbouring streams to what they prove about privacy.
//
// Upper bounds on the errors of one test of "the first stream" against "the second": false_alarm for saying second when
// it is the first, miss for the opposite.
struct ErrorRates {
  double false_alarm = 1.0;
  double miss = 1.0;
};

// If a test with these errors exists, no mechanism that is (epsilon, delta)-private for a smaller epsilon published
// what it looked at: P2[S] <= e^epsilon P1[S] + delta for S = "it says second", and the same for its complement with
// the streams exchanged. Nothing is assumed about the mechanism. At least 0.
double epsilon_at_least(const ErrorRates& rates, double delta);

// The same for Gaussian privacy (Dong, Roth and Su 2022): a mu-GDP mechanism lets no test have errors with
//   Phi^-1(1 - false_alarm) - Phi^-1(miss) > mu.
// At least 0.
double mu_at_least(const ErrorRates& rates);

// The smallest epsilon at which a mu-GDP mechanism has this delta (privacy/calibration.h), to 1e-9 relative.
double epsilon_of_gaussian(double mu, double delta);

// A weighted sum of the numbers of a view: the attacker's evidence for the second stream.
//
// Trials of one view: the numbers of each, one trial after another.
struct ViewTrials {
  std::vector<double> first;
  std::vector<double> second;
};

// Fisher's linear discriminant: weights S^-1 m, S the covariance of the noise and m the shift, both from `trials`
// unless the view knows them. Directions in which the trials show no noise at all get all the weight there is: a
// coordinate without noise, or a combination that cancels a draw used twice, gives the stream away. Needs more trials
// than the view has numbers.
std::vector<double> discriminant(const View& view, const ViewTrials& trials);

double score(std::span<const double> weights, std::span<const double> numbers);

struct TestPlan {
  std::uint64_t trials = 10000;  // counted ones, of each stream; learning and cutoffs take up to 0.4 times as many more
  double alpha = 1e-6;           // with which any bound may be wrong
  double delta = 1e-6;           // for which epsilon is asked
};

// The largest lower bounds over all attacks and cutoffs.
struct Measurement {
  double epsilon = 0.0;        // nothing assumed about the mechanism
  std::string epsilon_attack;  // that showed it
  double mu = 0.0;             // of any Gaussian mechanism that hides as little
  std::string mu_attack;
  std::uint64_t trials = 0;  // counted, of each stream
};

// Asked now and then with the share of the work that is done; false stops it.
using KeepGoing = std::function<bool(double share)>;

// Nothing when it was stopped.
std::optional<Measurement> distinguish(Experiment& experiment, const TestPlan& plan, const KeepGoing& keep_going);

}  // namespace rivulet::audit
