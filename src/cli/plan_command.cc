// `rivulet plan`: no data, only arithmetic.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/setting_flags.h"
#include "request/toml_file.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"
#include "rivulet/plan.h"

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
    "the memory that rows take. With --config the plan is for the columns of a real fit, and the JSON has\n"
    "the standard errors that the noise alone makes, in your units.";

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
    "  times                 the same at every --at, with predicted_excess_risk and excess_risk_bound,\n"
    "                        memory_bytes, and standard_errors that the noise alone makes for evenly spread\n"
    "                        columns\n"
    "  sketches              with --sketch, --mechanism or --row-set: trade_off (dimension, memory_bytes,\n"
    "                        noise_risk, distortion_risk, predicted_excess_risk), full_matrix, asked,\n"
    "                        paper_dimension, theorem_5_7_bound, recommended\n"
    "  With --loss or --mechanism erm: tau, tau_rule, calls, lipschitz, memory_bytes_a_row,\n"
    "  theorem_3_1_bound, and times with calls, call_mu, iterations (sums a call), sum_stddev, call_stddev,\n"
    "  noise_risk, age_risk, memory_bytes, multiplications";

struct PlanFlags {
  SettingFlags settings;
  std::optional<std::string> dim;
  std::optional<std::string> config;
  std::vector<std::string> at;
  std::string share = "0.1";
  std::string beta = "0.05";
  bool json = false;
};

// What a plan depends on; columns and their bounds are those of the paper's setting.
bool is_planned(const request::Setting& setting) {
  constexpr std::array kNotPlanned{"unit",      "max-rows-per-unit", "solver",      "noise-aware-ridge",
                                   "embedding", "column-weight",     "sketch-seed", "insecure-seed"};
  return setting.scope == request::Scope::request && setting.group != request::Group::rows &&
         std::find(kNotPlanned.begin(), kNotPlanned.end(), setting.key) == kNotPlanned.end();
}

// The paper's setting: a block in [-1, 1], rows clipped to the unit ball, no intercept. Box units and unit-ball units
// coincide.
request::Settings in_the_unit_ball(request::Settings given, const PlanFlags& flags) {
  if (!flags.dim) throw RequestError("dim", "not given; accepted: the number of covariates, e.g. dim=10");
  const std::uint64_t dimension = request::Given{*flags.dim, "dim"}.positive_whole(
      "a positive whole number up to 2147483648", std::uint64_t{1} << 31);
  given["target"] = "y";
  given["block"] = "x:" + std::to_string(dimension);
  given["bounds"]["x"] = {-1.0, 1.0};
  given["intercept"] = false;
  given["clip-norm"] = 1.0;
  if (parse_loss(request::loss_of(given))->is_classification()) {
    given["classes"] = {-1, 1};
  } else {
    given["bounds"]["y"] = {-1.0, 1.0};
  }
  if (!given.contains("constraint")) given["constraint"] = "l2:1";
  given["solver"] = "fast";  // a plan is about noise, not about iterations
  return given;
}

// The request in the declared columns' own units, or in the paper's setting.
request::Settings planned(const PlanFlags& flags) {
  const request::Settings typed = flags.settings.given();
  if (!flags.config) return in_the_unit_ball(typed, flags);
  if (flags.dim) throw RequestError("dim", "contradicts config, whose columns are counted; accepted: one of the two");
  return request::merge(request::read_toml_file(*flags.config), typed);
}

int run(const PlanFlags& flags) {
  const request::Settings given = planned(flags);
  const Plan plan(request::read_request(given));
  PlanQuestions questions;
  for (const std::string& text : flags.at) questions.steps.push_back(request::Given{text, "at"}.positive_whole());
  questions.noise_share = request::Given{flags.share, "share"}.positive();
  questions.beta = request::Given{flags.beta, "beta"}.positive();
  const bool about_mechanism = given.contains("mechanism") && plan.request().mechanism != Mechanism::surrogate;
  questions.sketches = about_mechanism || given.contains("sketch") || given.contains("row-set");
  print(flags.json ? plan.json(questions) : plan.text(questions));
  return kDone;
}

}  // namespace

Runner declare_plan(CLI::App& app) {
  auto flags = std::make_shared<PlanFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("--dim,-d", flags->dim, "Number of covariates, the intercept included. No default")->type_name("D");
  app.add_option("--config", flags->config, "TOML file of a fit, instead of --dim: its columns and settings; flags win")
      ->type_name("FILE.toml");
  flags->settings.declare(app, is_planned);
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

  return [flags] { return run(*flags); };
}

}  // namespace rivulet::cli
