// Black box: what IncrementalRegression hands out, by an attacker who chooses the stream and learns everything else.
#pragma once

#include <memory>
#include <vector>

#include "audit/configuration.h"
#include "audit/experiment.h"
#include "rivulet/stream_options.h"

namespace rivulet::audit {

// The request as a user would make it. Steps have anchor rows, (e_i, 0) many times for every axis: with them a model is
// nearly sum x y, and follows one row as far as the noise lets it.
StreamOptions stream_options(const Configuration& configuration);
// The rows of one step, in order; the differing row is among those of configuration.differing_step().
std::vector<AuditRow> anchored_rows(const Configuration& configuration, std::uint64_t step, bool second);
std::uint64_t anchored_step_rows(const Configuration& configuration);

// Surface::models or Surface::statistics.
std::unique_ptr<Experiment> make_model_experiment(const Configuration& configuration);

}  // namespace rivulet::audit
