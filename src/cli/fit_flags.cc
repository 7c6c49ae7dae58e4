#include "cli/fit_flags.h"

#include <charconv>

#include "rivulet/error.h"
#include "strategy/blt.h"
#include "stream/number_text.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Fit a private model to a CSV stream, published as the stream grows.\n"
    "\n"
    "Reads rows from a CSV file (plain or gzip) or from standard input, and after every --release-every\n"
    "rows publishes the linear model of everything seen so far. All releases together are\n"
    "(epsilon, delta)-differentially private for every row, however long the stream goes on.\n"
    "\n"
    "Bounds are yours to declare, from what you know of the world and never from the data; values\n"
    "outside are moved to the nearest bound. A row that cannot be used (a missing or unreadable value,\n"
    "an undeclared category) counts as a zero row and never stops the stream.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "  A model of spending, a release every 100 people, releases to a file, the last model as a table:\n"
    "    rivulet fit survey.csv --target spend --features age,income --bound age=18:90 \\\n"
    "        --bound income=0:200000 --bound spend=0:5000 --epsilon 1 --delta 1e-6 \\\n"
    "        --release-every 100 --releases models.jsonl\n"
    "  From a pipe into a pipe, a release after every row:\n"
    "    tail -f events.csv | rivulet fit --config model.toml --releases - | jq .coefficients\n"
    "\n"
    "CONFIGURATION FILE (TOML; the same names as the flags, flags win)\n"
    "    target = \"spend\"\n"
    "    features = [\"age\", \"income\", \"region\"]\n"
    "    epsilon = 1.0\n"
    "    delta = 1e-6\n"
    "    release-every = 100\n"
    "    [bounds]\n"
    "    age = [18, 90]\n"
    "    income = [0, 200000]\n"
    "    spend = [0, 5000]\n"
    "    [levels]\n"
    "    region = [\"north\", \"south\"]\n"
    "\n"
    "OUTPUT\n"
    "  Each release is one JSON line: step, rows, intercept, coefficients (in your units), noise (standard\n"
    "  deviations of the private sums), epsilon, delta, neighbours. The table of the last model goes to\n"
    "  standard output, or to standard error when the releases go to standard output. Counts of unusable\n"
    "  rows go to standard error: they are exact, for the operator only.\n"
    "\n"
    "EXIT CODES\n"
    "  0 done; 1 a file or stream could not be read or written; 2 bad request, no row was read and\n"
    "  nothing published; 3 the stream is longer than its horizon; 4 the model is in use, damaged or behind\n"
    "  what was published, or its input changed: nothing was read, published or changed; 130 interrupted\n"
    "  (with --model: 0, nothing is lost). After 1, 3 and 130 what was published stays valid.";

// Two flags for one column: nobody can tell which was meant.
void refuse_second(bool declared, const std::string& field) {
  if (declared) throw RequestError(field, "declared twice; accepted: one flag a column");
}

}  // namespace

void declare_fit_flags(CLI::App& app, FitFlags& flags) {
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("FILE", flags.input, "CSV with a header line, plain or gzip; '-' or nothing: standard input")
      ->type_name("");
  app.add_option("--config", flags.config, "TOML file with any of these settings; flags win")->type_name("FILE.toml");

  const std::string data = "What the rows are";
  app.add_option("--target", flags.target, "Column to predict")->type_name("NAME")->group(data);
  app.add_option("--features", flags.features, "Columns to predict from, in this order")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("A,B,C")
      ->group(data);
  app.add_option("--bound", flags.bounds, "Declared bounds of a numeric column; one flag for each, the target included")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME=LO:HI")
      ->group(data);
  app.add_option("--levels", flags.levels,
                 "Declared levels of a categorical column; one flag for each; the first level is the reference")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("'NAME=A|B|C'")
      ->group(data);
  auto* with_intercept =
      app.add_flag("--intercept", flags.intercept, "Fit with an intercept (default; undoes a configuration file's)")
          ->disable_flag_override()
          ->group(data);
  app.add_flag("--no-intercept", flags.no_intercept, "Fit through the origin")
      ->disable_flag_override()
      ->excludes(with_intercept)
      ->group(data);
  app.add_option("--clip-norm", flags.clip_norm,
                 "Shorten rows above this norm, each column scaled to [-1, 1]: less noise if most rows are shorter")
      ->type_name("R")
      ->group(data);
  app.add_option("--only-if", flags.only_if,
                 "Use only rows that meet a condition, others count as zero rows: nonzeros<=K, l1<=R or COLUMN=LO:HI; "
                 "may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("CONDITION")
      ->group(data);
  app.add_option("--delimiter", flags.delimiter, "Field separator; ',' unless given, 'tab' for tabs")
      ->type_name("CHAR")
      ->group(data);

  const std::string promise = "What is promised";
  app.add_option("--epsilon", flags.epsilon,
                 "Privacy budget of all releases together; smaller is more private. No default")
      ->type_name("E")
      ->group(promise);
  app.add_option("--delta", flags.delta, "Probability with which the promise may fail. No default")
      ->type_name("D")
      ->group(promise);
  app.add_option("--neighbours", flags.neighbours,
                 "What is hidden: 'replace' (a row's whole content; default) or 'zero-out' (its presence; less noise)")
      ->type_name("WORD")
      ->group(promise);
  app.add_option("--unit", flags.unit,
                 "Protect all rows of one unit together: the column that says whose row it is, e.g. person_id")
      ->type_name("COLUMN")
      ->group(promise);
  app.add_option("--max-rows-per-unit", flags.max_rows_per_unit,
                 "With --unit: how many rows of one unit count; later ones are zero rows. Noise grows with it")
      ->type_name("K")
      ->group(promise);
  app.add_option("--horizon", flags.horizon, "How many steps the promise covers: a number, or 'unbounded' (default)")
      ->type_name("N|unbounded")
      ->group(promise);
  app.add_option("--profile", flags.profile,
                 "Constants: 'tight' (default) or 'paper' (those of Private Incremental Regression, for comparison)")
      ->type_name("WORD")
      ->group(promise);

  const std::string mechanism = "How it is done";
  app.add_option("--release-every", flags.release_every, "Rows in a step: a release after each step; 1 unless given")
      ->type_name("N")
      ->group(mechanism);
  app.add_option("--strategy", flags.strategy,
                 "Noise correlation: 'blt' (default), 'tree' (needs a horizon) or 'hybrid'")
      ->type_name("WORD")
      ->group(mechanism);
  app.add_option("--buffers", flags.buffers, "Buffers of the blt strategy, 1 to 8; chosen unless given")
      ->type_name("K")
      ->group(mechanism);
  app.add_option("--tree-decoding", flags.tree_decoding, "'optimal' (default) or 'paper'; costs no privacy")
      ->type_name("WORD")
      ->group(mechanism);
  app.add_option("--constraint", flags.constraint,
                 "Set the coefficients are fitted over, feature and target each scaled to [-1, 1]: l2:R, l1:R, "
                 "lp:P:R, simplex, group:K:R, box:LO:HI, elastic:A:R or polytope:FILE; l2:2 "
                 "unless given")
      ->type_name("KIND:R")
      ->group(mechanism);

  const std::string durable = "A model that lives on";
  app.add_option("--model", flags.model,
                 "Keep the stream in this file: stopped or crashed, the same command goes on at the next row")
      ->type_name("FILE")
      ->group(durable);
  app.add_flag("--next-input", flags.next_input, "The input is a new one that follows those already counted")
      ->disable_flag_override()
      ->group(durable);
  app.add_flag("--whole-steps", flags.whole_steps,
               "At the end of the input, rows of an unfinished step wait in the model instead of making a short one")
      ->disable_flag_override()
      ->group(durable);
  app.add_option("--seen", flags.seen,
                 "With --releases -: the last release its reader has, step and chain; later ones are sent again, and a "
                 "model that does not know it is refused")
      ->type_name("STEP:CHAIN")
      ->group(durable);

  const std::string output = "What comes out";
  app.add_option("--releases", flags.releases,
                 "Write every release as a JSON line to this file, '-' for standard output")
      ->type_name("FILE")
      ->group(output);
  app.add_flag("--quiet,-q", flags.quiet, "No progress on standard error")->disable_flag_override()->group(output);
  app.add_option("--insecure-seed", flags.insecure_seed,
                 "Deterministic noise for tests: the output is NOT private, and says so. A whole number")
      ->type_name("SEED")
      ->group(output);
}

unsigned parse_buffers(const std::string& text) {
  unsigned buffers = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), buffers);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || buffers < 1 ||
      buffers > strategy::kMaxBuffers) {
    throw RequestError("buffers", stream::shown(text) + " is not accepted; accepted: a whole number from 1 to " +
                                      std::to_string(strategy::kMaxBuffers));
  }
  return buffers;
}

stream::FitConfig resolve(const FitFlags& flags) {
  using namespace stream;
  FitConfig typed;
  typed.input = flags.input;
  typed.target = flags.target;
  if (!flags.features.empty()) {
    typed.features.emplace();
    for (const std::string& list : flags.features) {
      for (std::string& name : parse_names(list)) typed.features->push_back(std::move(name));
    }
  }
  for (const std::string& text : flags.bounds) {
    auto [name, bounds] = parse_bound(text);
    refuse_second(typed.bounds.contains(name), "bound " + name);
    typed.bounds.emplace(std::move(name), bounds);
  }
  for (const std::string& text : flags.levels) {
    auto [name, levels] = parse_levels(text);
    refuse_second(typed.levels.contains(name), "levels " + name);
    typed.levels.emplace(std::move(name), std::move(levels));
  }
  if (flags.intercept) typed.intercept = true;
  if (flags.no_intercept) typed.intercept = false;
  if (flags.clip_norm) typed.clip_norm = parse_positive(*flags.clip_norm, "clip-norm");
  if (flags.epsilon) typed.epsilon = parse_number(*flags.epsilon, "epsilon");
  if (flags.delta) typed.delta = parse_number(*flags.delta, "delta");
  if (flags.neighbours) typed.neighbours = parse_neighbours(*flags.neighbours);
  if (flags.horizon) typed.horizon = parse_horizon(*flags.horizon);
  if (flags.release_every) typed.release_every = parse_positive_whole(*flags.release_every, "release-every");
  if (flags.strategy) typed.strategy = parse_strategy(*flags.strategy);
  if (flags.tree_decoding) typed.tree_decoding = parse_tree_decoding(*flags.tree_decoding);
  if (flags.buffers) typed.buffers = parse_buffers(*flags.buffers);
  typed.constraint = flags.constraint;
  if (flags.profile) typed.profile = parse_profile(*flags.profile);
  typed.releases = flags.releases;
  if (flags.delimiter) typed.delimiter = parse_delimiter(*flags.delimiter);
  typed.model = flags.model;
  typed.only_if = flags.only_if;
  typed.unit = flags.unit;
  if (flags.max_rows_per_unit) {
    typed.max_rows_per_unit = parse_positive_whole(*flags.max_rows_per_unit, "max-rows-per-unit");
  }
  if (flags.whole_steps) typed.whole_steps = true;
  return flags.config ? merge(read_config(*flags.config), typed) : typed;
}

std::optional<std::uint64_t> resolve_insecure_seed(const FitFlags& flags) {
  if (!flags.insecure_seed) return std::nullopt;
  const std::string& text = *flags.insecure_seed;
  std::uint64_t seed = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
    throw RequestError(
        "insecure-seed",
        stream::shown(text) + " is not accepted; accepted: a whole number from 0 to 18446744073709551615");
  }
  return seed;
}

}  // namespace rivulet::cli
