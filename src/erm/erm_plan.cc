#include "erm/erm_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number_text.h"
#include "loss/library_loss.h"
#include "privacy/calibration.h"
#include "privacy/paper_profile.h"
#include "rivulet/error.h"

namespace rivulet::erm {
namespace {

using Method = PrivIncErm::Method;
using Mechanism = PrivIncErm::Mechanism;
using TauRule = PrivIncErm::TauRule;

constexpr double kAssumedRows = 1e6;                 // T where the stream's length is unknown
constexpr std::uint64_t kMostIterations = 200;       // unless asked for
constexpr std::uint64_t kMostSteps = 4096;           // of output perturbation, unless asked for
constexpr std::uint64_t kMostRequested = 1'000'000;  // iterations, batches
constexpr std::uint64_t kMostPeriod = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostSums = std::uint64_t{1} << 28;
constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;

void require_count(const char* field, std::uint64_t value, std::uint64_t most) {
  if (value < 1 || value > most) {
    throw RequestError(field, std::to_string(value) + " given; accepted: 1 to " + std::to_string(most));
  }
}

void check(const PrivIncErm::Options& options) {
  options.schema.validate();
  if (options.loss == nullptr) {
    throw RequestError("loss", "none is given; accepted: one of make_squared_loss(), make_logistic_loss(), ...");
  }
  if (options.loss->is_classification() != options.schema.has_classes()) {
    throw RequestError("loss",
                       options.loss->is_classification()
                           ? options.loss->name() +
                                 " tells two classes apart, but the target has none; accepted: a target declared "
                                 "with its two classes, or a loss for numbers"
                           : options.loss->name() +
                                 " is for numbers, but the target has two classes; accepted: logistic, hinge, "
                                 "smooth-hinge:WIDTH");
  }
  if (!(options.ridge >= 0.0) || !std::isfinite(options.ridge)) {
    throw RequestError("ridge", shown(options.ridge) + " given; accepted: a finite number, 0 or more");
  }
  if (options.tau) require_count("tau", *options.tau, kMostPeriod);
  if (options.iterations) require_count("iterations", *options.iterations, kMostRequested);
  require_count("batches", options.batches, kMostRequested);
  if (options.profile == Profile::paper && !options.horizon.is_known()) {
    throw RequestError("horizon",
                       "profile 'paper' needs to know how many steps there will be; give a number of steps, or "
                       "use profile 'tight'");
  }
  if (!(std::abs(options.late_weight) <= 10.0) || (options.late_weight != 0.0 && !options.horizon.is_known())) {
    throw RequestError("late-weight", shown(options.late_weight) +
                                          " given; accepted: a number between -10 and 10, 0 for an unknown horizon");
  }
}

}  // namespace

ErmPlan::ErmPlan(const PrivIncErm::Options& options) : options_(options) {
  check(options);
  set_ = parse_constraint(options.constraint, options.schema.dimension())->scaled(options.schema.norm_limit());
  options_.constraint = parse_constraint(options.constraint, options.schema.dimension())->name();
  lipschitz_ = options.loss->lipschitz(set_->diameter());
  smoothness_ = options.loss->smoothness(set_->diameter());
  if (!options_.averaged) options_.averaged = options_.profile != Profile::paper;
  decide_method();
  decide_period();
  decide_schedule();
}

ErmDecisions ErmPlan::decisions() const {
  return {gradients_->limits().bits, gradients_->request().most_sums, gradients_->mu(), last_step_};
}

double ErmPlan::total_rows() const {
  if (!options_.horizon.is_known()) return kAssumedRows;
  return static_cast<double>(options_.horizon.steps()) * static_cast<double>(options_.release_every);
}

void ErmPlan::decide_method() {
  if (options_.method == Method::by_set) {
    const bool narrow = set_->prefers_width() && std::isfinite(smoothness_);
    options_.method = narrow ? Method::frank_wolfe : Method::gradient_descent;
  }
  if (options_.method == Method::frank_wolfe && !std::isfinite(smoothness_)) {
    throw RequestError("method", "frank_wolfe needs a smooth loss, which " + options_.loss->name() +
                                     " is not; accepted: gradient_descent, or another loss");
  }
  if (options_.method == Method::output_perturbation) check_output_perturbation();
  if (options_.rule == TauRule::by_method) {
    options_.rule = options_.method == Method::frank_wolfe ? TauRule::width
                    : options_.ridge > 0.0                 ? TauRule::strongly_convex
                                                           : TauRule::convex;
  }
}

void ErmPlan::check_output_perturbation() const {
  if (!(options_.ridge > 0.0)) {
    throw RequestError("ridge", shown(options_.ridge) +
                                    " given; output_perturbation needs one, because its noise is proportional to 1 / "
                                    "ridge; accepted: a positive number, or method gradient_descent");
  }
  if (!set_->euclidean_radius()) {
    throw RequestError("constraint", options_.constraint +
                                         " given; output_perturbation works over L2 balls; accepted: l2:R, or method "
                                         "gradient_descent or frank_wolfe");
  }
  if (dynamic_cast<const loss::LibraryLoss*>(options_.loss.get()) == nullptr) {
    throw RequestError("loss", options_.loss->name() +
                                   " is not one of the library's, and output_perturbation has to know how a loss is "
                                   "rounded; accepted: squared, logistic, smooth-hinge:WIDTH, huber:THRESHOLD, or "
                                   "method gradient_descent");
  }
  if (options_.batches != 1) {
    throw RequestError("batches", std::to_string(options_.batches) +
                                      " given; output_perturbation makes no sums to do in parts; accepted: 1");
  }
  (void)minimiser_problem(1.0);  // refuses what it cannot bound
}

void ErmPlan::decide_period() {
  if (options_.mechanism == Mechanism::naive) options_.tau = 1;
  if (options_.tau) return;
  const ErmObjective objective(options_.loss, options_.ridge);
  // The paper counts rows; a step holds release_every of them.
  const double rows = total_rows();
  const privacy::ErmProblem problem{.steps = static_cast<std::uint64_t>(rows),
                                    .dimension = set_->dimension(),
                                    .epsilon = options_.budget.epsilon,
                                    .lipschitz = objective.lipschitz(*set_),
                                    .diameter = set_->diameter()};
  std::uint64_t period = 1;
  switch (options_.rule) {
    case TauRule::strongly_convex:
      period = privacy::strongly_convex_period(problem, objective.strong_convexity());
      break;
    case TauRule::width:
      period = privacy::width_period(problem, set_->gaussian_width(), objective.curvature(*set_));
      break;
    case TauRule::convex:
    case TauRule::by_method:
      period = privacy::convex_period(problem);
      break;
  }
  options_.tau = std::max<std::uint64_t>(1, (period + options_.release_every - 1) / options_.release_every);
  if (options_.horizon.is_known()) options_.tau = std::min(*options_.tau, options_.horizon.steps());
}

void ErmPlan::decide_schedule() {
  const bool known = options_.horizon.is_known();
  last_step_ = known ? options_.horizon.steps() : kEndless;
  if (known) calls_ = options_.mechanism == Mechanism::trivial ? 0 : options_.horizon.steps() / *options_.tau;

  privacy::GradientRequest request;
  request.budget = options_.budget;
  request.neighbours = options_.neighbours;
  request.dimension = set_->dimension();
  request.rows_per_step = options_.release_every;
  request.units = options_.unit.has_value();
  if (options_.unit) request.rows_per_unit = options_.unit->max_rows;
  const std::uint64_t affordable = kMostSums / std::max<std::uint64_t>(1, calls_.value_or(1)) / options_.batches;
  const bool sums = options_.method != Method::output_perturbation;  // else each call makes one release
  most_iterations_ = sums ? options_.iterations.value_or(std::min(kMostIterations, affordable)) : 1;
  if (most_iterations_ < 1 || most_iterations_ > affordable) {
    throw RequestError(options_.iterations ? "iterations" : "tau",
                       std::to_string(calls_.value_or(1)) + " calls of " + std::to_string(options_.batches) +
                           " noisy sums an iteration leave room for " + std::to_string(affordable) +
                           " iterations; fewer of them, a larger tau or fewer batches are needed");
  }
  const std::uint64_t sums_a_call = most_iterations_ * options_.batches;
  request.most_sums = known ? std::max<std::uint64_t>(1, *calls_ * sums_a_call) : kMostSums;
  gradients_.emplace(request);
  if (const std::uint64_t most_calls = kMostSums / sums_a_call; !known && *options_.tau <= kEndless / most_calls) {
    last_step_ = std::min(last_step_, most_calls * *options_.tau);
  }

  if (known && *calls_ == 0) return;
  if (!known) {
    const double expected =
        kAssumedRows / static_cast<double>(options_.release_every) / static_cast<double>(*options_.tau);
    schedule_ =
        privacy::ErmSchedule::unbounded(gradients_->mu(), static_cast<std::uint64_t>(std::clamp(expected, 1.0, 1e6)));
  } else if (options_.profile == Profile::paper) {
    // Each call as a Gaussian mechanism of its own; the account is checked, and the exact one is what the kernel keeps.
    const auto account = privacy::verify_paper_calls(options_.budget, options_.horizon.steps(), *options_.tau);
    const double a_call = std::min(account.call_mu, privacy::even_part(gradients_->mu(), *calls_));
    schedule_ = privacy::ErmSchedule::even(a_call * std::sqrt(static_cast<double>(*calls_)) * (1.0 - 1e-12), *calls_);
  } else if (options_.late_weight != 0.0) {
    schedule_ = privacy::ErmSchedule::power(gradients_->mu(), *calls_, options_.late_weight);
  } else {
    schedule_ = privacy::ErmSchedule::even(gradients_->mu(), *calls_);
  }
  require_drawable();
}

bool ErmPlan::is_drawable(std::uint64_t number) const {
  try {
    const std::uint64_t step = number * *options_.tau;
    const auto call = call_at(step, step * options_.release_every);
    const bool sums = options_.method != Method::output_perturbation;
    if (call) (void)gradients_->sigma_for(privacy::even_part(call->mu, sums ? call->settings.iterations : 1));
    return true;
  } catch (const Error&) {
    return false;
  }
}

// A call whose noise is larger than can be drawn would end the stream in its middle. The cheapest ones are the first or
// the last.
void ErmPlan::require_drawable() {
  const std::uint64_t last = calls_.value_or(last_step_ / *options_.tau);
  if (last == 0) return;
  if (!is_drawable(1) || (calls_ && !is_drawable(last))) {
    throw RequestError(options_.late_weight != 0.0 ? "late-weight" : "epsilon",
                       "leaves a call of the solver so little that its noise is larger than can be drawn; accepted: a "
                       "smaller late-weight, a larger epsilon, fewer calls or fewer rows a unit");
  }
  if (is_drawable(last)) return;
  std::uint64_t drawable = 1;
  for (std::uint64_t beyond = last; beyond - drawable > 1;) {
    const std::uint64_t middle = drawable + (beyond - drawable) / 2;
    (is_drawable(middle) ? drawable : beyond) = middle;
  }
  last_step_ = drawable * *options_.tau;
}

std::optional<ErmCall> ErmPlan::call_at(std::uint64_t step, std::uint64_t rows) const {
  if (!schedule_ || options_.mechanism == Mechanism::trivial || step % *options_.tau != 0) return std::nullopt;
  ErmCall call;
  call.number = step / *options_.tau;
  call.rows = static_cast<double>(rows);
  call.mu = schedule_->mu(call.number);
  call.settings.method =
      options_.method == Method::frank_wolfe ? BatchMethod::frank_wolfe : BatchMethod::gradient_descent;
  call.settings.parts = call.settings.method == BatchMethod::gradient_descent ? options_.batches : 1;
  const double sensitivity =
      std::ldexp(gradients_->lattice_sensitivity(), -2 * static_cast<int>(gradients_->limits().bits));
  if (options_.iterations) {
    call.settings.iterations = *options_.iterations;
  } else if (options_.method == Method::output_perturbation) {
    call.settings.iterations = minimiser_problem(call.rows).iterations(*gradients_, call.mu, kMostSteps);
  } else {
    call.settings.iterations =
        chosen_iterations(call.settings.method, problem(call.rows), call.mu, sensitivity, most_iterations_);
  }
  if (*options_.averaged) {
    const double window_rows = set_->gaussian_width() * sensitivity / (call.mu * set_->diameter());
    const double rows_a_call = static_cast<double>(*options_.tau) * static_cast<double>(options_.release_every);
    call.window_calls = std::max(1.0, window_rows / rows_a_call);
  }
  return call;
}

BatchProblem ErmPlan::problem(double rows) const {
  return {.set = set_.get(), .rows = rows, .lipschitz = lipschitz_, .smoothness = smoothness_, .ridge = options_.ridge};
}

privacy::MinimiserProblem ErmPlan::minimiser_problem(double rows) const {
  return privacy::MinimiserProblem::of(*options_.loss, set_->dimension(), rows, set_->euclidean_radius().value(),
                                       options_.ridge);
}

double ErmPlan::minimiser_noise(const ErmCall& call) const {
  return gradients_->sigma_for(call.mu) *
         minimiser_problem(call.rows).lattice_unit(*gradients_, call.settings.iterations);
}

double ErmPlan::call_noise(const ErmCall& call) const {
  return options_.method == Method::output_perturbation ? minimiser_noise(call) : noise(call.mu);
}

double ErmPlan::noise(double mu_k) const {
  return gradients_->sigma_for(mu_k) * gradients_->lattice_unit(lipschitz_);
}

}  // namespace rivulet::erm
