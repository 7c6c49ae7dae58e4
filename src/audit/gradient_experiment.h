// White box, PrivIncERM: every noisy sum of gradients, by an attacker who chooses where they are taken.
#pragma once

#include <memory>

#include "audit/configuration.h"
#include "audit/experiment.h"
#include "audit/kernel_streams.h"

namespace rivulet::audit {

// One row a step and one call a step, each at the same price; a call is `parts` sums over disjoint parts of the rows.
// The loss is the hinge, whose gradient is -y x as long as y <x, theta> < 1: opposite labels move a sum by 2, the
// sensitivity itself.
std::unique_ptr<Experiment> make_gradient_experiment(const Configuration& configuration,
                                                     const privacy::GradientPlan& plan, HistorySource source);

}  // namespace rivulet::audit
