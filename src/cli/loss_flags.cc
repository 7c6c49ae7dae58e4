#include "cli/loss_flags.h"

#include <cmath>
#include <memory>

#include "rivulet/error.h"
#include "rivulet/loss.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

using stream::FitConfig;
using stream::Mechanism;

std::string quoted(Mechanism mechanism) {
  return "'" + std::string(to_string(mechanism)) + "'";
}

void refuse(bool given, const char* field, const std::string& why) {
  if (given) throw RequestError(field, why);
}

// A setting where nothing would heed it is a slip.
void refuse_settings_of_calls(const FitConfig& config, const std::string& why) {
  refuse(config.method.has_value(), "method", why);
  refuse(config.iterations.has_value(), "iterations", why);
  refuse(config.batches.has_value(), "batches", why);
  refuse(config.ridge.has_value(), "ridge", why);
  refuse(config.late_weight.has_value(), "late-weight", why);
  refuse(config.average.has_value(), "average", why);
}

void refuse_tau(const FitConfig& config, const std::string& why) {
  refuse(config.tau.has_value(), "tau", why);
  refuse(config.tau_rule.has_value(), "tau-rule", why);
}

void check_settings(const FitConfig& config, Mechanism mechanism) {
  if (mechanism != Mechanism::surrogate) {
    refuse(config.margin.has_value(), "margin",
           "is of the surrogate, and the mechanism is " + quoted(mechanism) +
               "; accepted: together with --mechanism surrogate");
  }
  if (!is_erm(mechanism)) {
    const std::string why = "is of a solver that goes over its rows again, and the mechanism is " + quoted(mechanism) +
                            "; accepted: together with --mechanism erm";
    refuse_tau(config, why);
    refuse_settings_of_calls(config, why);
    return;
  }
  const std::string why = "is of sums that take in each row once, and " + quoted(mechanism) +
                          " keeps its rows and goes over them again; accepted: without it, or with another --mechanism";
  refuse(config.strategy.has_value(), "strategy", why);
  refuse(config.buffers.has_value(), "buffers", why);
  refuse(config.tree_decoding.has_value(), "tree-decoding", why);
  refuse(config.row_set.has_value(), "row-set",
         "is for choosing a sketch, and " + quoted(mechanism) + " has none; accepted: without it");
  if (mechanism == Mechanism::naive) {
    refuse_tau(config, "is 1 with --mechanism naive, which calls its solver at every step; accepted: --mechanism erm");
  }
  if (mechanism == Mechanism::trivial) {
    const std::string ignored =
        "has no meaning with --mechanism trivial, which never looks at a row; accepted: without it";
    refuse_tau(config, ignored);
    refuse_settings_of_calls(config, ignored);
  }
}

void check_mechanism(const FitConfig& config, const Loss& loss, Mechanism mechanism) {
  if (config.sketch && mechanism != Mechanism::sketch) {
    throw RequestError("mechanism", quoted(mechanism) + " contradicts --sketch; accepted: one of the two");
  }
  const bool squares = mechanism == Mechanism::full || mechanism == Mechanism::sketch;
  if (squares && loss.name() != "squared") {
    const std::string what = config.mechanism ? quoted(mechanism) + " is" : "a sketch is";
    const std::string also = loss.name() == "logistic" ? ", or --mechanism surrogate" : "";
    throw RequestError("mechanism", what + " for the squared loss, and the loss is " + loss.name() +
                                        (config.loss ? "" : ", as it is for two classes unless said otherwise") +
                                        "; accepted: --mechanism erm" + also + ", or --loss squared");
  }
  if (mechanism == Mechanism::surrogate && loss.name() != "logistic") {
    throw RequestError("mechanism", "'surrogate' is for the logistic loss, and the loss is " + loss.name() +
                                        "; accepted: --loss logistic, or --mechanism erm");
  }
}

void check_classes(const FitConfig& config, const Loss& loss, Mechanism mechanism) {
  if (loss.is_classification() && !config.classes) {
    throw RequestError("classes", "not given, and " + loss.name() +
                                      " tells two classes apart; accepted: --classes NEGATIVE,POSITIVE, e.g. 0,1 or "
                                      "no,yes, or a loss for numbers: squared, huber:T, quantile:Q");
  }
  // Least squares over two classes is a score like any other, and the one a sketch can give.
  if (!loss.is_classification() && config.classes && is_erm(mechanism)) {
    throw RequestError("loss", loss.name() +
                                   " is for numbers, and the target has two classes; accepted: logistic, hinge, "
                                   "smooth-hinge:W");
  }
}

}  // namespace

void declare_mechanism_flag(CLI::App& app, LossFlags& flags, const std::string& group) {
  app.add_option("--mechanism", flags.mechanism,
                 "'full' (default for squares): sums over all pairs of features, for up to some hundred features. "
                 "'sketch': rows are projected to fewer dimensions first, for thousands or millions (PrivIncReg2). "
                 "'erm' (default for other losses): keeps all rows and goes over them again every tau steps "
                 "(PrivIncERM). 'surrogate': logistic regression from the sums of 'full', in constant memory. To "
                 "compare with: 'naive' (a call at every step), 'trivial' (ignores the data)")
      ->type_name("WORD")
      ->group(group);
}

void declare_loss_flags(CLI::App& app, LossFlags& flags, const std::string& group) {
  app.add_option("--loss", flags.loss,
                 "What the model pays for being wrong. Numbers: squared (default), huber:T (outliers count less: "
                 "straight beyond T half ranges of the target), quantile:Q (the Q-quantile; 0.5 the median). Two "
                 "classes: logistic (default with --classes; probabilities), hinge, smooth-hinge:W (the sign alone). "
                 "All but squared imply --mechanism erm, which needs 4 (columns + 1) bytes of memory for every row; "
                 "logistic in constant memory, with probabilities a little off, is --mechanism surrogate")
      ->type_name("KIND")
      ->group(group);
  app.add_option("--margin", flags.margin,
                 "Of the surrogate: the log-odds, up to this size, that it is to be good for. A guess made without "
                 "looking; 4 unless given")
      ->type_name("M")
      ->group(group);
  app.add_option("--tau", flags.tau,
                 "Steps between calls of the solver. Rare calls are quiet and old, frequent ones noisy and fresh; "
                 "by --tau-rule unless given")
      ->type_name("N")
      ->group(group);
  app.add_option("--tau-rule", flags.tau_rule,
                 "The paper's choice of tau, Theorem 3.1: 'convex', 'strongly-convex' (default with --ridge) or "
                 "'width' (default for frank-wolfe)")
      ->type_name("WORD")
      ->group(group);
  app.add_option(
         "--method", flags.method,
         "The solver: 'gradient-descent', 'frank-wolfe' (default for narrow sets such as l1:R and smooth losses) or "
         "'output-perturbation' (the minimiser itself with noise: smooth losses over l2:R with a --ridge)")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--iterations", flags.iterations, "Noisy sums a call; chosen for its rows and budget unless given")
      ->type_name("N")
      ->group(group);
  app.add_option("--batches", flags.batches, "Parts of a pass of gradient-descent over the rows; 1 unless given")
      ->type_name("N")
      ->group(group);
  app.add_option("--ridge", flags.ridge,
                 "Adds (NU / 2) |theta|^2 a row, rows scaled to the unit ball: fewer sums and less noise for a model "
                 "drawn to 0")
      ->type_name("NU")
      ->group(group);
  app.add_option("--late-weight", flags.late_weight,
                 "Call j has a share of the budget proportional to j^A: better at the end, worse before. Needs a "
                 "horizon; 0 unless given")
      ->type_name("A")
      ->group(group);
  auto* average = app.add_flag("--average", flags.average,
                               "Publish a mean over the last few calls (default; not with --profile paper)")
                      ->disable_flag_override()
                      ->group(group);
  app.add_flag("--no-average", flags.no_average, "Publish the last call's model, as the paper does")
      ->disable_flag_override()
      ->excludes(average)
      ->group(group);
}

void read_loss_flags(const LossFlags& flags, FitConfig& config) {
  using namespace stream;
  if (flags.mechanism) config.mechanism = parse_mechanism(*flags.mechanism);
  config.loss = flags.loss;
  if (flags.margin) config.margin = parse_positive(*flags.margin, "margin");
  if (flags.tau && flags.tau_rule) {
    throw RequestError("tau-rule", "chooses tau, and --tau says it; accepted: one of the two");
  }
  if (flags.tau) config.tau = parse_positive_whole(*flags.tau, "tau");
  if (flags.tau_rule) config.tau_rule = parse_tau_rule(*flags.tau_rule);
  if (flags.method) config.method = parse_erm_method(*flags.method);
  if (flags.iterations) config.iterations = parse_positive_whole(*flags.iterations, "iterations");
  if (flags.batches) config.batches = parse_positive_whole(*flags.batches, "batches");
  if (flags.ridge) config.ridge = parse_number(*flags.ridge, "ridge");
  if (flags.late_weight) config.late_weight = parse_number(*flags.late_weight, "late-weight");
  if (flags.average) config.average = true;
  if (flags.no_average) config.average = false;
}

std::string loss_of(const FitConfig& config) {
  if (config.loss) return parse_loss(*config.loss)->name();
  return config.classes || config.mechanism == Mechanism::surrogate ? "logistic" : "squared";
}

Mechanism mechanism_of(const FitConfig& config) {
  if (config.mechanism) return *config.mechanism;
  if (config.sketch) return Mechanism::sketch;
  return loss_of(config) == "squared" ? Mechanism::full : Mechanism::erm;
}

void check_loss(const FitConfig& config) {
  const std::unique_ptr<Loss> loss = parse_loss(loss_of(config));
  const Mechanism mechanism = mechanism_of(config);
  check_mechanism(config, *loss, mechanism);
  check_settings(config, mechanism);
  check_classes(config, *loss, mechanism);
  if (config.method == ErmMethod::frank_wolfe && !std::isfinite(loss->smoothness(1.0))) {
    throw RequestError("method", "frank-wolfe needs a smooth loss, which " + loss->name() +
                                     " is not; accepted: gradient-descent, or another loss, e.g. smooth-hinge:0.5");
  }
}

void apply_loss(const FitConfig& config, StreamOptions& options) {
  options.loss = loss_of(config);
  if (config.margin) options.surrogate_margin = *config.margin;
  const Mechanism mechanism = mechanism_of(config);
  if (!is_erm(mechanism)) return;
  ErmSettings& erm = options.erm.emplace();
  if (mechanism == Mechanism::naive) erm.mechanism = ErmMechanism::naive;
  if (mechanism == Mechanism::trivial) erm.mechanism = ErmMechanism::trivial;
  if (config.method) erm.method = *config.method;
  if (config.tau_rule) erm.rule = *config.tau_rule;
  erm.tau = config.tau;
  if (config.ridge) erm.ridge = *config.ridge;
  if (config.late_weight) erm.late_weight = *config.late_weight;
  erm.iterations = config.iterations;
  if (config.batches) erm.batches = *config.batches;
  erm.averaged = config.average;
}

void write_loss(const StreamOptions& options, FitConfig& config) {
  config.loss = options.loss;
  if (!options.erm) {
    if (options.loss != "logistic") return;
    config.mechanism = Mechanism::surrogate;
    config.margin = options.surrogate_margin;
    return;
  }
  const ErmSettings& erm = *options.erm;
  config.mechanism = erm.mechanism == ErmMechanism::periodic ? Mechanism::erm
                     : erm.mechanism == ErmMechanism::naive  ? Mechanism::naive
                                                             : Mechanism::trivial;
  if (erm.mechanism == ErmMechanism::trivial) return;
  if (erm.mechanism == ErmMechanism::periodic) {
    config.tau = erm.tau;
    if (erm.rule != ErmTauRule::by_method) config.tau_rule = erm.rule;
  }
  if (erm.method != ErmMethod::by_set) config.method = erm.method;
  config.iterations = erm.iterations;
  config.batches = erm.batches;
  config.ridge = erm.ridge;
  config.late_weight = erm.late_weight;
  config.average = erm.averaged;
}

}  // namespace rivulet::cli
