// Black box, the real binary: `rivulet fit` as a process for every trial, rows in a CSV file, models from the JSON
// lines it prints.
#pragma once

#include <memory>
#include <string>

#include "audit/configuration.h"
#include "audit/experiment.h"

namespace rivulet::audit {

// `executable` is the path of a rivulet binary. Throws IoError when it cannot be run or fails.
std::unique_ptr<Experiment> make_binary_experiment(const Configuration& configuration, const std::string& executable);

}  // namespace rivulet::audit
