// {v : sum over groups of ||v_group||_2 <= R}: the paper's block norm ||.||_{k, L_{1,2}}, also with unequal blocks.
// Whole groups of coefficients vanish together, e.g. all levels of one categorical feature.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/number_text.h"
#include "geometry/ball.h"
#include "geometry/faces.h"
#include "geometry/gaussian_width.h"
#include "geometry/threshold.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

std::size_t dimension_of(std::span<const std::size_t> sizes) {
  if (std::find(sizes.begin(), sizes.end(), std::size_t{0}) != sizes.end()) {
    throw RequestError("sizes", "a group of 0 coordinates given; accepted: 1 or more in each");
  }
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

class GroupBall final : public ConstraintSet, public geometry::Faces {
 public:
  GroupBall(std::span<const std::size_t> sizes, double radius)
      : sizes_(sizes.begin(), sizes.end()), dimension_(dimension_of(sizes)), radius_(radius) {
    geometry::require_ball(dimension_, radius);
  }
  GroupBall(const GroupBall& other, double radius) : GroupBall(other.sizes_, radius) {
    unit_width_ = other.unit_width_;
  }

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::string name() const override {
    std::string text = "group:" + std::to_string(sizes_.front());
    const bool blocks =
        std::all_of(sizes_.begin(), sizes_.end() - 1, [&](auto size) { return size == sizes_.front(); });
    if (!blocks || sizes_.back() > sizes_.front()) {
      for (std::size_t k = 1; k < sizes_.size(); ++k) text += "," + std::to_string(sizes_[k]);
    }
    return text + ":" + shown(radius_);
  }

  // The norms of the groups go to their projection onto the L1 ball, and each group keeps its direction. The result is
  // the exact projection, up to a few units of rounding of R, of a point whose groups differ from the given ones by a
  // factor of 1 + d/4 units of rounding: only norms that are equal to that accuracy and dwarf R may be told apart
  // wrongly.
  void project(std::span<double> point) const override {
    if (contains(point, 0.0)) return;
    geometry::require_finite(point);
    const int exponent = to_comfortable_range(point);
    std::vector<double> norms = norms_of(point);
    const double largest = *std::max_element(norms.begin(), norms.end());
    std::vector<double> offsets(norms.size());
    for (std::size_t k = 0; k < norms.size(); ++k) offsets[k] = std::scalbn(norms[k] - largest, exponent);
    const double threshold = geometry::soft_threshold(
        offsets.size(), [&](std::size_t k) { return offsets[k]; }, radius_);
    std::size_t i = 0;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const double kept = norms[k] > 0.0 ? std::max(offsets[k] - threshold, 0.0) : 0.0;
      for (const std::size_t end = i + sizes_[k]; i < end; ++i) {
        point[i] = kept > 0.0 ? point[i] / norms[k] * kept : std::copysign(0.0, point[i]);
      }
    }
    geometry::shrink_inside(*this, point);
  }

  // The whole radius in the group where the direction is largest (the first of equals), against it. The origin for a
  // zero direction.
  void minimise_linear(std::span<const double> direction, std::span<double> minimiser) const override {
    std::copy(direction.begin(), direction.end(), minimiser.begin());
    to_comfortable_range(minimiser);
    const std::vector<double> norms = norms_of(minimiser);
    const auto best = static_cast<std::size_t>(std::max_element(norms.begin(), norms.end()) - norms.begin());
    std::size_t i = 0;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      for (const std::size_t end = i + sizes_[k]; i < end; ++i) {
        minimiser[i] = k == best && norms[k] > 0.0 ? -(minimiser[i] / norms[k]) * radius_ : 0.0;
      }
    }
    geometry::shrink_inside(*this, minimiser);
  }

  [[nodiscard]] double gauge(std::span<const double> point) const override {
    double sum = 0.0;
    std::size_t begin = 0;
    for (const std::size_t size : sizes_) {
      sum += geometry::norm_in_units(point.subspan(begin, size), radius_);
      begin += size;
    }
    return sum;
  }
  [[nodiscard]] bool contains(std::span<const double> point, double tolerance) const override {
    return gauge(point) <= 1.0 + tolerance;
  }
  [[nodiscard]] double diameter() const override { return radius_; }
  [[nodiscard]] double gaussian_width() const override {
    return radius_ * unit_width_.get([this] { return geometry::group_ball_width(sizes_); });
  }
  [[nodiscard]] std::unique_ptr<ConstraintSet> scaled(double factor) const override {
    return std::make_unique<GroupBall>(*this, geometry::scaled_radius(radius_, factor));
  }
  [[nodiscard]] bool prefers_width() const override {
    return geometry::far_below_l2_ball(gaussian_width(), dimension_, radius_);
  }
  [[nodiscard]] std::optional<double> euclidean_radius() const override {
    return sizes_.size() == 1 ? std::optional(radius_) : std::nullopt;
  }

  [[nodiscard]] std::unique_ptr<ConstraintSet> restricted(std::span<const std::size_t> coordinates) const override {
    std::vector<std::size_t> sizes;
    std::size_t end = 0;
    auto next = coordinates.begin();
    for (const std::size_t size : sizes_) {
      end += size;
      const auto first = next;
      while (next != coordinates.end() && *next < end) ++next;
      if (next != first) sizes.push_back(static_cast<std::size_t>(next - first));
    }
    return std::make_unique<GroupBall>(sizes, radius_);
  }
  [[nodiscard]] std::vector<std::size_t> most_promising(std::span<const double> direction,
                                                        std::size_t count) const override {
    const std::size_t wanted = 1 + (count - std::min<std::size_t>(count, 1)) * sizes_.size() / dimension_;
    const std::vector<std::size_t> groups = geometry::largest_scores(norms_of(direction), wanted);
    std::vector<std::size_t> coordinates;
    std::size_t begin = 0;
    auto next = groups.begin();
    for (std::size_t k = 0; k < sizes_.size() && next != groups.end(); ++k) {
      if (*next == k) {
        for (std::size_t i = begin; i < begin + sizes_[k]; ++i) coordinates.push_back(i);
        ++next;
      }
      begin += sizes_[k];
    }
    return coordinates;
  }
  // A group of norm n that survives the threshold s is x (1 - s/n): along itself it moves with the others, whose norms
  // keep their sum, across itself it turns.
  [[nodiscard]] geometry::ProjectionDerivative projection_derivative(
      std::span<const double> point, std::span<const double> projection) const override {
    if (contains(point, 0.0)) return geometry::ProjectionDerivative::identity(dimension_);
    geometry::ProjectionDerivative result;
    double count = 0.0;
    std::size_t begin = 0;
    for (const std::size_t size : sizes_) {
      const auto group = point.subspan(begin, size);
      const double norm = geometry::norm_in_units(group, 1.0);
      const double kept = norm > 0.0 ? geometry::norm_in_units(projection.subspan(begin, size), 1.0) / norm : 0.0;
      if (kept > 0.0) {
        for (std::size_t i = 0; i < size; ++i) {
          result.active.push_back(begin + i);
          result.weight.push_back(std::min(1.0, kept));
          result.axis.push_back(std::sqrt(std::max(0.0, 1.0 - kept)) * (group[i] / norm));
          result.normal.push_back(group[i] / norm);
        }
        result.block_sizes.push_back(size);
        count += 1.0;
      }
      begin += size;
    }
    for (double& entry : result.normal) entry /= std::sqrt(count);
    return result;
  }

 private:
  // Divides by a power of two, whose exponent it returns, where squares might leave the range.
  static int to_comfortable_range(std::span<double> point) {
    const double largest = geometry::largest_magnitude(point);
    if (!(largest > 0.0) || (largest > 1e-100 && largest < 1e100)) return 0;
    const int exponent = std::ilogb(largest);
    for (double& entry : point) entry = std::scalbn(entry, -exponent);
    return exponent;
  }

  [[nodiscard]] std::vector<double> norms_of(std::span<const double> point) const {
    std::vector<double> norms;
    norms.reserve(sizes_.size());
    std::size_t begin = 0;
    for (const std::size_t size : sizes_) {
      double squares = 0.0;
      for (const double entry : point.subspan(begin, size)) squares += entry * entry;
      norms.push_back(std::sqrt(squares));
      begin += size;
    }
    return norms;
  }

  std::vector<std::size_t> sizes_;
  std::size_t dimension_;
  double radius_;
  geometry::CachedWidth unit_width_;
};

}  // namespace

std::unique_ptr<ConstraintSet> make_group_ball(std::span<const std::size_t> sizes, double radius) {
  return std::make_unique<GroupBall>(sizes, radius);
}

}  // namespace rivulet
