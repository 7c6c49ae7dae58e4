#include "kernel/row_lattice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

// Rows are shortened by this much before truncation so that rounding in the bounding arithmetic (below 1e-11 for any
// supported dimension) cannot push a legitimate row over the integer limit. Privacy does not depend on it.
constexpr double kShrink = 1.0 - 0x1p-33;
// A row whose box units sum to the limit exactly is inside, however their computation rounded.
constexpr double kRoundingRoom = 1.0 + 1e-12;

}  // namespace

RowLattice::RowLattice(const Schema& schema, const privacy::LatticeLimits& limits, Domain domain)
    : limits_(limits), dimension_(schema.dimension()), intercept_(schema.has_intercept()), domain_(std::move(domain)) {
  schema.validate();
  norm_limit_ = schema.norm_limit();
  may_need_clipping_ = schema.clip_norm().has_value();
  const double lattice_radius = std::ldexp(1.0, static_cast<int>(limits.bits));
  covariate_factor_ = kShrink * lattice_radius / norm_limit_;
  for (const Schema::Scale& scale : schema.value_scales()) {
    lo_.push_back(scale.lo);
    hi_.push_back(scale.hi);
    centre_.push_back(scale.centre);
    inverse_half_range_.push_back(1.0 / scale.half_range);
  }
  const Schema::Scale target = schema.target_scale();
  target_lo_ = target.lo;
  target_hi_ = target.hi;
  target_centre_ = target.centre;
  target_factor_ = kShrink * static_cast<double>(limits.target_limit) / target.half_range;
  for (const Domain::Condition& condition : domain_.conditions()) {
    if (condition.kind == Domain::Condition::Kind::value && condition.value >= row_width()) {
      throw RequestError("only-if", "the conditions were made for another schema");
    }
  }
}

bool RowLattice::within_limits(std::int64_t covariate_norm_squared, std::int64_t target) const {
  return covariate_norm_squared >= 0 && covariate_norm_squared <= limits_.covariate_norm_squared() &&
         target >= -limits_.target_limit && target <= limits_.target_limit;
}

bool RowLattice::inside_domain(std::span<const double> values, double target, const double* box) const {
  const auto within = [](double value, const Domain::Condition& condition) {
    return condition.lo <= value && value <= condition.hi;
  };
  return std::all_of(domain_.conditions().begin(), domain_.conditions().end(), [&](const Domain::Condition& condition) {
    switch (condition.kind) {
      case Domain::Condition::Kind::nonzeros:
        return static_cast<double>(std::count_if(values.begin(), values.end(), [](double v) { return v != 0.0; })) <=
               condition.hi;
      case Domain::Condition::Kind::l1_norm: {
        double sum = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) sum += std::abs(box[i]);
        return sum <= condition.hi * kRoundingRoom;
      }
      case Domain::Condition::Kind::value:
        return within(values[condition.value], condition);
      case Domain::Condition::Kind::target:
        return within(target, condition);
    }
    return false;
  });
}

bool RowLattice::quantise(std::span<const double> values, double target, std::span<double> lattice,
                          std::vector<double>& scratch) const {
  const HotLoops& loops = hot_loops();
  scratch.resize(dimension_);
  double* box = scratch.data();
  std::size_t first = 0;
  if (intercept_) {
    box[0] = 1.0;
    first = 1;
  }
  const ValueScales scales{lo_.data(), hi_.data(), centre_.data(), inverse_half_range_.data()};
  const bool finite = loops.to_box(values.data(), values.size(), scales, box + first) && std::isfinite(target);
  if (finite && (domain_.is_everything() || inside_domain(values, target, box + first))) {
    double factor = covariate_factor_;
    if (may_need_clipping_) {
      const double norm = std::sqrt(loops.sum_of_squares(box, dimension_));
      if (norm > norm_limit_) factor *= norm_limit_ / norm;
    }
    const std::int64_t norm_squared = loops.truncate(box, dimension_, factor, lattice.data());
    const double target_scaled = (std::clamp(target, target_lo_, target_hi_) - target_centre_) * target_factor_;
    const std::int64_t target_whole =
        std::abs(target_scaled) <= kLargestEntry ? static_cast<std::int64_t>(target_scaled) : kOutside;
    if (within_limits(norm_squared, target_whole)) {
      lattice[dimension_] = static_cast<double>(target_whole);
      return true;
    }
  }
  std::fill(lattice.begin(), lattice.end(), 0.0);
  return false;
}

}  // namespace rivulet::kernel
