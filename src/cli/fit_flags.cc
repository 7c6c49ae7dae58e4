#include "cli/fit_flags.h"

#include <charconv>

#include "base/shown.h"
#include "cli/fit_help.h"
#include "rivulet/error.h"
#include "strategy/blt.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

// Two flags for one column: nobody can tell which was meant.
void refuse_second(bool declared, const std::string& field) {
  if (declared) throw RequestError(field, "declared twice; accepted: one flag a column");
}

}  // namespace

void declare_fit_flags(CLI::App& app, FitFlags& flags) {
  app.description(kFitDescription);
  app.footer(kFitFooter);
  app.add_option("FILE", flags.input,
                 "Rows in one of the formats of --format, plain or gzip; '-' or nothing: standard input")
      ->type_name("");
  app.add_option("--config", flags.config, "TOML file with any of these settings; flags win")->type_name("FILE.toml");

  const std::string data = "What the rows are";
  app.add_option("--format", flags.format, input::format_help())->type_name("WORD")->group(data);
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
  app.add_option("--block", flags.blocks,
                 "Many numeric columns of the same bounds, NAME1 to NAMEn, declared at once; --bound NAME=LO:HI is for "
                 "all of them. May be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME:COLUMNS")
      ->group(data);
  app.add_option("--dimension", flags.dimension,
                 "Short for --block x:D and, unless given, --target y: what a libsvm file with indices up to D needs")
      ->type_name("D")
      ->group(data);
  app.add_option("--levels", flags.levels,
                 "Declared levels of a categorical column; one flag for each; the first level is the reference")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("'NAME=A|B|C'")
      ->group(data);
  app.add_option("--classes", flags.classes,
                 "The target is one of two classes, numbers or words, the negative one first, instead of a number "
                 "with a --bound; a row with anything else is unusable. 'NEG|POS' for words with commas")
      ->type_name("NEG,POS")
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
                 "Shorten rows above this norm, each column scaled to [-1, 1]: less noise if most rows are shorter. "
                 "With a block it must be said, or follows from --only-if 'nonzeros<=K'")
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

  declare_mechanism_flag(app, flags.losses, mechanism);
  declare_loss_flags(app, flags.losses, "Losses other than least squares");

  const std::string dimensions = "Rows of many columns";
  declare_sketch_flags(app, flags.sketching, dimensions);
  declare_embedding_flags(app, flags.sketching, dimensions);

  const std::string durable = "A model that lives on";
  app.add_option("--model", flags.model,
                 "Keep the stream in this file: stopped or crashed, the same command goes on at the next row")
      ->type_name("FILE")
      ->group(durable);
  app.add_flag("--next-input", flags.next_input, "The input is a new one that follows those already counted")
      ->disable_flag_override()
      ->group(durable);
  app.add_option("--from-row", flags.from_row,
                 "The first N rows of the input were already counted, e.g. by a program: go on at the next one")
      ->type_name("N")
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
    throw RequestError("buffers", shown(text) + " is not accepted; accepted: a whole number from 1 to " +
                                      std::to_string(strategy::kMaxBuffers));
  }
  return buffers;
}

stream::FitConfig resolve(const FitFlags& flags) {
  using namespace stream;
  FitConfig typed;
  typed.input = flags.input;
  if (flags.format) typed.format = input::parse_row_format(*flags.format);
  typed.target = flags.target;
  if (!flags.features.empty()) {
    typed.features.emplace();
    for (const std::string& list : flags.features) {
      for (std::string& name : parse_names(list)) typed.features->push_back(std::move(name));
    }
  }
  for (const std::string& text : flags.blocks) add_block(typed, text);
  if (flags.dimension) typed.dimension = parse_positive_whole(*flags.dimension, "dimension");
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
  if (flags.classes) typed.classes = parse_classes(*flags.classes);
  read_loss_flags(flags.losses, typed);
  read_sketch_flags(flags.sketching, typed);
  return with_dimension(flags.config ? merge(read_config(*flags.config), typed) : typed);
}

std::optional<std::uint64_t> resolve_insecure_seed(const FitFlags& flags) {
  if (!flags.insecure_seed) return std::nullopt;
  return stream::parse_whole(*flags.insecure_seed, "insecure-seed");
}

}  // namespace rivulet::cli
