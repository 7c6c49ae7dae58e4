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

// How much noise of size 1 on each cross sum moves each coefficient in box units, for one row: the lengths of the rows
// of (E z z^T)^-1, for columns that are spread evenly over their bounds and unrelated to each other.
//
// A number contributes 1 / E z^2. Beside an intercept the indicators of a feature of L levels have the covariance
// diag(1 / L) - 1 1^T / L^2, whose inverse is L (I + 1 1^T): a coefficient gains L sqrt(L + 3), the intercept L - 1.
std::vector<double> noise_gains(const Schema& schema) {
  std::vector<double> gains;
  double shared = 1.0;  // of the intercept's own sum in the intercept
  double others = 0.0;  // squared, of the others' in it
  if (schema.has_intercept()) gains.push_back(0.0);
  const auto of_number = [&](Interval bounds) {
    if (schema.has_intercept()) return 3.0;
    const double most = std::max(std::abs(bounds.lo), std::abs(bounds.hi));
    return 3.0 * most * most / (bounds.lo * bounds.lo + bounds.lo * bounds.hi + bounds.hi * bounds.hi);
  };
  for (const Feature& feature : schema.features()) {
    if (const auto* bounds = std::get_if<Interval>(&feature.domain)) {
      gains.push_back(of_number(*bounds));
    } else if (const auto* levels = std::get_if<Levels>(&feature.domain)) {
      const auto count = static_cast<double>(levels->names.size());
      const std::size_t indicators = levels->names.size() - (schema.has_intercept() ? 1 : 0);
      gains.insert(gains.end(), indicators, schema.has_intercept() ? count * std::sqrt(count + 3.0) : count);
      shared += count - 1.0;
      others += (count - 1.0) * count * count;
    } else {
      // Rows are shortened to the norm limit, which a block's columns share.
      const auto& block = std::get<Block>(feature.domain);
      const double limited = static_cast<double>(block.columns) / (schema.norm_limit() * schema.norm_limit());
      gains.insert(gains.end(), block.columns, std::max(of_number(block.bounds), limited));
    }
  }
  if (schema.has_intercept()) gains.front() = std::sqrt(shared * shared + others);
  return gains;
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
  const double one = noise.cross * request.schema.norm_limit() / rows;
  const double target = std::abs(request.schema.target_scale().half_range);
  std::vector<double> errors = noise_gains(request.schema);
  const std::size_t first = request.schema.has_intercept() ? 1 : 0;
  double moved = 0.0;  // squared: the intercept is where all columns are 0, not in the middle of their bounds
  for (std::size_t i = first; i < errors.size(); ++i) {
    const Schema::Scale scale = request.schema.value_scale(i - first);
    errors[i] *= one * target / scale.half_range;
    moved += std::pow(errors[i] * scale.centre, 2);
  }
  if (first == 1) errors[0] = std::hypot(errors[0] * one * target, std::sqrt(moved));
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
