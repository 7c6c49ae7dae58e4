// What is promised: the budget, and for which pairs of streams.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rivulet {

// The (epsilon, delta) of the whole endless sequence of publications, not of one release. Both have to be chosen: there
// is no default.
struct Budget {
  double epsilon = std::numeric_limits<double>::quiet_NaN();
  double delta = std::numeric_limits<double>::quiet_NaN();

  // Throws RequestError unless epsilon is positive and finite and 0 < delta < 1.
  void validate() const;
};

// Which streams the promise makes indistinguishable.
enum class Neighbours {
  replace,   // one row exchanged for any other row (the paper's definition)
  zero_out,  // one row exchanged for the zero row, or back (add/remove with public row counts)
};

// Whom the promise protects when that is more than one row: all rows of one unit together, of which the first
// `max_rows` count and later ones are zero rows.
struct PrivacyUnit {
  std::string name;            // what a unit is, e.g. the name of the column that identifies it
  std::uint64_t max_rows = 1;  // at least 1
};

// Which constants calibrate the noise.
enum class Profile {
  tight,  // joint release, exact Gaussian calibration (default)
  paper,  // the literal constants of "Private Incremental Regression", verified before use
};

// How many steps the promise covers.
class Horizon {
 public:
  static Horizon unbounded() { return Horizon(std::nullopt); }
  // Throws RequestError when `steps` is 0.
  static Horizon known(std::uint64_t steps);

  [[nodiscard]] bool is_known() const { return steps_.has_value(); }
  // Only when is_known().
  [[nodiscard]] std::uint64_t steps() const { return *steps_; }

 private:
  explicit Horizon(std::optional<std::uint64_t> steps) : steps_(steps) {}
  std::optional<std::uint64_t> steps_;
};

// How the sequence of step sums is encoded before noise is added (the matrix C of the matrix mechanism).
enum class StrategyKind {
  blt,     // buffered linear Toeplitz: near-optimal, constant memory, any horizon (default)
  tree,    // TreeMech of the paper: needs a known horizon
  hybrid,  // Chan-Shi-Song's scheme for unknown horizons
};

// How a tree's noisy nodes are combined into a prefix sum. Post-processing: costs no privacy.
enum class TreeDecoding {
  optimal,  // minimum variance given all nodes so far (Honaker)
  paper,    // the nodes of t's binary expansion, as TreeMech is written
};

std::string_view to_string(Neighbours);
std::string_view to_string(Profile);
std::string_view to_string(StrategyKind);

// Each throws RequestError naming `field` and the accepted words.
Neighbours parse_neighbours(std::string_view word, std::string_view field = "neighbours");
Profile parse_profile(std::string_view word, std::string_view field = "profile");
StrategyKind parse_strategy(std::string_view word, std::string_view field = "strategy");
// "unbounded" or a positive whole number of steps.
Horizon parse_horizon(std::string_view word, std::string_view field = "horizon");

}  // namespace rivulet
