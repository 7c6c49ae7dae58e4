
#include "fit/mechanism.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "erm/erm_plan.h"
#include "fit/model_fitter.h"
#include "fit/sketch_plan.h"
#include "request/settings.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"

namespace rivulet::fit {

namespace {

bool names_a_file(std::string_view constraint) {
  return constraint.starts_with("polytope:") && !constraint.starts_with("polytope:[");
}

constexpr std::size_t kColumnWeight = 32;

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
StreamOptions completed_erm(StreamOptions options) {
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

}  // namespace

StreamOptions with_defaults(StreamOptions options) {
  request::settle(options);
  return completed(std::move(options));
}

StreamOptions completed(StreamOptions options) {
  if (options.erm) return completed_erm(std::move(options));
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
  if (options.mechanism == Mechanism::surrogate && options.solver == Solver::noisy_proj_grad) {
    throw RequestError(
        "loss", "the surrogate of logistic is not the paper's; accepted: with profile=tight and the fast solver");
  }
  (void)surrogate_curvature_of(options);
  if (names_a_file(options.constraint)) {
    options.schema.validate();
    options.constraint = parse_constraint(options.constraint, options.schema.dimension())->name();
  }
  if (!options.input_set.empty()) options.input_set = input_set(options).name();
  if (options.sketch) complete_sketch(options);
  return options;
}

void require_same_request(const StreamOptions& model, const request::Settings& typed) {
  using namespace request;
  const auto refuse = [](const std::string& difference) {
    throw RequestError("model",
                       "it was made with another " + difference +
                           "; its settings are part of its promise and cannot change. Leave the setting out, or "
                           "start another model; for other fits of the same releases see rivulet refit --help");
  };
  const Settings made_with = settings_of(model);
  // First: with other columns the bounds and levels of the model's would look like slips of the pen.
  if (typed.contains("target") && typed["target"] != made_with["target"]) refuse("target");
  if (typed.contains("features") && feature_names(typed) != feature_names(made_with)) refuse("list of features");
  const bool has_classes = made_with.contains("classes");
  const bool bounds_target = typed.contains("bounds") && typed["bounds"].contains(model.schema.target_name());
  if (typed.contains("classes") ? !has_classes : bounds_target && has_classes) refuse("kind of target");
  if (typed.contains("loss") && loss_of(typed) != model.loss) refuse("loss (the model has " + model.loss + ")");
  // Another mechanism would make the settings of the model's look like contradictions; a sketch has a name for itself.
  if (typed.contains("mechanism")) {
    const Mechanism asked = mechanism_of(typed);
    const auto is_sums = [](Mechanism mechanism) {
      return mechanism == Mechanism::full || mechanism == Mechanism::sketch;
    };
    if (asked != *model.mechanism && !(is_sums(asked) && is_sums(*model.mechanism))) {
      refuse("mechanism (the model has " + std::string(to_string(*model.mechanism)) + ")");
    }
  }
  StreamOptions wanted = read_request(merge(made_with, typed));
  // Nothing says these.
  if (model.erm && wanted.erm) {
    if (model.mechanism == Mechanism::trivial) wanted.erm = model.erm;
    if (model.mechanism == Mechanism::naive) wanted.erm->rule = model.erm->rule;
  }
  const std::string difference = first_difference(model, with_defaults(wanted));
  if (!difference.empty()) refuse(difference);
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
  if (options.mechanism != Mechanism::surrogate) return std::nullopt;
  return surrogate_curvature(*options.surrogate_margin);
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

namespace {

using Plan = std::variant<privacy::MechanismPlan, erm::ErmPlan>;

Plan new_plan(const StreamOptions& options) {
  if (options.erm) return Plan(std::in_place_type<erm::ErmPlan>, erm_options(options));
  return Plan(std::in_place_type<privacy::MechanismPlan>, mechanism_request(options));
}

Plan decided_plan(const StreamOptions& options, const StreamDecisions& decisions) {
  if (const auto* moments = std::get_if<privacy::PlanDecisions>(&decisions); moments != nullptr && !options.erm) {
    return Plan(std::in_place_type<privacy::MechanismPlan>, mechanism_request(options), *moments);
  }
  const auto* erm = std::get_if<erm::ErmDecisions>(&decisions);
  if (erm == nullptr || !options.erm) throw RequestError("mechanism", "what was decided is of another one");
  Plan plan = new_plan(options);
  if (std::get<erm::ErmPlan>(plan).decisions() != *erm) {
    throw RequestError("mechanism", "what was decided is not what this version would decide");
  }
  return plan;
}

}  // namespace

StreamPlan::StreamPlan(const StreamOptions& options) : plan_(new_plan(options)) {}
StreamPlan::StreamPlan(const StreamOptions& options, const StreamDecisions& decisions)
    : plan_(decided_plan(options, decisions)) {}

const privacy::MechanismPlan& StreamPlan::moments() const {
  if (const auto* plan = std::get_if<privacy::MechanismPlan>(&plan_)) return *plan;
  throw Error("PrivIncERM has no private moments");
}

StreamDecisions StreamPlan::decisions() const {
  return erm() != nullptr ? StreamDecisions(erm()->decisions()) : StreamDecisions(moments().decisions());
}

std::uint64_t StreamPlan::last_step() const {
  return erm() != nullptr ? erm()->last_step() : moments().last_step();
}

std::size_t StreamPlan::statistics_dimension() const {
  return erm() != nullptr ? 0 : moments().layout().dimension;
}

bool StreamPlan::has_target_square() const {
  return erm() == nullptr && moments().layout().has_target_square;
}

}  // namespace rivulet::fit
