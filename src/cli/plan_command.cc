// `rivulet plan`: no data, only arithmetic.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/fit_flags.h"
#include "fit/plan_report.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"
#include "strategy/sqrt_toeplitz.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Say what a mechanism will do, before there is any data.\n"
    "\n"
    "Prints the noise on each part of the private sums at chosen times, the accounting behind it, the\n"
    "excess risk to expect, and how long until the noise is small. Units: rows in the unit ball, |y| <= 1\n"
    "(the scaling that 'rivulet fit' does for you).";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6 --horizon 131072 --strategy tree --at 131071 --json\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6 --horizon 131072 --profile paper\n"
    "\n"
    "JSON KEYS\n"
    "  mu                    Gaussian-DP parameter of the whole stream\n"
    "  l2_sensitivity        how far one row moves one step's sums (Frobenius norm)\n"
    "  strategy_norm         largest column norm of the strategy matrix C\n"
    "  decoder_norm          standard deviation of a decoded prefix for unit noise: the largest up to the\n"
    "                        horizon (2^30 steps when unbounded), or at the first --at\n"
    "  prefix_stddev_factor  strategy_norm * decoder_norm\n"
    "  stddev                of the released sums there: gram_diagonal, gram_offdiagonal, cross\n"
    "  charge                epsilon and delta set aside for discrete noise and tails (inside the budget)\n"
    "  times                 the same at every --at, with predicted_excess_risk and excess_risk_bound";

struct PlanFlags {
  std::optional<std::string> dim;
  std::optional<std::string> epsilon;
  std::optional<std::string> delta;
  std::string neighbours = "replace";
  std::string horizon = "unbounded";
  std::string release_every = "1";
  std::optional<std::string> strategy;
  std::optional<std::string> tree_decoding;
  std::optional<std::string> buffers;
  std::string constraint = "l2:1";
  std::string profile = "tight";
  std::vector<std::string> at;
  std::string share = "0.1";
  std::string beta = "0.05";
  bool json = false;
};

const std::string& required(const std::optional<std::string>& value, const char* field, const char* accepted) {
  if (!value) throw RequestError(field, std::string("not given; accepted: ") + accepted);
  return *value;
}

std::uint64_t dimension_of(const PlanFlags& flags) {
  return stream::parse_positive_whole(required(flags.dim, "dim", "the number of covariates, e.g. --dim 10"), "dim");
}

privacy::MechanismRequest request_from(const PlanFlags& flags, const ConstraintSet& set) {
  privacy::MechanismRequest request;
  request.budget = {
      stream::parse_number(required(flags.epsilon, "epsilon", "a positive number, e.g. --epsilon 1"), "epsilon"),
      stream::parse_number(required(flags.delta, "delta", "a number above 0 and below 1, e.g. --delta 1e-6"), "delta")};
  request.neighbours = parse_neighbours(flags.neighbours);
  request.profile = parse_profile(flags.profile);
  const bool paper = request.profile == Profile::paper;
  request.strategy.kind = flags.strategy ? parse_strategy(*flags.strategy)
                          : paper        ? StrategyKind::tree
                                         : StrategyKind::blt;
  request.strategy.horizon = parse_horizon(flags.horizon);
  if (flags.buffers) request.strategy.buffers = parse_buffers(*flags.buffers);
  if (flags.tree_decoding) strategy::require_tree(request.strategy.kind);
  request.strategy.tree_decoding = flags.tree_decoding ? stream::parse_tree_decoding(*flags.tree_decoding)
                                   : paper             ? TreeDecoding::paper
                                                       : TreeDecoding::optimal;
  request.dimension = dimension_of(flags);
  request.rows_per_step = stream::parse_positive_whole(flags.release_every, "release-every");
  request.diameter = set.diameter();
  return request;
}

std::vector<std::uint64_t> chosen_steps(const PlanFlags& flags, const privacy::MechanismPlan& plan) {
  std::vector<std::uint64_t> steps;
  for (const std::string& text : flags.at) {
    const std::uint64_t step = stream::parse_positive_whole(text, "at");
    if (step > plan.last_step()) {
      throw RequestError("at",
                         "step " + text + " is past the last step; accepted: 1 to " + std::to_string(plan.last_step()));
    }
    steps.push_back(step);
  }
  if (steps.empty()) {
    for (std::uint64_t step : {100ULL, 10'000ULL, 1'000'000ULL, 100'000'000ULL}) {
      if (step < plan.last_step()) steps.push_back(step);
    }
    if (plan.strategy().horizon().is_known()) steps.push_back(plan.last_step());
  }
  return steps;
}

nlohmann::ordered_json stddev_json(const NoiseLevel& noise) {
  return {{"gram_diagonal", noise.gram_diagonal}, {"gram_offdiagonal", noise.gram_offdiagonal}, {"cross", noise.cross}};
}

std::string as_json(const privacy::MechanismPlan& plan, const fit::PlanReport& report, const PlanFlags& flags,
                    const std::vector<std::uint64_t>& steps, double share) {
  const double decoder_norm =
      flags.at.empty() ? report.largest_decoder_norm() : plan.strategy().decoder_norm(steps.front());
  nlohmann::ordered_json json;
  json["mu"] = plan.mu();
  json["l2_sensitivity"] = plan.l2_sensitivity();
  json["strategy_norm"] = plan.strategy().norm();
  json["decoder_norm"] = decoder_norm;
  json["prefix_stddev_factor"] = plan.strategy().norm() * decoder_norm;
  json["stddev"] = stddev_json(plan.noise_for(decoder_norm));
  json["charge"] = {{"epsilon", plan.charge().epsilon}, {"delta", plan.charge().delta}};
  json["rounding_share"] = plan.rounding_share();
  json["target_scale"] = plan.limits().target_scale();
  json["strategy"] = to_string(plan.strategy().kind());
  json["neighbours"] = to_string(plan.request().neighbours);
  json["profile"] = to_string(plan.request().profile);
  json["last_step"] = plan.last_step();
  if (plan.strategy().kind() == StrategyKind::blt) json["buffers"] = plan.strategy().blt().buffers();
  json["theorem_4_2_bound"] = report.theorem_4_2(steps.empty() ? 1 : steps.back());
  const auto until = report.steps_until_share(share);
  json["steps_until_noise_share"] = {
      {"share", share}, {"steps", until ? nlohmann::ordered_json(*until) : nlohmann::ordered_json(nullptr)}};
  json["times"] = nlohmann::ordered_json::array();
  for (const std::uint64_t step : steps) {
    const fit::PlanAtStep at = report.at(step);
    json["times"].push_back({{"step", step},
                             {"decoder_norm", at.decoder_norm},
                             {"prefix_stddev_factor", plan.strategy().norm() * at.decoder_norm},
                             {"stddev", stddev_json(at.noise)},
                             {"noise_share", at.noise_share},
                             {"predicted_excess_risk", at.predicted_excess_risk},
                             {"excess_risk_bound", at.excess_risk_bound}});
  }
  return json.dump(2) + "\n";
}

std::string as_text(const privacy::MechanismPlan& plan, const fit::PlanReport& report, const ConstraintSet& set,
                    const std::vector<std::uint64_t>& steps, double share, double beta) {
  const auto& request = plan.request();
  const auto& strategy = plan.strategy();
  std::string out;
  const auto line = [&](const std::string& label, const std::string& value) {
    out += fmt::format("  {:<24}{}\n", label, value);
  };

  out += "Promise\n";
  line("budget",
       fmt::format("epsilon {}, delta {} for all releases together", request.budget.epsilon, request.budget.delta));
  line("neighbours", std::string(to_string(request.neighbours)));
  line("steps covered", strategy.horizon().is_known() ? fmt::format("{}", plan.last_step())
                                                      : fmt::format("unbounded (up to {} steps)", plan.last_step()));
  out += "Mechanism\n";
  std::string kind(to_string(strategy.kind()));
  if (strategy.kind() == StrategyKind::blt)
    kind += fmt::format(", {} buffer{}", strategy.blt().buffers(), strategy.blt().buffers() == 1 ? "" : "s");
  line("strategy", fmt::format("{}; profile {}", kind, to_string(request.profile)));
  line("mu", fmt::format("{:.6f}", plan.mu()));
  line("sensitivity of a step",
       fmt::format("{:.6f}  (target weight s = {:.4f})", plan.l2_sensitivity(), plan.limits().target_scale()));
  line("strategy norm", fmt::format("{:.6f}", strategy.norm()));
  line("charged", fmt::format("epsilon {:.2e}, delta {:.2e} for discrete noise; {:.1e} of the sensitivity for rounding",
                              plan.charge().epsilon, plan.charge().delta, plan.rounding_share()));
  line("constraint",
       fmt::format("{}: diameter {:g}, Gaussian width {:.4g}", set.name(), set.diameter(), set.gaussian_width()));

  out += "Noise on the private sums (standard deviations) and what it costs\n";
  out += fmt::format("  {:>12} {:>12} {:>12} {:>12} {:>10} {:>12} {:>14} {:>14}\n", "step", "gram diag", "gram off",
                     "cross", "x optimum", "noise share", "expected risk", "risk bound");
  for (const std::uint64_t step : steps) {
    const fit::PlanAtStep at = report.at(step);
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
      1.0 - beta);
  const std::uint64_t last = steps.empty() ? 1 : steps.back();
  line("Theorem 4.2", fmt::format("{:.4g} (the paper's bound, constant 1, T = {})", report.theorem_4_2(last),
                                  strategy.horizon().is_known() ? strategy.horizon().steps() : last));
  const auto until = report.steps_until_share(share);
  line(fmt::format("noise share <= {:g}", share),
       until ? fmt::format("from step {} ({} rows) on", *until, *until * request.rows_per_step)
             : "not within the steps covered");
  return out;
}

}  // namespace

Runner declare_plan(CLI::App& app) {
  auto flags = std::make_shared<PlanFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("--dim,-d", flags->dim, "Number of covariates, the intercept included. No default")->type_name("D");
  app.add_option("--epsilon", flags->epsilon,
                 "Privacy budget of all releases together; smaller is more private. No default")
      ->type_name("E");
  app.add_option("--delta", flags->delta, "Probability with which the promise may fail. No default")->type_name("D");
  app.add_option("--neighbours", flags->neighbours, "'replace' (default) or 'zero-out'")->type_name("WORD");
  app.add_option("--horizon", flags->horizon, "A number of steps, or 'unbounded' (default)")->type_name("N|unbounded");
  app.add_option("--release-every", flags->release_every, "Rows in a step; 1 unless given")->type_name("N");
  app.add_option("--strategy", flags->strategy, "'blt' (default), 'tree' or 'hybrid'")->type_name("WORD");
  app.add_option("--tree-decoding", flags->tree_decoding, "'optimal' (default) or 'paper'")->type_name("WORD");
  app.add_option("--buffers", flags->buffers, "Buffers of the blt strategy, 1 to 8; chosen unless given")
      ->type_name("K");
  app.add_option("--constraint", flags->constraint, "As for fit, but in unit-ball units; l2:1 unless given")
      ->type_name("KIND:R");
  app.add_option("--profile", flags->profile, "'tight' (default) or 'paper'")->type_name("WORD");
  app.add_option("--at", flags->at, "Step to report; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("T");
  app.add_option("--share", flags->share,
                 "Report the first step with noise below this share of the signal; 0.1 unless given")
      ->type_name("S");
  app.add_option("--beta", flags->beta, "The risk bound may fail with this probability; 0.05 unless given")
      ->type_name("B");
  app.add_flag("--json", flags->json, "Machine-readable output")->disable_flag_override();

  return [flags] {
    const std::uint64_t dimension = dimension_of(*flags);
    const double share = stream::parse_positive(flags->share, "share");
    const double beta = stream::parse_positive(flags->beta, "beta");
    if (beta >= 1.0)
      throw RequestError(
          "beta", "'" + flags->beta + "' is not accepted; accepted: a probability above 0 and below 1, e.g. 0.05");
    const auto set = parse_constraint(flags->constraint, dimension);
    const privacy::MechanismPlan plan(request_from(*flags, *set));
    const fit::PlanReport report(plan, *set, beta);
    const std::vector<std::uint64_t> steps = chosen_steps(*flags, plan);
    const std::string text =
        flags->json ? as_json(plan, report, *flags, steps, share) : as_text(plan, report, *set, steps, share, beta);
    print(text);
    return kDone;
  };
}

}  // namespace rivulet::cli
