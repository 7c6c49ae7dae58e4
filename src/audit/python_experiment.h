// Black box, through Python: an interpreter with the rivulet package plays the game on its own doors (Stream.observe,
// observe_many, River's learn_one, scikit-learn's partial_fit), with hostile rows of the adversary's after the
// victim's.
#pragma once

#include <memory>
#include <string>

#include "audit/configuration.h"
#include "audit/experiment.h"

namespace rivulet::audit {

// `interpreter` is the path of a Python with the package. Throws IoError when it cannot be run, or ends.
std::unique_ptr<Experiment> make_python_experiment(const Configuration& configuration, const std::string& interpreter);

}  // namespace rivulet::audit
