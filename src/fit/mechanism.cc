#include "fit/mechanism.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "erm/erm_plan.h"
#include "fit/sketch_plan.h"
#include "fit/surrogate.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"

namespace rivulet::fit {
namespace {

bool names_a_file(std::string_view constraint) {
  return constraint.starts_with("polytope:") && !constraint.starts_with("polytope:[");
}

constexpr std::size_t kColumnWeight = 32;
constexpr const char* kSquared = "squared";
constexpr const char* kLogistic = "logistic";

// Public, but not known before rows are chosen; with an insecure seed nothing is random.
std::uint64_t drawn_seed(const std::optional<std::uint64_t>& insecure_seed) {
  if (insecure_seed) return *insecure_seed;
  std::random_device device;
  return (std::uint64_t{device()} << 32) ^ device();
}

void complete_sketch(StreamOptions& options) {
  Sketch& sketch = *options.sketch;
  options.schema.validate();
  if (!sketch.embedding) {
    sketch.embedding = options.profile == Profile::paper ? EmbeddingKind::gaussian : EmbeddingKind::sparse_sign;
  }
  if (!sketch.seed) sketch.seed = drawn_seed(options.insecure_seed);
  if (!sketch.dimension) sketch.dimension = chosen_sketch_dimension(options);
  sketch.rule = SketchRule::predicted_risk;  // it has had its say
  if (!sketch.column_weight) {
    sketch.column_weight = static_cast<unsigned>(std::min<std::size_t>(kColumnWeight, *sketch.dimension));
  }
  sketch::require_valid(*embedding_settings(options));
}

// Everything PrivIncERM decides that a request can say, so that a stored one needs no deciding again.
StreamOptions with_erm_defaults(StreamOptions options) {
  const auto refuse = [](const char* field) {
    throw RequestError(field, "given, but PrivIncERM has none; accepted: without it, or private moments");
  };
  if (options.sketch) refuse("sketch");
  if (options.strategy) refuse("strategy");
  if (options.buffers) refuse("buffers");
  if (options.tree_decoding) refuse("tree-decoding");
  if (!options.input_set.empty()) refuse("row-set");
  options.schema.validate();
  if (options.schema.dimension() > privacy::kMostDimensions) {
    throw RequestError("features", std::to_string(options.schema.dimension()) +
                                       " coordinates, and PrivIncERM keeps rows whole; accepted: up to " +
                                       std::to_string(privacy::kMostDimensions));
  }
  options.solver = Solver::fast;
  const erm::ErmPlan plan(erm_options(options));
  options.erm = plan.options();
  options.constraint = plan.options().constraint;
  options.loss = plan.options().loss->name();
  return options;
}

void complete_loss(StreamOptions& options) {
  const auto loss = parse_loss(options.loss);
  options.loss = loss->name();
  if (options.loss == kSquared) return;
  if (options.loss != kLogistic) {
    throw RequestError("loss", options.loss + " needs PrivIncERM; accepted without it: squared, logistic");
  }
  if (!options.schema.has_classes()) {
    throw RequestError("loss",
                       "logistic tells two classes apart, but the target has none; accepted: a target declared with "
                       "its two classes, or a loss for numbers");
  }
  if (options.solver == Solver::noisy_proj_grad) {
    throw RequestError("loss",
                       "the surrogate of logistic is not the paper's; accepted: with profile 'tight' and the fast "
                       "solver");
  }
  (void)surrogate_curvature_of(options);
}

}  // namespace

StreamOptions with_defaults(StreamOptions options) {
  if (options.erm) return with_erm_defaults(std::move(options));
  const bool paper = options.profile == Profile::paper;
  if (!options.strategy) options.strategy = paper ? StrategyKind::tree : StrategyKind::blt;
  if (options.tree_decoding) strategy::require_tree(*options.strategy);
  if (!options.tree_decoding && strategy::has_tree(*options.strategy)) {
    options.tree_decoding = paper ? TreeDecoding::paper : TreeDecoding::optimal;
  }
  if (options.solver == Solver::by_profile) {
    options.solver = paper ? Solver::noisy_proj_grad : Solver::fast;
  }
  if (options.solver == Solver::noisy_proj_grad && !options.horizon.is_known()) {
    throw RequestError("horizon",
                       "NoisyProjGrad's number of iterations depends on the stream's length; give a number of "
                       "steps, or use the fast solver");
  }
  complete_loss(options);
  if (names_a_file(options.constraint)) {
    options.schema.validate();
    options.constraint = parse_constraint(options.constraint, options.schema.dimension())->name();
  }
  if (!options.input_set.empty()) options.input_set = input_set(options).name();
  if (options.sketch) complete_sketch(options);
  return options;
}

InputSet input_set(const StreamOptions& options) {
  return options.input_set.empty() ? InputSet::implied_by(options.only_if, options.schema)
                                   : InputSet::parse(options.input_set, options.schema);
}

std::optional<sketch::EmbeddingSettings> embedding_settings(const StreamOptions& options) {
  if (!options.sketch) return std::nullopt;
  return sketch::EmbeddingSettings{.kind = *options.sketch->embedding,
                                   .rows = *options.sketch->dimension,
                                   .columns = options.schema.dimension(),
                                   .column_weight = *options.sketch->column_weight,
                                   .seed = *options.sketch->seed};
}

std::shared_ptr<const LinearMap> make_sketch(const StreamOptions& options) {
  const auto settings = embedding_settings(options);
  return settings ? sketch::make_embedding(*settings) : nullptr;
}

privacy::MechanismRequest mechanism_request(const StreamOptions& options) {
  privacy::MechanismRequest request;
  request.budget = options.budget;
  request.neighbours = options.neighbours;
  request.profile = options.profile;
  request.strategy.kind = *options.strategy;
  request.strategy.horizon = options.horizon;
  request.strategy.buffers = options.buffers;
  request.strategy.tree_decoding = options.tree_decoding.value_or(TreeDecoding::optimal);
  request.dimension = options.sketch ? *options.sketch->dimension : options.schema.dimension();
  request.rows_per_step = options.release_every;
  request.units = options.unit.has_value();
  if (options.unit) request.rows_per_unit = options.unit->max_rows;
  request.diameter = unit_ball_constraint(options.schema, options.constraint)->diameter();
  return request;
}

PrivIncErm::Options erm_options(const StreamOptions& options) {
  PrivIncErm::Options result;
  static_cast<ErmSettings&>(result) = *options.erm;
  result.budget = options.budget;
  result.schema = options.schema;
  result.loss = parse_loss(options.loss);
  result.neighbours = options.neighbours;
  result.unit = options.unit;
  result.only_if = options.only_if;
  result.profile = options.profile;
  result.horizon = options.horizon;
  result.release_every = options.release_every;
  result.constraint = options.constraint;
  result.insecure_seed = options.insecure_seed;
  return result;
}

std::optional<double> surrogate_curvature_of(const StreamOptions& options) {
  if (options.loss != kLogistic) return std::nullopt;
  return surrogate_curvature(options.surrogate_margin);
}

ModelFitter::Options fitter_options(const StreamOptions& options, const privacy::MechanismPlan& plan,
                                    std::shared_ptr<const LinearMap> sketch) {
  ModelFitter::Options result;
  result.sketch = std::move(sketch);
  result.constraint = options.constraint;
  result.noise_aware_ridge = options.noise_aware_ridge;
  result.surrogate_curvature = surrogate_curvature_of(options);
  if (options.solver == Solver::noisy_proj_grad) {
    result.noisy_proj_grad = NoisyProjGradSettings{
        .largest_noise = plan.noise_for(plan.strategy().max_decoder_norm()),
        .horizon_rows = static_cast<double>(options.horizon.steps()) * static_cast<double>(options.release_every)};
  }
  return result;
}

}  // namespace rivulet::fit
