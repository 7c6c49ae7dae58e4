// `rivulet audit`: attacks on the tool's own mechanisms. Reads no rows; makes its own.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/auditor.h"
#include "audit/matrix.h"
#include "cli/audit_output.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "request/values.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Attack the privacy promise; say how much of epsilon is proved spent.\n"
    "\n"
    "Runs the real mechanism, with its secure noise, many times on two streams that differ in one row, as\n"
    "bad a pair as there is, and tries to tell which of the two it was. Whoever can tell them apart with\n"
    "few errors has proved that epsilon is at least so and so much. If that is more than was claimed, the\n"
    "promise is broken and the exit code is 5. A bound below the claim proves nothing wrong: it says how\n"
    "much of the claim the attack could use. Rows are made up; no data is read.\n"
    "\n"
    "Without --dim it goes through a matrix of mechanisms and pairs (about ten minutes; --fast: half a\n"
    "minute). With --dim it attacks your own settings, given as for 'rivulet plan'.";

constexpr const char* kFooter =
    "COLUMNS\n"
    "  looks at   kernel: every number that leaves the kernel, by an attacker who knows all but one row;\n"
    "             gradients: the same for PrivIncERM; statistics, models: black box, what the library\n"
    "             hands out; binary: black box, the release lines of 'rivulet fit', run as a process;\n"
    "             python: black box, what a door of the Python package publishes, the rows after the\n"
    "             one in question hostile\n"
    "  pair       the two rows: worst (furthest apart), opposite labels, orthogonal, sparse, out of\n"
    "             bounds, missing (a row against one that cannot be used)\n"
    "  place      the step of that row; 'chosen' by what was published before; adaptive: so are others\n"
    "  eps >=     proved, with nothing assumed about the mechanism. Counting errors cannot prove much\n"
    "             more than the logarithm of the number of trials\n"
    "  Gaussian   proved if the mechanism is Gaussian, as this one is: the error rates give a lower\n"
    "             bound on its mu, and mu an epsilon at the claimed delta. 'share' is this against the\n"
    "             claim\n"
    "  promise    'holds' unless one of the bounds exceeds what is claimed\n"
    "\n"
    "EXAMPLES\n"
    "  rivulet audit --fast\n"
    "  rivulet audit --epsilon 2 --strategy tree --json\n"
    "  rivulet audit --fast --python python3\n"
    "  rivulet audit --dim 4 --epsilon 1 --delta 1e-6 --horizon 100 --strategy tree\n"
    "\n"
    "EXIT CODES\n"
    "  0 nothing contradicts the promise; 5 a violation was found; 2 bad request; 130 interrupted, what\n"
    "  was finished is printed";

struct AuditFlags {
  bool fast = false;
  bool list = false;
  bool json = false;
  bool csv = false;
  bool quiet = false;
  std::vector<std::string> epsilon;
  std::optional<std::string> delta;
  std::vector<std::string> strategy;
  std::vector<std::string> neighbours;
  std::optional<std::string> trials;
  std::optional<std::string> python;
  std::vector<std::string> looks_at;
  std::string confidence = "0.999999";
  // Own settings.
  std::optional<std::string> dim;
  std::optional<std::string> horizon;
  std::optional<std::string> release_every;
  std::optional<std::string> profile;
  std::optional<std::string> max_rows_per_unit;
  std::optional<std::string> steps;
};

constexpr std::uint64_t kUsualSteps = 32;
constexpr std::uint64_t kFastTrials = 20000;

double parse_confidence(const std::string& text) {
  const double confidence = request::Given{text, "confidence"}.positive();
  if (confidence >= 1.0 || 1.0 - confidence < 1e-12) {
    throw RequestError("confidence",
                       "'" + text + "' is not accepted; accepted: a number above 0 and below 1, e.g. 0.999999");
  }
  return confidence;
}

std::uint64_t parse_trials(const std::string& text) {
  const std::uint64_t trials = request::Given{text, "trials"}.positive_whole();
  if (trials < 100 || trials > 1'000'000'000) {
    throw RequestError("trials", text + " is not accepted; accepted: a whole number from 100 to 1000000000");
  }
  return trials;
}

double parse_delta(const AuditFlags& flags) {
  return flags.delta ? request::Given{*flags.delta, "delta"}.number() : 1e-6;
}

std::vector<audit::Configuration> own_settings(const AuditFlags& flags) {
  if (flags.epsilon.size() != 1) throw RequestError("epsilon", "with --dim one is needed; accepted: e.g. --epsilon 1");
  if (!flags.delta) throw RequestError("delta", "not given; accepted: a number above 0 and below 1, e.g. --delta 1e-6");
  if (flags.strategy.size() > 1) throw RequestError("strategy", "with --dim one is accepted");
  if (flags.neighbours.size() > 1) throw RequestError("neighbours", "with --dim one is accepted");
  privacy::MechanismRequest promise;
  promise.budget = {request::Given{flags.epsilon.front(), "epsilon"}.number(), parse_delta(flags)};
  promise.dimension = request::Given{*flags.dim, "dim"}.positive_whole();
  if (flags.profile) promise.profile = parse_profile(*flags.profile);
  promise.strategy.kind = promise.profile == Profile::paper ? StrategyKind::tree : StrategyKind::blt;
  if (promise.profile == Profile::paper) promise.strategy.tree_decoding = TreeDecoding::paper;
  if (!flags.strategy.empty()) promise.strategy.kind = parse_strategy(flags.strategy.front());
  if (!flags.neighbours.empty()) promise.neighbours = parse_neighbours(flags.neighbours.front());
  if (flags.horizon) promise.strategy.horizon = parse_horizon(*flags.horizon);
  if (flags.release_every)
    promise.rows_per_step = request::Given{*flags.release_every, "release-every"}.positive_whole();
  if (flags.max_rows_per_unit) {
    promise.units = true;
    promise.rows_per_unit = request::Given{*flags.max_rows_per_unit, "max-rows-per-unit"}.positive_whole();
  }
  const privacy::MechanismPlan plan(promise);  // refuses what cannot be promised
  const std::uint64_t steps = flags.steps ? request::Given{*flags.steps, "steps"}.positive_whole() : kUsualSteps;
  std::vector<audit::Configuration> configurations = audit::matrix_of(promise, std::min(steps, plan.last_step()));
  if (flags.fast) {
    std::erase_if(configurations, [](const audit::Configuration& c) { return c.surface == audit::Surface::binary; });
    for (audit::Configuration& c : configurations) c.trials = std::min(c.trials, kFastTrials);
  }
  return configurations;
}

std::vector<audit::Configuration> built_in(const AuditFlags& flags) {
  for (const auto& [value, name] :
       {std::pair(flags.horizon, "horizon"), std::pair(flags.release_every, "release-every"),
        std::pair(flags.profile, "profile"), std::pair(flags.steps, "steps"),
        std::pair(flags.max_rows_per_unit, "max-rows-per-unit")}) {
    if (value) throw RequestError(name, "is for an audit of your own settings; accepted: together with --dim");
  }
  audit::Choice choice;
  choice.delta = parse_delta(flags);
  if (!flags.epsilon.empty()) choice.epsilons.clear();
  for (const std::string& text : flags.epsilon) choice.epsilons.push_back(request::Given{text, "epsilon"}.number());
  for (const double epsilon : choice.epsilons) Budget{epsilon, choice.delta}.validate();
  if (!flags.strategy.empty()) choice.strategies.clear();
  for (const std::string& word : flags.strategy) choice.strategies.push_back(parse_strategy(word));
  if (!flags.neighbours.empty()) choice.neighbours.clear();
  for (const std::string& word : flags.neighbours) choice.neighbours.push_back(parse_neighbours(word));
  std::vector<audit::Configuration> configurations =
      flags.fast ? audit::fast_matrix(choice) : audit::full_matrix(choice);
  if (flags.python) {
    const std::vector<audit::Configuration> doors = audit::python_matrix(choice, flags.fast);
    configurations.insert(configurations.end(), doors.begin(), doors.end());
  }
  return configurations;
}

// On standard error: one line that rewrites itself on a terminal, a plain one now and then elsewhere.
class AuditProgress {
 public:
  AuditProgress(bool quiet, std::size_t total)
      : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), total_(total), next_(Clock::now() + kBetween) {}
  ~AuditProgress() { clear(); }
  AuditProgress(const AuditProgress&) = delete;
  AuditProgress& operator=(const AuditProgress&) = delete;

  void show(std::size_t finished, double share) {
    const Clock::time_point now = Clock::now();
    if (quiet_ || now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(200) : kBetween);
    tell(fmt::format("{}audit: {} of {} configurations, {:.0f}% of the next{}", terminal_ ? "\r" : "", finished, total_,
                     100.0 * share, terminal_ ? "\033[K" : "\n"));
    shown_ = terminal_;
  }
  void clear() {
    if (shown_) tell("\r\033[K");
    shown_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetween{10000};

  bool quiet_;
  bool terminal_;
  std::size_t total_;
  Clock::time_point next_;
  bool shown_ = false;
};

int run_audit(const AuditFlags& flags) {
  std::vector<audit::Configuration> configurations = flags.dim ? own_settings(flags) : built_in(flags);
  if (flags.dim && flags.python) {
    throw RequestError("python", "is for the built-in matrix; accepted: without --dim");
  }
  if (!flags.looks_at.empty()) {
    std::set<audit::Surface> wanted;
    for (const std::string& word : flags.looks_at) wanted.insert(audit::parse_surface(word));
    if (wanted.contains(audit::Surface::python) && !flags.python) {
      throw RequestError("looks-at", "'python' needs an interpreter; accepted: with --python, e.g. --python python3");
    }
    std::erase_if(configurations, [&](const audit::Configuration& c) { return !wanted.contains(c.surface); });
    if (configurations.empty()) throw RequestError("looks-at", "nothing is left to attack; --list says what there is");
  }
  if (flags.trials) {
    for (audit::Configuration& configuration : configurations) configuration.trials = parse_trials(*flags.trials);
  }
  if (flags.json && flags.csv) throw RequestError("csv", "given with --json; accepted: one of them");
  const bool table = !flags.json && !flags.csv;
  if (flags.list) {
    std::string text;
    for (const audit::Configuration& configuration : configurations) text += audit_line(configuration);
    print(text);
    return kDone;
  }
  AuditReport report;
  report.planned = configurations.size();
  report.confidence = parse_confidence(flags.confidence);
  const double alpha = (1.0 - report.confidence) / static_cast<double>(configurations.size());
  const audit::Programs programs{std::filesystem::read_symlink("/proc/self/exe").string(), flags.python.value_or("")};
  const std::atomic<bool>& stop = stop_flag();
  const auto start = std::chrono::steady_clock::now();
  AuditProgress progress(flags.quiet, configurations.size());
  for (const audit::Configuration& configuration : configurations) {
    const std::unique_ptr<audit::Experiment> experiment = audit::make_experiment(configuration, programs);
    const std::optional<audit::Finding> finding = audit::audit(configuration, *experiment, alpha, [&](double share) {
      progress.show(report.findings.size(), share);
      return !stop.load();
    });
    if (!finding) break;
    report.findings.push_back(*finding);
    progress.clear();
    if (table) print((report.findings.size() == 1 ? audit_heading() : "") + audit_line(*finding));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.clear();
  print(flags.json ? audit_json(report) : flags.csv ? audit_csv(report) : audit_summary(report));
  if (report.violations() > 0) return kViolation;
  return report.findings.size() < report.planned ? kInterrupted : kDone;
}

}  // namespace

Runner declare_audit(CLI::App& app) {
  auto flags = std::make_shared<AuditFlags>();
  const auto repeatable = [&](const char* name, std::vector<std::string>& value, const char* text, const char* type) {
    app.add_option(name, value, text)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name(type);
  };
  app.description(kDescription);
  app.footer(kFooter);
  app.add_flag("--fast", flags->fast, "Some of each kind, fewer trials")->disable_flag_override();
  repeatable("--epsilon", flags->epsilon, "Claim to attack; may be repeated. 0.5, 1, 2 and 8 unless given", "E");
  app.add_option("--delta", flags->delta, "With it; 1e-6 unless given. With --dim there is no default")->type_name("D");
  repeatable("--strategy", flags->strategy,
             "'blt', 'tree' or 'hybrid'; may be repeated. All unless given; with --dim, blt", "WORD");
  repeatable("--neighbours", flags->neighbours,
             "'replace' or 'zero-out'; may be repeated. Both unless given; with --dim, replace", "WORD");
  app.add_option("--trials", flags->trials,
                 "Counted runs on each of the two streams, in every configuration; chosen unless given")
      ->type_name("N");
  app.add_option("--confidence", flags->confidence,
                 "With which all bounds of the run hold together; 0.999999 unless given")
      ->type_name("P");
  app.add_option("--python", flags->python,
                 "Also attack through Python: an interpreter that has the rivulet package, e.g. python3")
      ->type_name("PROGRAM");
  repeatable("--looks-at", flags->looks_at, "Only attacks that look at this: see the column below; may be repeated",
             "WORD");
  app.add_flag("--list", flags->list, "Say which configurations there are and stop")->disable_flag_override();
  app.add_flag("--json", flags->json, "Machine-readable output")->disable_flag_override();
  app.add_flag("--csv", flags->csv, "The same as comma-separated values")->disable_flag_override();
  app.add_flag("-q,--quiet", flags->quiet, "No progress")->disable_flag_override();
  const char* own = "Your own settings";
  app.add_option("--dim,-d", flags->dim, "Number of covariates, the intercept included")->type_name("D")->group(own);
  app.add_option("--horizon", flags->horizon, "A number of steps, or 'unbounded' (default)")
      ->type_name("N|unbounded")
      ->group(own);
  app.add_option("--release-every", flags->release_every, "Rows in a step; 1 unless given")->type_name("N")->group(own);
  app.add_option("--profile", flags->profile, "'tight' (default) or 'paper'")->type_name("WORD")->group(own);
  app.add_option("--max-rows-per-unit", flags->max_rows_per_unit, "The promise is for units of so many rows")
      ->type_name("K")
      ->group(own);
  app.add_option("--steps", flags->steps,
                 "Steps published in a trial; the horizon if it is below 32, else 32, unless given")
      ->type_name("N")
      ->group(own);
  return [flags] { return run_audit(*flags); };
}

}  // namespace rivulet::cli
