// What a request means: its defaults, the mechanism it asks for and how its models are fitted. Public
// settings only, so that whoever holds a release log can work out the same mechanism again.
#pragma once

#include <memory>
#include <optional>
#include "base/linear_map.h"
#include "fit/model_fitter.h"
#include "privacy/mechanism_plan.h"
#include "request/settings.h"
#include "rivulet/input_set.h"
#include "rivulet/priv_inc_erm.h"
#include "rivulet/stream_options.h"
#include "sketch/embedding.h"
#include <cstddef>
#include <cstdint>
#include <variant>
#include "erm/erm_plan.h"

namespace rivulet::fit {

// Every optional setting filled in (the seed of a sketch is drawn, its dimension chosen), and a constraint from a file
// replaced by what the file says, so that a stored request needs no other file; filling in again changes nothing.
// Throws RequestError where settings contradict each other.
StreamOptions with_defaults(StreamOptions options);
// The same of a request that was settled (request/settings.h) or stored.
StreamOptions completed(StreamOptions options);
// A model's request is part of its promise: throws RequestError when the settings say otherwise. What they do not say
// agrees.
void require_same_request(const StreamOptions& model, const request::Settings& typed);

// All need options that went through with_defaults().
privacy::MechanismRequest mechanism_request(const StreamOptions& options);  // without `erm`
PrivIncErm::Options erm_options(const StreamOptions& options);              // with it
// The settings of Phi, and Phi itself; nothing without a sketch.
std::optional<sketch::EmbeddingSettings> embedding_settings(const StreamOptions& options);
std::shared_ptr<const LinearMap> make_sketch(const StreamOptions& options);
ModelFitter::Options fitter_options(const StreamOptions& options, const privacy::MechanismPlan& plan,
                                    std::shared_ptr<const LinearMap> sketch = nullptr);
// Of the quadratic surrogate, where the loss has one. Throws RequestError.
std::optional<double> surrogate_curvature_of(const StreamOptions& options);
// The set X: declared, or what the conditions on rows imply.
InputSet input_set(const StreamOptions& options);


// The mechanism behind a stream, whichever it is: private moments (PrivIncReg1, PrivIncReg2) or PrivIncERM. Public.

// What was decided when a model was made, as its file keeps it.
using StreamDecisions = std::variant<privacy::PlanDecisions, erm::ErmDecisions>;

class StreamPlan {
 public:
  // Of options that went through with_defaults(). Throws RequestError when the request cannot be honoured.
  explicit StreamPlan(const StreamOptions& options);
  // As it was decided before. Nothing is taken on trust: throws RequestError when the decisions do not keep the
  // promise.
  StreamPlan(const StreamOptions& options, const StreamDecisions& decisions);

  // Null unless it is PrivIncERM.
  [[nodiscard]] const erm::ErmPlan* erm() const { return std::get_if<erm::ErmPlan>(&plan_); }
  // Throws Error when it is PrivIncERM.
  [[nodiscard]] const privacy::MechanismPlan& moments() const;

  [[nodiscard]] StreamDecisions decisions() const;
  [[nodiscard]] std::uint64_t last_step() const;
  // Of the statistics in a release: 0 for PrivIncERM, which has none.
  [[nodiscard]] std::size_t statistics_dimension() const;
  [[nodiscard]] bool has_target_square() const;

 private:
  std::variant<privacy::MechanismPlan, erm::ErmPlan> plan_;
};

}  // namespace rivulet::fit
