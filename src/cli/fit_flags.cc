#include "cli/fit_flags.h"

#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
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
    "  0 done; 1 a file or stream could not be read or written; 2 bad request, nothing was read or\n"
    "  published; 3 the stream is longer than its horizon; 130 interrupted. After 3 and 130 what was\n"
    "  published stays valid.";

}  // namespace

void declare_fit_flags(CLI::App& app, FitFlags& flags) {
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("FILE", flags.input, "CSV with a header line, plain or gzip; '-' or nothing: standard input");
  app.add_option("--config", flags.config, "TOML file with any of these settings; flags win")->type_name("FILE.toml");

  const std::string data = "What the rows are";
  app.add_option("--target", flags.target, "Column to predict")->type_name("NAME")->group(data);
  app.add_option("--features", flags.features, "Columns to predict from, in this order: a,b,c")->allow_extra_args(false)->type_name("NAMES")->group(data);
  app.add_option("--bound", flags.bounds, "Declared bounds of a numeric column; one for each, the target included")
      ->allow_extra_args(false)->type_name("NAME=LO:HI")->group(data);
  app.add_option("--levels", flags.levels, "Declared levels of a categorical column; the first is the reference")
      ->allow_extra_args(false)->type_name("NAME=A|B|C")->group(data);
  app.add_flag("--no-intercept", flags.no_intercept, "Fit through the origin")->group(data);
  app.add_option("--clip-norm", flags.clip_norm,
                 "Shorten rows above this norm, each column scaled to [-1, 1]: less noise if most rows are shorter")
      ->type_name("R")->group(data);
  app.add_option("--delimiter", flags.delimiter, "Field separator; ',' unless given, 'tab' for tabs")->type_name("CHAR")->group(data);

  const std::string promise = "What is promised";
  app.add_option("--epsilon", flags.epsilon, "Privacy budget of all releases together; smaller is more private. No default")
      ->type_name("E")->group(promise);
  app.add_option("--delta", flags.delta, "Probability with which the promise may fail. No default")->type_name("D")->group(promise);
  app.add_option("--neighbours", flags.neighbours,
                 "What is hidden: 'replace' (a row's whole content; default) or 'zero-out' (its presence; less noise)")
      ->type_name("WORD")->group(promise);
  app.add_option("--horizon", flags.horizon, "How many steps the promise covers: a number, or 'unbounded' (default)")
      ->type_name("N|unbounded")->group(promise);
  app.add_option("--profile", flags.profile,
                 "Constants: 'tight' (default) or 'paper' (those of Private Incremental Regression, for comparison)")
      ->type_name("WORD")->group(promise);

  const std::string mechanism = "How it is done";
  app.add_option("--release-every", flags.release_every, "Rows in a step: a release after each step; 1 unless given")
      ->type_name("N")->group(mechanism);
  app.add_option("--strategy", flags.strategy, "Noise correlation: 'blt' (default), 'tree' (needs a horizon) or 'hybrid'")
      ->type_name("WORD")->group(mechanism);
  app.add_option("--buffers", flags.buffers, "Buffers of the blt strategy, 1 to 8; chosen unless given")->type_name("K")->group(mechanism);
  app.add_option("--tree-decoding", flags.tree_decoding, "'optimal' (default) or 'paper'; costs no privacy")
      ->type_name("WORD")->group(mechanism);
  app.add_option("--constraint", flags.constraint,
                 "Set the coefficients are fitted over, feature and target each scaled to [-1, 1]: l2:R or l1:R; l2:2 unless given")
      ->type_name("KIND:R")->group(mechanism);

  const std::string output = "What comes out";
  app.add_option("--releases", flags.releases, "Write every release as a JSON line to this file, '-' for standard output")
      ->type_name("FILE")->group(output);
  app.add_flag("--quiet,-q", flags.quiet, "No progress on standard error")->group(output);
  app.add_option("--insecure-seed", flags.insecure_seed,
                 "Deterministic noise for tests: the output is NOT private, and says so")
      ->type_name("SEED")->group(output);
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
  for (const std::string& text : flags.bounds) typed.bounds.insert_or_assign(parse_bound(text).first, parse_bound(text).second);
  for (const std::string& text : flags.levels) typed.levels.insert_or_assign(parse_levels(text).first, parse_levels(text).second);
  if (flags.no_intercept) typed.intercept = false;
  if (flags.clip_norm) typed.clip_norm = parse_positive(*flags.clip_norm, "clip-norm");
  if (flags.epsilon) typed.epsilon = parse_number(*flags.epsilon, "epsilon");
  if (flags.delta) typed.delta = parse_number(*flags.delta, "delta");
  if (flags.neighbours) typed.neighbours = parse_neighbours(*flags.neighbours);
  if (flags.horizon) typed.horizon = parse_horizon(*flags.horizon);
  if (flags.release_every) typed.release_every = parse_positive_whole(*flags.release_every, "release-every");
  if (flags.strategy) typed.strategy = parse_strategy(*flags.strategy);
  if (flags.tree_decoding) typed.tree_decoding = parse_tree_decoding(*flags.tree_decoding);
  if (flags.buffers) typed.buffers = parse_positive_whole(*flags.buffers, "buffers");
  typed.constraint = flags.constraint;
  if (flags.profile) typed.profile = parse_profile(*flags.profile);
  typed.releases = flags.releases;
  if (flags.delimiter) typed.delimiter = parse_delimiter(*flags.delimiter);
  return flags.config ? merge(read_config(*flags.config), typed) : typed;
}

}  // namespace rivulet::cli
