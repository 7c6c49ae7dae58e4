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
#include "cli/plan_erm.h"
#include "cli/plan_output.h"
#include "cli/sketch_flags.h"
#include "erm/erm_plan.h"
#include "fit/mechanism.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Say what a mechanism will do, before there is any data.\n"
    "\n"
    "Prints the noise on each part of the private sums at chosen times, the accounting behind it, the\n"
    "excess risk to expect, and how long until the noise is small. Units: rows in the unit ball, |y| <= 1\n"
    "(the scaling that 'rivulet fit' does for you). With --sketch, --mechanism or --row-set also what\n"
    "sketches of different sizes cost and gain, and which to ask for. With a --loss other than squared,\n"
    "or --mechanism erm: how often the solver is called, the noise of its calls, the paper's bound and\n"
    "the memory that rows take.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6 --horizon 131072 --strategy tree --at 131071 --json\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6 --horizon 131072 --profile paper\n"
    "  rivulet plan --dim 4000 --epsilon 1 --delta 1e-6 --horizon 131072 --constraint l1:1 \\\n"
    "      --sketch auto --row-set sparse:10\n"
    "  rivulet plan --dim 10 --epsilon 1 --delta 1e-6 --horizon 500 --release-every 100 --loss logistic\n"
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
    "                        paper_dimension, theorem_5_7_bound, recommended\n"
    "  With --loss or --mechanism erm: tau, tau_rule, calls, lipschitz, memory_bytes_a_row,\n"
    "  theorem_3_1_bound, and times with calls, call_mu, iterations (sums a call), sum_stddev, call_stddev,\n"
    "  noise_risk, age_risk, memory_bytes, multiplications";

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
Schema unit_ball_schema(const PlanFlags& flags, bool classes) {
  const std::string& text = required(flags.dim, "dim", "the number of covariates, e.g. --dim 10");
  const std::uint64_t dimension = stream::parse_positive_whole(text, "dim");
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  if (dimension > kMost) {
    throw RequestError("dim", text + " is not accepted; accepted: a whole number from 1 to " + std::to_string(kMost));
  }
  Schema schema;
  schema.block("x", dimension, {-1.0, 1.0}).intercept(false).clip_norm(1.0);
  return classes ? schema.classes("y", -1.0, 1.0) : schema.target("y", {-1.0, 1.0});
}

stream::FitConfig config_of(const PlanFlags& flags) {
  stream::FitConfig config;
  if (flags.strategy) config.strategy = parse_strategy(*flags.strategy);
  if (flags.buffers) config.buffers = parse_buffers(*flags.buffers);
  if (flags.tree_decoding) config.tree_decoding = stream::parse_tree_decoding(*flags.tree_decoding);
  read_sketch_flags(flags.sketching, config);
  read_loss_flags(flags.losses, config);
  if (parse_loss(loss_of(config))->is_classification()) config.classes = {"-1", "1"};
  check_loss(config);
  return config;
}

StreamOptions options_of(const PlanFlags& flags, const stream::FitConfig& config) {
  StreamOptions options;
  options.schema = unit_ball_schema(flags, config.classes.has_value());
  options.budget = {
      stream::parse_number(required(flags.epsilon, "epsilon", "a positive number, e.g. --epsilon 1"), "epsilon"),
      stream::parse_number(required(flags.delta, "delta", "a number above 0 and below 1, e.g. --delta 1e-6"), "delta")};
  options.budget.validate();
  options.neighbours = parse_neighbours(flags.neighbours);
  options.profile = parse_profile(flags.profile);
  options.horizon = parse_horizon(flags.horizon);
  options.release_every = stream::parse_positive_whole(flags.release_every, "release-every");
  options.strategy = config.strategy;
  if (flags.buffers) options.buffers = parse_buffers(*flags.buffers);
  options.tree_decoding = config.tree_decoding;
  options.constraint = flags.constraint;
  options.sketch = sketch_from(config);
  apply_loss(config, options);
  options.input_set = config.row_set.value_or("");
  require_room(options, "dim");
  options.solver = Solver::fast;  // a plan is about noise, not about iterations
  return fit::with_defaults(options);
}

std::vector<std::uint64_t> chosen_steps(const PlanFlags& flags, std::uint64_t last_step, bool known) {
  std::vector<std::uint64_t> steps;
  for (const std::string& text : flags.at) {
    const std::uint64_t step = stream::parse_positive_whole(text, "at");
    if (step > last_step) {
      throw RequestError("at", "step " + text + " is past the last step; accepted: 1 to " + std::to_string(last_step));
    }
    steps.push_back(step);
  }
  if (steps.empty()) {
    for (std::uint64_t step : {100ULL, 10'000ULL, 1'000'000ULL, 100'000'000ULL}) {
      if (step < last_step) steps.push_back(step);
    }
    if (known) steps.push_back(last_step);
  }
  return steps;
}

std::string erm_plan(const PlanFlags& flags, const StreamOptions& options) {
  const erm::ErmPlan plan(fit::erm_options(options));
  const ErmPlanOutput output(plan, chosen_steps(flags, plan.last_step(), options.horizon.is_known()));
  return flags.json ? output.json() : output.text();
}

std::string sums_plan(const PlanFlags& flags, const StreamOptions& options, const stream::FitConfig& config) {
  PlanRequest request;
  request.options = options;
  request.share = stream::parse_positive(flags.share, "share");
  request.beta = stream::parse_positive(flags.beta, "beta");
  if (request.beta >= 1.0) {
    throw RequestError("beta",
                       "'" + flags.beta + "' is not accepted; accepted: a probability above 0 and below 1, e.g. 0.05");
  }
  const bool about_mechanism = flags.losses.mechanism && mechanism_of(config) != stream::Mechanism::surrogate;
  request.about_sketches = about_mechanism || flags.sketching.sketch || flags.sketching.row_set;
  const auto set = parse_constraint(options.constraint, options.schema.dimension());
  const privacy::MechanismPlan plan(fit::mechanism_request(options));
  request.steps = chosen_steps(flags, plan.last_step(), options.horizon.is_known());
  request.steps_were_chosen = !flags.at.empty();
  const PlanOutput output(request, plan, *set);
  return flags.json ? output.json() : output.text();
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
    const stream::FitConfig config = config_of(*flags);
    const StreamOptions options = options_of(*flags, config);
    print(options.erm ? erm_plan(*flags, options) : sums_plan(*flags, options, config));
    return kDone;
  };
}

}  // namespace rivulet::cli
