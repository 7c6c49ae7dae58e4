#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plan/reports.h"
#include "privacy/erm_schedule.h"
#include "request/settings.h"
#include "rivulet/loss.h"

namespace rivulet::plan {
namespace {

ErmObjective objective_of(const PrivIncErm::Options& options) {
  return ErmObjective(options.loss, options.ridge);
}

const char* word(ErmMechanism mechanism) {
  return mechanism == ErmMechanism::periodic ? "erm" : mechanism == ErmMechanism::naive ? "naive" : "trivial";
}

}  // namespace

std::uint64_t calls_until(const ErmSettings& erm, std::uint64_t step) {
  return erm.mechanism == ErmMechanism::trivial ? 0 : step / *erm.tau;
}

double kept_bytes(const Schema& schema, double rows) {
  return 4.0 * static_cast<double>(schema.dimension() + 1) * rows;
}

std::string shown_bytes(double bytes) {
  for (const char* unit : {"B", "kB", "MB", "GB", "TB"}) {
    if (bytes < 1000.0) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= 1000.0;
  }
  return fmt::format("{:.3g} PB", bytes);
}

ErmReport::ErmReport(const erm::ErmPlan& plan, std::vector<std::uint64_t> steps)
    : plan_(plan), steps_(std::move(steps)) {}

std::uint64_t ErmReport::paper_rows() const {
  const PrivIncErm::Options& options = plan_.options();
  const std::uint64_t steps = options.horizon.is_known() ? options.horizon.steps() : steps_.empty() ? 1 : steps_.back();
  return steps * options.release_every;
}

double ErmReport::theorem() const {
  const PrivIncErm::Options& options = plan_.options();
  const ConstraintSet& set = plan_.set();
  const ErmObjective objective = objective_of(options);
  const auto rows = static_cast<double>(paper_rows());
  const auto dimension = static_cast<double>(set.dimension());
  const double epsilon = options.budget.epsilon;
  const double lipschitz = objective.lipschitz(set);
  const double scale = lipschitz * set.diameter();
  const double log_delta = std::log(1.0 / options.budget.delta);
  const double trivial = rows * scale;
  if (options.mechanism == ErmMechanism::trivial) return trivial;
  double bound = std::cbrt(rows * dimension) * scale * std::pow(log_delta, 2.5) / std::pow(epsilon, 2.0 / 3.0);
  if (options.mechanism == ErmMechanism::naive) {
    bound = std::sqrt(rows * dimension) * scale * std::pow(log_delta, 2.5) / epsilon;
  } else if (options.rule == ErmTauRule::strongly_convex) {
    bound = std::sqrt(dimension / objective.strong_convexity()) * std::pow(lipschitz, 1.5) * std::sqrt(set.diameter()) *
            std::pow(log_delta, 4.0) / epsilon;
  } else if (options.rule == ErmTauRule::width) {
    bound = std::sqrt(rows * set.gaussian_width() / epsilon) * std::pow(objective.curvature(set), 0.25) *
            std::pow(scale, 0.75) * std::pow(log_delta, 7.0 / 3.0);
  }
  return std::min(bound, trivial);
}

const char* ErmReport::theorem_name() const {
  const PrivIncErm::Options& options = plan_.options();
  if (options.mechanism == ErmMechanism::trivial) return "T L |K|";
  if (options.mechanism == ErmMechanism::naive) return "batch bound, T calls";
  switch (options.rule) {
    case ErmTauRule::strongly_convex:
      return "Theorem 3.1, part 2";
    case ErmTauRule::width:
      return "Theorem 3.1, part 3";
    default:
      return "Theorem 3.1, part 1";
  }
}

ErmReport::AtStep ErmReport::at(std::uint64_t step) const {
  const PrivIncErm::Options& options = plan_.options();
  const ConstraintSet& set = plan_.set();
  AtStep result;
  result.step = step;
  result.rows = static_cast<double>(step) * static_cast<double>(options.release_every);
  result.memory_bytes = kept_bytes(options.schema, result.rows);
  result.calls = calls_until(options, step);
  const std::uint64_t last = result.calls * *options.tau;
  const auto call = result.calls == 0 ? std::nullopt : plan_.call_at(last, last * options.release_every);
  if (!call) return result;
  result.call_mu = call->mu;
  result.iterations = call->settings.iterations;
  result.window_calls = call->window_calls;
  result.call_stddev = plan_.call_noise(*call);
  if (options.method == ErmMethod::output_perturbation) {
    // Noise in the minimiser itself: half the largest curvature times its squared length.
    result.noise_risk = 0.5 * call->rows * objective_of(options).smoothness(set) *
                        static_cast<double>(set.dimension()) * result.call_stddev * result.call_stddev;
  } else {
    result.sum_stddev = plan_.noise(privacy::even_part(call->mu, call->settings.iterations));
    result.noise_risk = set.gaussian_width() * result.call_stddev;
  }
  result.age_risk = 2.0 * static_cast<double>(*options.tau) * static_cast<double>(options.release_every) *
                    objective_of(options).lipschitz(set) * set.diameter();
  result.multiplications =
      2.0 * call->rows * static_cast<double>(set.dimension()) * static_cast<double>(call->settings.iterations);
  return result;
}

nlohmann::ordered_json ErmReport::json() const {
  const PrivIncErm::Options& options = plan_.options();
  const bool known = options.horizon.is_known();
  nlohmann::ordered_json json;
  json["mechanism"] = word(options.mechanism);
  json["loss"] = options.loss->name();
  json["mu"] = plan_.gradients().mu();
  json["charge"] = {{"epsilon", plan_.gradients().charge().epsilon}, {"delta", plan_.gradients().charge().delta}};
  json["lipschitz"] = plan_.lipschitz();
  json["neighbours"] = to_string(options.neighbours);
  json["profile"] = to_string(options.profile);
  json["last_step"] = plan_.last_step();
  json["tau"] = *options.tau;
  json["tau_rule"] = request::to_string(options.rule);
  json["method"] = request::to_string(options.method);
  json["ridge"] = options.ridge;
  json["averaged"] = *options.averaged;
  json["calls"] = known ? nlohmann::ordered_json(calls_until(options, plan_.last_step())) : nlohmann::ordered_json();
  json["memory_bytes_a_row"] = kept_bytes(options.schema, 1.0);
  json["theorem_3_1_bound"] = theorem();
  json["times"] = nlohmann::ordered_json::array();
  for (const std::uint64_t step : steps_) {
    const AtStep at_step = at(step);
    nlohmann::ordered_json entry{{"step", step}, {"rows", at_step.rows}, {"calls", at_step.calls}};
    entry["memory_bytes"] = at_step.memory_bytes;
    if (at_step.calls != 0) {
      entry["call_mu"] = at_step.call_mu;
      entry["iterations"] = at_step.iterations;
      entry["averaged_calls"] = at_step.window_calls;
      if (at_step.sum_stddev > 0.0) entry["sum_stddev"] = at_step.sum_stddev;
      entry["call_stddev"] = at_step.call_stddev;
      entry["noise_risk"] = at_step.noise_risk;
      entry["age_risk"] = at_step.age_risk;
      entry["multiplications"] = at_step.multiplications;
    }
    json["times"].push_back(std::move(entry));
  }
  return json;
}

std::string ErmReport::tau_text() const {
  const PrivIncErm::Options& options = plan_.options();
  if (options.mechanism == ErmMechanism::trivial) return line("calls", "none: no row is ever looked at");
  std::string tau = fmt::format("{} step{}", *options.tau, *options.tau == 1 ? "" : "s");
  if (options.release_every != 1) tau += fmt::format(" of {} rows", options.release_every);
  const bool known = options.horizon.is_known();
  if (options.mechanism == ErmMechanism::periodic) {
    tau += fmt::format("; the rule {}", request::to_string(options.rule));
    if (!known) tau += ", for a million rows";
  }
  return line("calls, one every", tau) +
         line("calls in all",
              known ? fmt::format("{}", calls_until(options, plan_.last_step()))
                    : "no end; half the budget is for those of the first million rows, half for later ones") +
         line("method", fmt::format("{}; {}", request::to_string(options.method),
                                    *options.averaged ? "a mean over the last few calls is published"
                                                      : "the last call's model is published"));
}

std::string ErmReport::times_text() const {
  const PrivIncErm::Options& options = plan_.options();
  std::string out;
  if (options.mechanism == ErmMechanism::trivial) return out;
  out += "Calls and their noise (standard deviations), and what it costs\n";
  out += fmt::format("  {:>12} {:>8} {:>10} {:>6} {:>12} {:>12} {:>12} {:>12} {:>10} {:>14}\n", "step", "calls",
                     "mu of call", "sums", "noise of sum", "of call", "noise risk", "age risk", "memory",
                     "multiplications");
  for (const std::uint64_t step : steps_) {
    const AtStep at_step = at(step);
    out += fmt::format("  {:>12} {:>8}", step, at_step.calls);
    if (at_step.calls == 0) {
      out += fmt::format(" {:>69} {:>10}\n", "", shown_bytes(at_step.memory_bytes));
      continue;
    }
    out += fmt::format(" {:>10.4g} {:>6} {:>12.4g} {:>12.4g} {:>12.4g} {:>12.4g} {:>10} {:>14.3g}\n", at_step.call_mu,
                       at_step.iterations, at_step.sum_stddev, at_step.call_stddev, at_step.noise_risk,
                       at_step.age_risk, shown_bytes(at_step.memory_bytes), at_step.multiplications);
  }
  if (options.method == ErmMethod::output_perturbation) {
    return out +
           "  sums: steps of the solver, which makes no noisy sums; noise of call: of each coordinate of the "
           "minimiser, "
           "rows\n"
           "  scaled to the unit ball. risk, in excess loss summed over all rows: half the curvature times the squared "
           "noise,\n"
           "  and 2 tau L |K| for a model that is tau rows old. multiplications: of one call.\n";
  }
  return out +
         "  noise of sum: of each coordinate of a sum of gradients over all rows; of call: of the mean of its sums.\n"
         "  risk: the two terms of the theorem's proof, in excess loss summed over all rows: w(K) times the noise of "
         "a\n"
         "  call, and 2 tau L |K| for a model that is tau rows old. multiplications: of one call.\n";
}

std::string ErmReport::outlook_text() const {
  return line(theorem_name(), fmt::format("{:.4g} (the paper's bound, constants and powers of log T left out, T = {})",
                                          theorem(), paper_rows())) +
         line("memory", fmt::format("{} bytes a row, for as long as the stream goes on",
                                    kept_bytes(plan_.options().schema, 1.0)));
}

std::string ErmReport::text() const {
  const PrivIncErm::Options& options = plan_.options();
  std::string loss = options.loss->name();
  if (options.ridge > 0.0) loss += fmt::format(" and a ridge of {:g}", options.ridge);
  return "Mechanism\n" +
         line("mechanism", fmt::format("{}; profile {}", word(options.mechanism), to_string(options.profile))) +
         line("loss", fmt::format("{}; derivatives up to L = {:.6g}", loss, plan_.lipschitz())) +
         line("mu", fmt::format("{:.6f}", plan_.gradients().mu())) +
         line("charged", fmt::format("epsilon {:.2e}, delta {:.2e} for discrete noise",
                                     plan_.gradients().charge().epsilon, plan_.gradients().charge().delta)) +
         line("constraint", fmt::format("{}: diameter {:g}, Gaussian width {:.4g}", options.constraint,
                                        plan_.set().diameter(), plan_.set().gaussian_width())) +
         tau_text() + times_text() + outlook_text();
}

}  // namespace rivulet::plan
