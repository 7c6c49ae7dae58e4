#include "rivulet/plan.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "fit/mechanism.h"
#include "fit/sketch_plan.h"
#include "plan/reports.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

void require_probability(double value, const char* field) {
  if (value > 0.0 && value < 1.0) return;
  throw RequestError(field, shown(value) + " is not accepted; accepted: a probability above 0 and below 1, e.g. 0.05");
}

// E z^2 of one supplied value in box units, for a column that is spread evenly over its bounds; beside an intercept
// what is left of it when its mean is taken out.
std::vector<double> even_spread(const Schema& schema) {
  std::vector<double> spread;
  if (schema.has_intercept()) spread.push_back(1.0);
  const auto even = [&](Interval bounds) {
    if (schema.has_intercept()) return 1.0 / 3.0;
    const double most = std::max(std::abs(bounds.lo), std::abs(bounds.hi));
    return (bounds.lo * bounds.lo + bounds.lo * bounds.hi + bounds.hi * bounds.hi) / (3.0 * most * most);
  };
  for (const Feature& feature : schema.features()) {
    if (const auto* bounds = std::get_if<Interval>(&feature.domain)) {
      spread.push_back(even(*bounds));
    } else if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
      const auto count = static_cast<double>(levels->names.size());
      const double share = 1.0 / count;
      const std::size_t indicators = levels->names.size() - (schema.has_intercept() ? 1 : 0);
      spread.insert(spread.end(), indicators, schema.has_intercept() ? share * (1.0 - share) : share);
    } else {
      const auto& block = std::get<Block>(feature.domain);
      const double limit = schema.norm_limit() * schema.norm_limit() / static_cast<double>(block.columns);
      spread.insert(spread.end(), block.columns, std::min(even(block.bounds), limit));
    }
  }
  return spread;
}

}  // namespace

struct Plan::Decided {
  explicit Decided(const StreamOptions& given)
      : request(fit::with_defaults(given)),
        plan(request),
        set(parse_constraint(request.constraint, request.schema.dimension())->scaled(request.schema.norm_limit())) {}

  [[nodiscard]] std::vector<std::uint64_t> steps_to_tell(const std::vector<std::uint64_t>& asked) const {
    const std::uint64_t last = plan.last_step();
    for (const std::uint64_t step : asked) require_covered(step);
    if (!asked.empty()) return asked;
    std::vector<std::uint64_t> steps;
    for (const std::uint64_t step : {100ULL, 10'000ULL, 1'000'000ULL, 100'000'000ULL}) {
      if (step < last) steps.push_back(step);
    }
    if (request.horizon.is_known()) steps.push_back(last);
    return steps;
  }

  void require_covered(std::uint64_t step) const {
    if (step >= 1 && step <= plan.last_step()) return;
    throw RequestError("at", "step " + std::to_string(step) + " is not covered by the promise; accepted: 1 to " +
                                 std::to_string(plan.last_step()));
  }

  StreamOptions request;
  fit::StreamPlan plan;
  std::shared_ptr<const ConstraintSet> set;  // in unit-ball units
};

Plan::Plan(const StreamOptions& request) : decided_(std::make_unique<Decided>(request)) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

const StreamOptions& Plan::request() const {
  return decided_->request;
}
std::uint64_t Plan::last_step() const {
  return decided_->plan.last_step();
}
double Plan::mu() const {
  const erm::ErmPlan* erm = decided_->plan.erm();
  return erm != nullptr ? erm->gradients().mu() : decided_->plan.moments().mu();
}

NoiseLevel Plan::noise_at(std::uint64_t step) const {
  decided_->require_covered(step);
  return decided_->plan.erm() != nullptr ? NoiseLevel{} : decided_->plan.moments().noise_at(step);
}

std::vector<double> Plan::standard_errors(std::uint64_t step) const {
  const NoiseLevel noise = noise_at(step);
  const StreamOptions& request = decided_->request;
  if (request.mechanism != Mechanism::full) return {};
  // theta in box units is G^-1 q / R with G = rows E z z^T / R^2, R the norm limit; only the noise of q counts for
  // coefficients near 0.
  const double rows = static_cast<double>(step) * static_cast<double>(request.release_every);
  const double limit = request.schema.norm_limit();
  std::vector<double> errors = even_spread(request.schema);
  const double target = std::abs(request.schema.target_scale().half_range);
  const std::size_t first = request.schema.has_intercept() ? 1 : 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double half_range = i < first ? 1.0 : request.schema.value_scale(i - first).half_range;
    errors[i] = noise.cross * limit / (rows * errors[i]) * target / half_range;
  }
  return errors;
}

double Plan::memory_bytes(std::uint64_t step) const {
  decided_->require_covered(step);
  const StreamOptions& request = decided_->request;
  if (request.erm) {
    return plan::kept_bytes(request.schema, static_cast<double>(step) * static_cast<double>(request.release_every));
  }
  const fit::SketchPlan sketches(request);
  return (request.sketch ? sketches.with_sketch(*request.sketch->dimension) : sketches.full_matrix()).memory_bytes;
}

std::string Plan::text(const PlanQuestions& asked) const {
  const StreamOptions& request = decided_->request;
  PlanQuestions questions = asked;
  questions.steps = decided_->steps_to_tell(asked.steps);
  require_probability(asked.beta, "beta");
  const std::string promise =
      "Promise\n" +
      plan::line("budget", fmt::format("epsilon {}, delta {} for all releases together", request.budget.epsilon,
                                       request.budget.delta)) +
      plan::line("neighbours", std::string(to_string(request.neighbours))) +
      plan::line("steps covered", request.horizon.is_known() ? fmt::format("{}", last_step())
                                                             : fmt::format("unbounded (up to {} steps)", last_step()));
  if (const erm::ErmPlan* erm = decided_->plan.erm()) return promise + plan::ErmReport(*erm, questions.steps).text();
  return promise +
         plan::SumsReport(request, decided_->plan.moments(), *decided_->set, questions, !asked.steps.empty()).text();
}

std::string Plan::json(const PlanQuestions& asked) const {
  PlanQuestions questions = asked;
  questions.steps = decided_->steps_to_tell(asked.steps);
  require_probability(asked.beta, "beta");
  const erm::ErmPlan* erm = decided_->plan.erm();
  nlohmann::ordered_json json = erm != nullptr ? plan::ErmReport(*erm, questions.steps).json()
                                               : plan::SumsReport(decided_->request, decided_->plan.moments(),
                                                                  *decided_->set, questions, !asked.steps.empty())
                                                     .json();
  const bool has_errors = decided_->request.mechanism == Mechanism::full;
  const std::vector<std::string> names =
      has_errors ? decided_->request.schema.coordinate_names() : std::vector<std::string>();
  constexpr std::size_t kMostNamed = 200;
  for (nlohmann::ordered_json& time : json["times"]) {
    const auto step = time["step"].get<std::uint64_t>();
    time["memory_bytes"] = memory_bytes(step);
    if (!has_errors || names.size() > kMostNamed) continue;
    const std::vector<double> errors = standard_errors(step);
    for (std::size_t i = 0; i < names.size(); ++i) time["standard_errors"][names[i]] = errors[i];
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace rivulet
