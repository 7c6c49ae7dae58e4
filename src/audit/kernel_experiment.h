// White box: everything that leaves the kernel, by an attacker who knows the mechanism and every row but one.
#pragma once

#include <memory>

#include "audit/configuration.h"
#include "audit/experiment.h"
#include "audit/kernel_streams.h"

namespace rivulet::audit {

// `plan` is the promise; the streams that `source` makes are what is measured against it. Tries to publish past the
// last step and looks at what it gets. Throws RequestError when the configuration fits no such experiment.
std::unique_ptr<Experiment> make_kernel_experiment(const Configuration& configuration,
                                                   const privacy::MechanismPlan& plan, StreamSource source);

}  // namespace rivulet::audit
