// `rivulet plan`: no data, only arithmetic.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/fit_flags.h"
#include "cli/loss_flags.h"
#include "cli/plan_output.h"
#include "cli/sketch_flags.h"
#include "fit/mechanism.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Say what a mechanism will do, before there is any data.\n"
    "\n"
    "Prints the noise on each part of the private sums at chosen times, the accounting behind it, the\n"
    "excess risk to expect, and how long until the noise is small. Units: rows in the unit ball, |y| <= 1\n"
    "(the scaling that 'rivulet fit' does for you). With --sketch, --mechanism or --row-set also what\n"
    "sketches of different sizes cost and gain, and which to ask for.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6 --horizon 131072 --strategy tree --at 131071 --json\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6 --horizon 131072 --profile paper\n"
    "  rivulet plan --dim 4000 --epsilon 1 --delta 1e-6 --horizon 131072 --constraint l1:1 \\\n"
    "      --sketch auto --row-set sparse:10\n"
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
    "  times                 the same at every --at, with predicted_excess_risk and excess_risk_bound\n"
    "  sketches              with --sketch, --mechanism or --row-set: trade_off (dimension, memory_bytes,\n"
    "                        noise_risk, distortion_risk, predicted_excess_risk), full_matrix, asked,\n"
    "                        paper_dimension, theorem_5_7_bound, recommended";

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
  LossFlags losses;
  SketchFlags sketching;
  std::string share = "0.1";
  std::string beta = "0.05";
  bool json = false;
};

const std::string& required(const std::optional<std::string>& value, const char* field, const char* accepted) {
  if (!value) throw RequestError(field, std::string("not given; accepted: ") + accepted);
  return *value;
}

// The paper's setting: a block in [-1, 1], rows clipped to the unit ball, no intercept. Box units and unit-ball units
// coincide.
Schema unit_ball_schema(const PlanFlags& flags) {
  const std::string& text = required(flags.dim, "dim", "the number of covariates, e.g. --dim 10");
  const std::uint64_t dimension = stream::parse_positive_whole(text, "dim");
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  if (dimension > kMost) {
    throw RequestError("dim", text + " is not accepted; accepted: a whole number from 1 to " + std::to_string(kMost));
  }
  Schema schema;
  return schema.block("x", dimension, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(false).clip_norm(1.0);
}

StreamOptions options_of(const PlanFlags& flags) {
  StreamOptions options;
  options.schema = unit_ball_schema(flags);
  options.budget = {
      stream::parse_number(required(flags.epsilon, "epsilon", "a positive number, e.g. --epsilon 1"), "epsilon"),
      stream::parse_number(required(flags.delta, "delta", "a number above 0 and below 1, e.g. --delta 1e-6"), "delta")};
  options.budget.validate();
  options.neighbours = parse_neighbours(flags.neighbours);
  options.profile = parse_profile(flags.profile);
  options.horizon = parse_horizon(flags.horizon);
  options.release_every = stream::parse_positive_whole(flags.release_every, "release-every");
  if (flags.strategy) options.strategy = parse_strategy(*flags.strategy);
  if (flags.buffers) options.buffers = parse_buffers(*flags.buffers);
  if (flags.tree_decoding) options.tree_decoding = stream::parse_tree_decoding(*flags.tree_decoding);
  options.constraint = flags.constraint;
  stream::FitConfig config;
  read_sketch_flags(flags.sketching, config);
  options.sketch = sketch_from(config);
  options.input_set = config.row_set.value_or("");
  require_room(options, "dim");
  options.solver = Solver::fast;  // a plan is about noise, not about iterations
  return fit::with_defaults(options);
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
  declare_mechanism_flag(app, flags->losses, "How it is done");
  declare_loss_flags(app, flags->losses, "Losses other than least squares");
  declare_sketch_flags(app, flags->sketching, "Rows of many columns");
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
    PlanRequest request;
    request.options = options_of(*flags);
    request.share = stream::parse_positive(flags->share, "share");
    request.beta = stream::parse_positive(flags->beta, "beta");
    if (request.beta >= 1.0)
      throw RequestError(
          "beta", "'" + flags->beta + "' is not accepted; accepted: a probability above 0 and below 1, e.g. 0.05");
    const SketchFlags& sketching = flags->sketching;
    request.about_sketches = flags->losses.mechanism || sketching.sketch || sketching.row_set;
    const auto set = parse_constraint(request.options.constraint, request.options.schema.dimension());
    const privacy::MechanismPlan plan(fit::mechanism_request(request.options));
    request.steps = chosen_steps(*flags, plan);
    request.steps_were_chosen = !flags->at.empty();
    const PlanOutput output(request, plan, *set);
    print(flags->json ? output.json() : output.text());
    return kDone;
  };
}

}  // namespace rivulet::cli
