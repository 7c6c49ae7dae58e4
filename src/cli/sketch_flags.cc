#include "cli/sketch_flags.h"

#include <algorithm>
#include <limits>

#include "privacy/mechanism_plan.h"
#include "rivulet/error.h"
#include "stream/setting_text.h"

namespace rivulet::cli {
namespace {

// A setting of a sketch where there is none is a slip.
void refuse_without_sketch(bool given, const char* field) {
  if (given) {
    throw RequestError(field,
                       "is of a sketch, and none is asked for; accepted: together with --sketch M, --sketch auto or "
                       "--mechanism sketch");
  }
}

}  // namespace

void declare_sketch_flags(CLI::App& app, SketchFlags& flags, const std::string& group) {
  app.add_option("--sketch", flags.sketch,
                 "Dimensions of the sketch; implies --mechanism sketch. 'auto' (default): those of least predicted "
                 "error, see rivulet plan; 'paper': the paper's rule")
      ->type_name("M|auto|paper")
      ->group(group);
  app.add_option("--row-set", flags.row_set,
                 "What rows are like, for choosing the sketch; rows outside are used all the same: dense, sparse:K "
                 "(at most K values are not 0) or l1:R (absolute values in box units sum to R or less)")
      ->type_name("KIND")
      ->group(group);
}

void declare_embedding_flags(CLI::App& app, SketchFlags& flags, const std::string& group) {
  app.add_option("--embedding", flags.embedding,
                 "The sketch's matrix: 'sparse-sign' (default; fast) or 'gaussian' (the paper's)")
      ->type_name("WORD")
      ->group(group);
  app.add_option("--column-weight", flags.column_weight,
                 "Entries in a column of the sparse-sign matrix, 1 to 64; 32 unless given")
      ->type_name("S")
      ->group(group);
  app.add_option("--sketch-seed", flags.seed,
                 "Seed of the sketch's matrix, a whole number; drawn unless given. Public: privacy does not rest on "
                 "it, but do not choose it after looking at rows")
      ->type_name("N")
      ->group(group);
}

void read_sketch_flags(const SketchFlags& flags, stream::FitConfig& config) {
  if (flags.sketch) config.sketch = stream::parse_sketch_size(*flags.sketch);
  config.embedding = flags.embedding;
  if (flags.column_weight) config.column_weight = stream::parse_positive_whole(*flags.column_weight, "column-weight");
  if (flags.seed) config.sketch_seed = stream::parse_whole(*flags.seed, "sketch-seed");
  config.row_set = flags.row_set;
}

std::optional<Sketch> sketch_from(const stream::FitConfig& config) {
  if (config.mechanism != stream::Mechanism::sketch && !config.sketch) {
    refuse_without_sketch(config.embedding.has_value(), "embedding");
    refuse_without_sketch(config.column_weight.has_value(), "column-weight");
    refuse_without_sketch(config.sketch_seed.has_value(), "sketch-seed");
    return std::nullopt;
  }
  Sketch sketch;
  if (config.sketch) {
    if (config.sketch->dimension) sketch.dimension = *config.sketch->dimension;
    sketch.rule = config.sketch->rule;
  }
  if (config.embedding) sketch.embedding = parse_embedding(*config.embedding);
  if (config.column_weight) {
    constexpr std::uint64_t kMost = std::numeric_limits<unsigned>::max();
    sketch.column_weight = static_cast<unsigned>(std::min(*config.column_weight, kMost));
  }
  sketch.seed = config.sketch_seed;
  return sketch;
}

void require_room(const StreamOptions& options, const char* field) {
  const std::size_t dimension = options.schema.dimension();
  if (options.sketch || options.erm || dimension <= privacy::kMostDimensions) return;
  throw RequestError(
      field, std::to_string(dimension) + " dimensions are too many for sums over all pairs of them; accepted: 1 to " +
                 std::to_string(privacy::kMostDimensions) + ", or more with a sketch, e.g. --sketch auto");
}

void write_sketch(const std::optional<Sketch>& sketch, stream::FitConfig& config) {
  config.mechanism = sketch ? stream::Mechanism::sketch : stream::Mechanism::full;
  if (!sketch) return;
  config.sketch = stream::SketchSize{sketch->dimension, sketch->rule};
  if (sketch->embedding) config.embedding = std::string(to_string(*sketch->embedding));
  config.column_weight = sketch->column_weight;
  config.sketch_seed = sketch->seed;
}

}  // namespace rivulet::cli
