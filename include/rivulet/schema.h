// The declared shape of a row: which columns, within which bounds. Bounds are a promise of the analyst, made before any
// row is seen; nothing in Rivulet learns a bound from data.
//
// A row is laid out as *coordinates*, in this order: an optional intercept, then for every feature in declaration order
// one coordinate (numeric), one indicator per level (categorical; with an intercept the first declared level is the
// reference and has no coordinate) or as many coordinates as the block has (block: numeric columns of the same bounds,
// perhaps a million of them). In *box units* every numeric coordinate and the target lie in [-1, 1]:
//   with an intercept:               z = (x - midpoint) / half-range
//   without an intercept, and in a block always:  z = x / max(|lo|, |hi|)            (so that 0 stays 0)
// Indicators are 0 or 1 and the intercept coordinate is 1. The norm limit of a row is the largest Euclidean norm the
// box allows (each numeric feature, each categorical feature, each column of a block and the intercept contribute 1 to
// its square), or the clip norm if that is smaller; longer rows are shortened to it. Dividing by the norm limit gives
// the paper's unit-ball row x.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rivulet {

// Declared bounds of a numeric column, in the user's units. Values outside are clamped to them.
struct Interval {
  double lo = -1.0;
  double hi = 1.0;
};

// Declared levels of a categorical column. A value outside makes the row unusable (it becomes the zero row).
struct Levels {
  std::vector<std::string> names;
};

// Columns name1, name2, ... of the same bounds, for rows of many numbers most of which are 0.
struct Block {
  std::size_t columns = 0;
  Interval bounds;
};

struct Feature {
  std::string name;
  std::variant<Interval, Levels, Block> domain;
};

class Schema {
 public:
  // Builder calls return *this. Every one throws RequestError on a bad declaration: lo >= hi, a bound that is not
  // finite, fewer than two levels or a level twice, an empty name, a name declared twice.
  Schema& feature(std::string name, Interval bounds);
  Schema& categorical(std::string name, std::vector<std::string> levels);
  // The columns name1 to nameN, N = columns, at least 1 and at most 2^31; the bounds must hold 0.
  Schema& block(std::string name, std::size_t columns, Interval bounds);
  Schema& target(std::string name, Interval bounds);
  // A target of two classes, for classification: the numbers that stand for them. In box units they are -1 and 1, with
  // an intercept and without; a row with another target is unusable.
  Schema& classes(std::string name, double negative, double positive);
  // The same for classes that are words: they stand as 0 and 1. Throws RequestError when they are empty or the same.
  Schema& classes(std::string name, std::string negative, std::string positive);
  Schema& intercept(bool present);
  // In box units; must be positive and finite. A clip norm above the box's own norm changes nothing.
  Schema& clip_norm(double limit);

  // The paper's setting: d features named x1..xd in [-1, 1], rows clipped to the unit ball, target y in [-1, 1],
  // no intercept. Box units and unit-ball units coincide.
  static Schema unit_ball(std::size_t features);

  // Throws RequestError when there is no feature and no intercept, or no target.
  void validate() const;

  [[nodiscard]] const std::vector<Feature>& features() const { return features_; }
  [[nodiscard]] const std::string& target_name() const { return target_name_; }
  [[nodiscard]] Interval target_bounds() const { return target_bounds_; }
  // The bounds are then the two classes, and nothing between them.
  [[nodiscard]] bool has_classes() const { return classes_; }
  // The words, negative class first, of classes that were declared by them.
  [[nodiscard]] const std::optional<std::array<std::string, 2>>& class_words() const { return class_words_; }
  [[nodiscard]] bool has_intercept() const { return intercept_; }
  [[nodiscard]] std::optional<double> clip_norm() const { return clip_norm_; }

  // Number of coordinates of x, intercept included: the paper's d.
  [[nodiscard]] std::size_t dimension() const;
  // Number of values the caller supplies for one row: dimension() less the intercept.
  [[nodiscard]] std::size_t row_width() const { return dimension() - (intercept_ ? 1 : 0); }
  // "(intercept)", "age", "carrier=AA", "word17", ... one per coordinate.
  [[nodiscard]] std::vector<std::string> coordinate_names() const;
  // The name of one supplied value, without making all of them.
  [[nodiscard]] std::string value_name(std::size_t value) const;
  // Which of the supplied values a numeric column is; nothing when it is none.
  [[nodiscard]] std::optional<std::size_t> value_of(std::string_view column) const;
  [[nodiscard]] bool has_blocks() const;
  // Box norm, or the clip norm if smaller.
  [[nodiscard]] double norm_limit() const;

  // The affine map of one coordinate to box units: z = (x - centre) / half_range.
  struct Scale {
    double centre = 0.0;
    double half_range = 1.0;
    double lo = -1.0;  // clamp range in the user's units
    double hi = 1.0;
  };
  // One per supplied value (row_width() of them); indicators have centre 0, half range 1, clamp [0, 1].
  [[nodiscard]] std::vector<Scale> value_scales() const;
  [[nodiscard]] Scale value_scale(std::size_t value) const;
  [[nodiscard]] Scale target_scale() const;

  // The schema of some of the features, in this schema's order; a categorical feature comes with all its levels. Same
  // intercept, same target, and the same norm_limit(): a row keeps its scale, so statistics of this schema hold those
  // of the subset as they are. Throws RequestError naming `field` on a name that is no feature, a name given twice, or
  // no name where there is no intercept either.
  [[nodiscard]] Schema subset(std::span<const std::string> names, std::string_view field = "features") const;
  // Positions among this schema's coordinates of the coordinates of subset(names). Throws as subset() does.
  [[nodiscard]] std::vector<std::size_t> subset_coordinates(std::span<const std::string> names,
                                                            std::string_view field = "features") const;

 private:
  void check_new_name(std::string_view name) const;
  // The feature a supplied value belongs to; `value` becomes its place within it. Throws RequestError when there is
  // none.
  const Feature& feature_of(std::size_t& value) const;
  // One flag per feature.
  [[nodiscard]] std::vector<bool> chosen(std::span<const std::string> names, std::string_view field) const;

  std::vector<Feature> features_;
  std::string target_name_;
  Interval target_bounds_;
  bool has_target_ = false;
  bool classes_ = false;
  bool classes_reversed_ = false;  // the positive class is the smaller number
  std::optional<std::array<std::string, 2>> class_words_;
  bool intercept_ = true;
  std::optional<double> clip_norm_;
  std::size_t left_out_ = 0;  // share of the box's squared norm of the features subset() dropped: it stays
};

}  // namespace rivulet
