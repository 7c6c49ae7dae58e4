#include "infer/checks.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::infer {
namespace {

// Sums of rows in the unit ball are at most their number; the limit only keeps squares and products finite.
bool is_sum(double value) {
  return std::abs(value) < 1e100;
}
bool is_stddev(double value) {
  return value >= 0.0 && value < 1e100;
}

}  // namespace

void check_level(double level) {
  if (!(level > 0.0 && level < 1.0)) {
    throw RequestError("level",
                       shown(level) + " is not a confidence level; accepted: a number between 0 and 1, as 0.95");
  }
}

void check_statistics(const Schema& schema, const Statistics& statistics) {
  schema.validate();
  const std::size_t dimension = schema.dimension();
  if (statistics.dimension != dimension || statistics.gram.size() != dimension * dimension ||
      statistics.cross.size() != dimension) {
    throw RequestError("statistics", "they have " + std::to_string(statistics.dimension) +
                                         " coordinates; accepted: the schema's " + std::to_string(dimension));
  }
  if (!statistics.has_target_square) {
    throw RequestError("statistics",
                       "they lack the sum of squared targets, which tells the residual scale and which profile `paper` "
                       "does not release; accepted: statistics of profile `tight`");
  }
  const NoiseLevel& noise = statistics.noise;
  if (!std::all_of(statistics.gram.begin(), statistics.gram.end(), is_sum) ||
      !std::all_of(statistics.cross.begin(), statistics.cross.end(), is_sum) || !is_sum(statistics.target_square) ||
      !is_stddev(noise.gram_diagonal) || !is_stddev(noise.gram_offdiagonal) || !is_stddev(noise.cross) ||
      !is_stddev(statistics.target_square_stddev)) {
    throw RequestError("statistics",
                       "an entry is not a sum over rows of the unit ball or not the size of a noise; accepted: numbers "
                       "below 1e100, for noise not negative");
  }
}

}  // namespace rivulet::infer
