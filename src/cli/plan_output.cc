#include "cli/plan_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/plan_sketch.h"
#include "privacy/paper_profile.h"
#include "strategy/blt.h"

namespace rivulet::cli {
namespace {

nlohmann::ordered_json stddev_json(const NoiseLevel& noise) {
  return {{"gram_diagonal", noise.gram_diagonal}, {"gram_offdiagonal", noise.gram_offdiagonal}, {"cross", noise.cross}};
}

std::string line(const std::string& label, const std::string& value) {
  return fmt::format("  {:<24}{}\n", label, value);
}

}  // namespace

PlanOutput::PlanOutput(const PlanRequest& request, const privacy::MechanismPlan& plan, const ConstraintSet& set)
    : request_(request),
      plan_(plan),
      set_(set),
      report_(plan, set, request.beta, request.options.sketch.has_value()),
      sketches_(request.options, request.beta) {}

std::uint64_t PlanOutput::paper_steps() const {
  const Horizon horizon = plan_.strategy().horizon();
  return horizon.is_known() ? horizon.steps() : request_.steps.empty() ? 1 : request_.steps.back();
}

double PlanOutput::theorem_4_2() const {
  return privacy::theorem_4_2_bound(plan_.request().budget, std::max<std::uint64_t>(paper_steps(), 2),
                                    static_cast<double>(request_.options.schema.dimension()), set_.diameter(),
                                    request_.beta);
}

std::string PlanOutput::json() const {
  const auto& strategy = plan_.strategy();
  const double decoder_norm =
      request_.steps_were_chosen ? strategy.decoder_norm(request_.steps.front()) : report_.largest_decoder_norm();
  nlohmann::ordered_json json;
  json["mu"] = plan_.mu();
  json["l2_sensitivity"] = plan_.l2_sensitivity();
  json["strategy_norm"] = strategy.norm();
  json["decoder_norm"] = decoder_norm;
  json["prefix_stddev_factor"] = strategy.norm() * decoder_norm;
  json["stddev"] = stddev_json(plan_.noise_for(decoder_norm));
  json["charge"] = {{"epsilon", plan_.charge().epsilon}, {"delta", plan_.charge().delta}};
  json["rounding_share"] = plan_.rounding_share();
  json["target_scale"] = plan_.limits().target_scale();
  json["strategy"] = to_string(strategy.kind());
  json["neighbours"] = to_string(plan_.request().neighbours);
  json["profile"] = to_string(plan_.request().profile);
  json["last_step"] = plan_.last_step();
  if (const auto buffers = strategy.buffers()) json["buffers"] = *buffers;
  json["theorem_4_2_bound"] = theorem_4_2();
  const auto until = report_.steps_until_share(request_.share);
  json["steps_until_noise_share"] = {
      {"share", request_.share}, {"steps", until ? nlohmann::ordered_json(*until) : nlohmann::ordered_json(nullptr)}};
  json["times"] = nlohmann::ordered_json::array();
  for (const std::uint64_t step : request_.steps) {
    const fit::PlanAtStep at = report_.at(step);
    json["times"].push_back({{"step", step},
                             {"decoder_norm", at.decoder_norm},
                             {"prefix_stddev_factor", strategy.norm() * at.decoder_norm},
                             {"stddev", stddev_json(at.noise)},
                             {"noise_share", at.noise_share},
                             {"predicted_excess_risk", at.predicted_excess_risk},
                             {"excess_risk_bound", at.excess_risk_bound}});
  }
  if (request_.about_sketches) {
    json["sketches"] = sketch_json(sketches_, request_.options, theorem_4_2());
  }
  return json.dump(2) + "\n";
}

std::string PlanOutput::text() const {
  return promise_text() + mechanism_text() + noise_text() + sketch_text();
}

std::string PlanOutput::promise_text() const {
  const auto& request = plan_.request();
  return "Promise\n" +
         line("budget", fmt::format("epsilon {}, delta {} for all releases together", request.budget.epsilon,
                                    request.budget.delta)) +
         line("neighbours", std::string(to_string(request.neighbours))) +
         line("steps covered", plan_.strategy().horizon().is_known()
                                   ? fmt::format("{}", plan_.last_step())
                                   : fmt::format("unbounded (up to {} steps)", plan_.last_step()));
}

std::string PlanOutput::mechanism_text() const {
  const auto& strategy = plan_.strategy();
  std::string kind(to_string(strategy.kind()));
  if (const auto buffers = strategy.buffers()) {
    kind += fmt::format(", {} buffer{}", *buffers, *buffers == 1 ? "" : "s");
  }
  std::string out = "Mechanism\n";
  if (request_.options.sketch) {
    out += line("sketch", fmt::format("{} dimensions for {} covariates", *request_.options.sketch->dimension,
                                      request_.options.schema.dimension()));
  }
  return out + line("strategy", fmt::format("{}; profile {}", kind, to_string(plan_.request().profile))) +
         line("mu", fmt::format("{:.6f}", plan_.mu())) +
         line("sensitivity of a step", fmt::format("{:.6f}  (target weight s = {:.4f})", plan_.l2_sensitivity(),
                                                   plan_.limits().target_scale())) +
         line("strategy norm", fmt::format("{:.6f}", strategy.norm())) +
         line("charged",
              fmt::format("epsilon {:.2e}, delta {:.2e} for discrete noise; {:.1e} of the sensitivity for rounding",
                          plan_.charge().epsilon, plan_.charge().delta, plan_.rounding_share())) +
         line("constraint", fmt::format("{}: diameter {:g}, Gaussian width {:.4g}", set_.name(), set_.diameter(),
                                        set_.gaussian_width()));
}

std::string PlanOutput::noise_text() const {
  const auto& strategy = plan_.strategy();
  std::string out = "Noise on the private sums (standard deviations) and what it costs\n";
  out += fmt::format("  {:>12} {:>12} {:>12} {:>12} {:>10} {:>12} {:>14} {:>14}\n", "step", "gram diag", "gram off",
                     "cross", "x optimum", "noise share", "expected risk", "risk bound");
  for (const std::uint64_t step : request_.steps) {
    const fit::PlanAtStep at = report_.at(step);
    out += fmt::format("  {:>12} {:>12.4g} {:>12.4g} {:>12.4g} {:>10.3f} {:>12.3g} {:>14.4g} {:>14.4g}\n", step,
                       at.noise.gram_diagonal, at.noise.gram_offdiagonal, at.noise.cross,
                       strategy.norm() * at.decoder_norm / strategy::sqrt_toeplitz_stddev(step), at.noise_share,
                       at.predicted_excess_risk, at.excess_risk_bound);
  }
  out += fmt::format(
      "  x optimum: prefix noise against the best that knows the stream ends at that step. noise share: spectral\n"
      "  noise of the Gram matrix against its eigenvalues for rows that fill the unit ball evenly. risk: excess "
      "squared\n"
      "  error summed over all rows; expected bound, and bound with probability {:g}.\n",
      1.0 - request_.beta);
  if (!request_.options.sketch) {
    out += line("Theorem 4.2",
                fmt::format("{:.4g} (the paper's bound, constant 1, T = {})", theorem_4_2(), paper_steps()));
  }
  const auto until = report_.steps_until_share(request_.share);
  return out + line(fmt::format("noise share <= {:g}", request_.share),
                    until ? fmt::format("from step {} ({} rows) on", *until, *until * plan_.request().rows_per_step)
                          : "not within the steps covered");
}

// Without being asked, only where the full matrix is not what to use.
std::string PlanOutput::sketch_text() const {
  if (request_.about_sketches) {
    return sketch_table(sketches_, request_.options, theorem_4_2());
  }
  if (sketches_.recommends_full_matrix()) return "";
  return line("recommended", recommendation(sketches_) + "; see --sketch auto");
}

}  // namespace rivulet::cli
