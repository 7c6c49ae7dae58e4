#include "kernel/row_lattice.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

// Rows are shortened by this much before truncation so that rounding in the bounding arithmetic (below 1e-11 for any
// supported dimension) cannot push a legitimate row over the integer limit. Privacy does not depend on it.
constexpr double kShrink = 1.0 - 0x1p-33;
// A row whose box units sum to the limit exactly is inside, however their computation rounded.
constexpr double kRoundingRoom = 1.0 + 1e-12;
// Lengths within this factor of the row's own are what a random projection gives; see RowFate::distorted.
constexpr double kDistortion = 2.0;

// A row on its way to the sketch, one coordinate after another.
class ImageSum {
 public:
  ImageSum(const LinearMap& sketch, std::vector<double>& image) : sketch_(sketch), image_(image) {
    image_.assign(sketch.rows(), 0.0);
  }
  void add(std::size_t coordinate, double box) {
    if (box == 0.0) return;
    norm_squared_ += box * box;
    sketch_.add_column(coordinate, box, image_);
  }
  [[nodiscard]] double norm_squared() const { return norm_squared_; }

 private:
  const LinearMap& sketch_;
  std::vector<double>& image_;
  double norm_squared_ = 0.0;
};

}  // namespace

// Either all values, or those at `positions`, the others being 0.
struct RowLattice::Look {
  std::span<const double> values;
  bool all;
  std::span<const std::uint32_t> positions;  // of the values, unless all are there
  const double* box;  // of the supplied values that are not 0 in box units, the intercept not among them
  std::size_t box_size;

  [[nodiscard]] double value(std::size_t position) const {
    if (all) return values[position];
    const auto found = std::lower_bound(positions.begin(), positions.end(), position);
    if (found == positions.end() || *found != position) return 0.0;
    return values[static_cast<std::size_t>(found - positions.begin())];
  }
};

RowLattice::RowLattice(const Schema& schema, const privacy::LatticeLimits& limits, Domain domain,
                       std::shared_ptr<const LinearMap> sketch)
    : limits_(limits),
      dimension_(schema.dimension()),
      intercept_(schema.has_intercept()),
      domain_(std::move(domain)),
      sketch_(std::move(sketch)) {
  schema.validate();
  norm_limit_ = schema.norm_limit();
  may_need_clipping_ = schema.clip_norm().has_value();
  const double lattice_radius = std::ldexp(1.0, static_cast<int>(limits.bits));
  covariate_factor_ = kShrink * lattice_radius / norm_limit_;
  const std::size_t width = schema.row_width();
  for (auto* part : {&lo_, &hi_, &centre_, &inverse_half_range_}) part->reserve(width);
  for (const Schema::Scale& scale : schema.value_scales()) {
    lo_.push_back(scale.lo);
    hi_.push_back(scale.hi);
    centre_.push_back(scale.centre);
    inverse_half_range_.push_back(1.0 / scale.half_range);
  }
  for (std::size_t i = 0; i < width; ++i) {
    if (const double box = to_box(i, 0.0); box != 0.0) {
      absent_positions_.push_back(static_cast<std::uint32_t>(i));
      absent_box_.push_back(box);
    }
  }
  const Schema::Scale target = schema.target_scale();
  target_lo_ = target.lo;
  target_hi_ = target.hi;
  target_centre_ = target.centre;
  classes_ = schema.has_classes();
  target_factor_ = kShrink * static_cast<double>(limits.target_limit) / target.half_range;
  for (const Domain::Condition& condition : domain_.conditions()) {
    if (condition.kind == Domain::Condition::Kind::value && condition.value >= row_width()) {
      throw RequestError("only-if", "the conditions were made for another schema");
    }
  }
  if (sketch_ && sketch_->columns() != dimension_) {
    throw RequestError("sketch", "it is for rows of " + std::to_string(sketch_->columns()) +
                                     " coordinates; the schema has " + std::to_string(dimension_));
  }
}

bool RowLattice::within_limits(std::int64_t covariate_norm_squared, std::int64_t target) const {
  return covariate_norm_squared >= 0 && covariate_norm_squared <= limits_.covariate_norm_squared() &&
         target >= -limits_.target_limit && target <= limits_.target_limit;
}

double RowLattice::to_box(std::size_t value, double number) const {
  return (std::clamp(number, lo_[value], hi_[value]) - centre_[value]) * inverse_half_range_[value];
}

bool RowLattice::inside_domain(const Look& row, double target) const {
  const auto within = [](double value, const Domain::Condition& condition) {
    return condition.lo <= value && value <= condition.hi;
  };
  return std::all_of(domain_.conditions().begin(), domain_.conditions().end(), [&](const Domain::Condition& condition) {
    switch (condition.kind) {
      case Domain::Condition::Kind::nonzeros:
        return static_cast<double>(std::count_if(row.values.begin(), row.values.end(),
                                                 [](double v) { return v != 0.0; })) <= condition.hi;
      case Domain::Condition::Kind::l1_norm: {
        double sum = 0.0;
        for (std::size_t i = 0; i < row.box_size; ++i) sum += std::abs(row.box[i]);
        return sum <= condition.hi * kRoundingRoom;
      }
      case Domain::Condition::Kind::value:
        return within(row.value(condition.value), condition);
      case Domain::Condition::Kind::target:
        return within(target, condition);
    }
    return false;
  });
}

bool RowLattice::truncate(const double* covariates, double factor, double target, std::span<double> lattice) const {
  const std::size_t size = order() - 1;
  const std::int64_t norm_squared = hot_loops().truncate(covariates, size, factor, lattice.data());
  const double target_scaled = (std::clamp(target, target_lo_, target_hi_) - target_centre_) * target_factor_;
  const std::int64_t target_whole =
      std::abs(target_scaled) <= kLargestEntry ? static_cast<std::int64_t>(target_scaled) : kOutside;
  const bool known_class = !classes_ || target == target_lo_ || target == target_hi_;
  if (known_class && within_limits(norm_squared, target_whole)) {
    lattice[size] = static_cast<double>(target_whole);
    return true;
  }
  std::fill(lattice.begin(), lattice.end(), 0.0);
  return false;
}

RowFate RowLattice::quantise_box(const double* box, double target, std::span<double> lattice) const {
  double factor = covariate_factor_;
  if (may_need_clipping_) {
    const double norm = std::sqrt(hot_loops().sum_of_squares(box, dimension_));
    if (norm > norm_limit_) factor *= norm_limit_ / norm;
  }
  return truncate(box, factor, target, lattice) ? RowFate::used : RowFate::unusable;
}

RowFate RowLattice::quantise_image(double norm_squared, double target, std::span<double> lattice,
                                   RowScratch& scratch) const {
  // A row without length stays one; its target counts.
  const double norm = std::sqrt(norm_squared);
  if (norm == 0.0) {
    std::fill(scratch.image.begin(), scratch.image.end(), 0.0);
    return truncate(scratch.image.data(), 1.0, target, lattice) ? RowFate::used : RowFate::unusable;
  }
  const double image_norm = std::sqrt(hot_loops().sum_of_squares(scratch.image.data(), scratch.image.size()));
  // Nothing is left of a row in Phi's null space that could be given its length: the factor is infinite or no number,
  // and truncate() refuses it.
  const double factor = covariate_factor_ * std::min(norm, norm_limit_) / image_norm;
  if (!truncate(scratch.image.data(), factor, target, lattice)) return RowFate::unusable;
  return image_norm > kDistortion * norm || norm > kDistortion * image_norm ? RowFate::distorted : RowFate::used;
}

RowFate RowLattice::quantise(std::span<const double> values, double target, std::span<double> lattice,
                             RowScratch& scratch) const {
  scratch.box.resize(dimension_);
  double* box = scratch.box.data();
  std::size_t first = 0;
  if (intercept_) {
    box[0] = 1.0;
    first = 1;
  }
  const ValueScales scales{lo_.data(), hi_.data(), centre_.data(), inverse_half_range_.data()};
  const bool finite = hot_loops().to_box(values.data(), values.size(), scales, box + first) && std::isfinite(target);
  const Look look{values, true, {}, box + first, values.size()};
  if (!finite || !(domain_.is_everything() || inside_domain(look, target))) {
    std::fill(lattice.begin(), lattice.end(), 0.0);
    return RowFate::unusable;
  }
  if (!sketch_) return quantise_box(box, target, lattice);
  ImageSum sum(*sketch_, scratch.image);
  for (std::size_t i = 0; i < dimension_; ++i) sum.add(i, box[i]);
  return quantise_image(sum.norm_squared(), target, lattice, scratch);
}

bool RowLattice::read_sparse(const SparseRow& row, RowScratch& scratch) const {
  if (row.positions.size() != row.values.size()) return false;
  scratch.coordinates.clear();
  scratch.box.clear();
  const auto put = [&](std::uint32_t position, double box) {
    scratch.coordinates.push_back(position + (intercept_ ? 1 : 0));
    scratch.box.push_back(box);
  };
  std::size_t absent = 0;
  for (std::size_t i = 0; i < row.positions.size(); ++i) {
    const std::uint32_t position = row.positions[i];
    if (position >= row_width() || (i > 0 && position <= row.positions[i - 1])) return false;
    if (!std::isfinite(row.values[i])) return false;
    for (; absent < absent_positions_.size() && absent_positions_[absent] <= position; ++absent) {
      if (absent_positions_[absent] < position) put(absent_positions_[absent], absent_box_[absent]);
    }
    put(position, to_box(position, row.values[i]));
  }
  for (; absent < absent_positions_.size(); ++absent) put(absent_positions_[absent], absent_box_[absent]);
  return true;
}

RowFate RowLattice::quantise(const SparseRow& row, double target, std::span<double> lattice,
                             RowScratch& scratch) const {
  const bool sound = read_sparse(row, scratch) && std::isfinite(target);
  if (sound && !sketch_) {
    scratch.values.assign(row_width(), 0.0);
    for (std::size_t i = 0; i < row.values.size(); ++i) scratch.values[row.positions[i]] = row.values[i];
    return quantise(scratch.values, target, lattice, scratch);
  }
  const Look look{row.values, false, row.positions, scratch.box.data(), scratch.box.size()};
  if (!sound || !(domain_.is_everything() || inside_domain(look, target))) {
    std::fill(lattice.begin(), lattice.end(), 0.0);
    return RowFate::unusable;
  }
  ImageSum sum(*sketch_, scratch.image);
  if (intercept_) sum.add(0, 1.0);
  for (std::size_t i = 0; i < scratch.coordinates.size(); ++i) sum.add(scratch.coordinates[i], scratch.box[i]);
  return quantise_image(sum.norm_squared(), target, lattice, scratch);
}

}  // namespace rivulet::kernel
