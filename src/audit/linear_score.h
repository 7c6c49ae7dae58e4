// A weighted sum of the numbers of a view: the attacker's evidence for the second stream.
#pragma once

#include <span>
#include <vector>

#include "audit/experiment.h"

namespace rivulet::audit {

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

}  // namespace rivulet::audit
