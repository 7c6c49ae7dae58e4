// Black boxes: what the product hands out, as a library, as a program and through Python.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audit/auditor.h"
#include "audit/matrix.h"
#include "rivulet/stream_options.h"

namespace rivulet::audit {

// Black box: what IncrementalRegression hands out, by an attacker who chooses the stream and learns everything else.
//
// The request as a user would make it. Steps have anchor rows, (e_i, 0) many times for every axis: with them a model is
// nearly sum x y, and follows one row as far as the noise lets it.
StreamOptions stream_options(const Configuration& configuration);
// The rows of one step, in order; the differing row is among those of configuration.differing_step().
std::vector<AuditRow> anchored_rows(const Configuration& configuration, std::uint64_t step, bool second);
std::uint64_t anchored_step_rows(const Configuration& configuration);

// Surface::models or Surface::statistics.
std::unique_ptr<Experiment> make_model_experiment(const Configuration& configuration);

// Black box, the real binary: `rivulet fit` as a process for every trial, rows in a CSV file, models from the JSON
// lines it prints.
//
// `executable` is the path of a rivulet binary. Throws IoError when it cannot be run or fails.
std::unique_ptr<Experiment> make_binary_experiment(const Configuration& configuration, const std::string& executable);

// Black box, through Python: an interpreter with the rivulet package plays the game on its own doors (Stream.observe,
// observe_many, River's learn_one, scikit-learn's partial_fit), with hostile rows of the adversary's after the
// victim's.
//
// `interpreter` is the path of a Python with the package. Throws IoError when it cannot be run, or ends.
std::unique_ptr<Experiment> make_python_experiment(const Configuration& configuration, const std::string& interpreter);

}  // namespace rivulet::audit
