// What a mechanism will do, before there is any data: the promise, the noise at any step, the errors to expect, the
// paper's bounds, memory. Pure arithmetic on a request; `rivulet plan` and Python's rivulet.plan() print it.
//
//   rivulet::Plan plan(request);
//   std::cout << plan.text();
//   const double noise = plan.noise_at(1000).cross;
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rivulet/model.h"
#include "rivulet/stream_options.h"

namespace rivulet {

// What a report is to tell.
struct PlanQuestions {
  std::vector<std::uint64_t> steps{};  // a few powers of ten unless given
  double noise_share = 0.1;            // report the first step with noise below this share of the signal
  double beta = 0.05;                  // bounds may fail with this probability
  bool sketches = false;               // weigh sketches of different sizes against each other
};

// Not thread-safe; a moved-from one may only be assigned to or destroyed.
class Plan {
 public:
  // Throws RequestError when the request cannot be honoured: whatever a stream refuses, a plan refuses in the same
  // words.
  explicit Plan(const StreamOptions& request);
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  // Defaults filled in.
  [[nodiscard]] const StreamOptions& request() const;
  // The last step that may be published.
  [[nodiscard]] std::uint64_t last_step() const;
  // Gaussian parameter of the whole stream: (epsilon, delta) by the exact curve of the Gaussian mechanism.
  [[nodiscard]] double mu() const;

  // Standard deviations of the released sums at a step, rows in the unit ball and |y| <= 1. Of PrivIncERM, which
  // releases none, all are 0. Throws RequestError naming "at" when the promise does not cover the step.
  [[nodiscard]] NoiseLevel noise_at(std::uint64_t step) const;
  // What the privacy noise alone makes of each coefficient at a step, as a standard error in the user's units, one for
  // each of Schema::coordinate_names(): for columns that are spread evenly over their bounds and unrelated to each
  // other, and coefficients well inside the constraint set. Sampling noise comes on top. Empty with a sketch and for
  // losses other than squared. Throws as noise_at().
  [[nodiscard]] std::vector<double> standard_errors(std::uint64_t step) const;
  // What the stream takes after a step, rows that PrivIncERM keeps included.
  [[nodiscard]] double memory_bytes(std::uint64_t step) const;

  // For people, and as a JSON object (keys: rivulet plan --help). Throw RequestError on questions that have no answer.
  [[nodiscard]] std::string text(const PlanQuestions& questions = {}) const;
  [[nodiscard]] std::string json(const PlanQuestions& questions = {}) const;

 private:
  struct Decided;
  std::unique_ptr<Decided> decided_;
};

}  // namespace rivulet
