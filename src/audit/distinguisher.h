// Tells two streams apart as well as it can and says what that proves.
//
// Trials come in three parts, each with noise of its own. The first teaches the attacks their weights. The second
// fixes, for every attack, the cutoffs above which it says "the second stream". The third is for counting: errors at
// cutoffs that no longer change are binomial, and Clopper and Pearson bound their probabilities. All bounds of one
// measurement hold together with probability at least 1 - alpha, whatever the mechanism does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "audit/experiment.h"

namespace rivulet::audit {

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
