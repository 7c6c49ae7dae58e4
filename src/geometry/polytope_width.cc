#include "geometry/polytope_width.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "geometry/gaussian_width.h"

namespace rivulet::geometry {
namespace {

constexpr std::size_t kCopies = 16;
constexpr double kEnough = 1e-3;
constexpr double kMostWork = 2e9;

// Uniform on (0, 1), the same everywhere (SplitMix64).
double scattered(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) * 0x1.0p-52;
}

// Fractional parts of square roots of primes: Richtmyer's sequence is their multiples.
std::vector<double> generators(std::size_t size) {
  std::vector<double> result;
  std::vector<std::uint32_t> primes;
  for (std::uint32_t candidate = 2; result.size() < size; ++candidate) {
    bool prime = true;
    for (const std::uint32_t divisor : primes) {
      if (divisor * divisor > candidate) break;
      if (candidate % divisor == 0) {
        prime = false;
        break;
      }
    }
    if (!prime) continue;
    primes.push_back(candidate);
    const double root = std::sqrt(static_cast<double>(candidate));
    result.push_back(root - std::floor(root));
  }
  return result;
}

class Estimate {
 public:
  explicit Estimate(const Hull& hull)
      : hull_(hull), pairs_((hull.dimension + 1) / 2), generators_(generators(2 * pairs_)), g_(2 * pairs_) {}

  // Points first .. last - 1 of every copy.
  void draw(std::uint64_t first, std::uint64_t last) {
    for (std::size_t copy = 0; copy < kCopies; ++copy) {
      for (std::uint64_t index = first; index < last; ++index) sums_[copy] += largest_product(copy, index);
    }
    drawn_ = static_cast<double>(last);
  }

  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double part : sums_) sum += part;
    return sum / (kCopies * drawn_);
  }
  [[nodiscard]] double standard_error() const {
    double squares = 0.0;
    for (const double part : sums_) squares += std::pow(part / drawn_ - mean(), 2.0);
    return std::sqrt(squares / (kCopies * (kCopies - 1.0)));
  }

 private:
  // max_j <v_j, g> for g on the sphere of radius E||g||: the norm is independent of the direction, and its mean known.
  double largest_product(std::size_t copy, std::uint64_t index) {
    const auto coordinate = [&](std::size_t k) {
      const double place = scattered(copy * 2 * pairs_ + k) + static_cast<double>(index) * generators_[k];
      return place - std::floor(place);
    };
    double squares = 0.0;
    for (std::size_t k = 0; k < pairs_; ++k) {  // Box and Muller
      const double radius = std::sqrt(-2.0 * std::log(std::max(coordinate(2 * k), 1e-300)));
      const double angle = 2.0 * std::numbers::pi * coordinate(2 * k + 1);
      g_[2 * k] = radius * std::cos(angle);
      g_[2 * k + 1] = radius * std::sin(angle);
    }
    for (std::size_t i = 0; i < hull_.dimension; ++i) squares += g_[i] * g_[i];
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < hull_.count(); ++j) {
      const auto vertex = hull_.vertex(j);
      double product = 0.0;
      for (std::size_t i = 0; i < vertex.size(); ++i) product += vertex[i] * g_[i];
      largest = std::max(largest, product);
    }
    return largest * (l2_ball_width(hull_.dimension) / std::sqrt(squares));
  }

  const Hull& hull_;
  std::size_t pairs_;
  std::vector<double> generators_;
  std::vector<double> g_;
  std::array<double, kCopies> sums_{};
  double drawn_ = 0.0;
};

}  // namespace

double hull_width(const Hull& hull) {
  if (hull.count() == 2) {
    double squares = 0.0;
    for (std::size_t i = 0; i < hull.dimension; ++i) squares += std::pow(hull.vertex(0)[i] - hull.vertex(1)[i], 2.0);
    return std::sqrt(squares / (2.0 * std::numbers::pi));
  }
  if (hull.dimension == 1) {
    const auto [low, high] = std::minmax_element(hull.entries.begin(), hull.entries.end());
    return (*high - *low) / std::sqrt(2.0 * std::numbers::pi);
  }
  double longest = 0.0;
  for (std::size_t j = 0; j < hull.count(); ++j) {
    double squares = 0.0;
    for (const double entry : hull.vertex(j)) squares += entry * entry;
    longest = std::max(longest, std::sqrt(squares));
  }
  const double bound = longest * std::sqrt(2.0 * std::log(static_cast<double>(hull.count())));

  Estimate estimate(hull);
  const double work_of_a_draw = static_cast<double>(kCopies * hull.entries.size());
  std::uint64_t drawn = 0;
  for (std::uint64_t next = 64; drawn == 0 || static_cast<double>(next) * work_of_a_draw <= kMostWork; next *= 2) {
    estimate.draw(drawn, next);
    drawn = next;
    if (estimate.standard_error() <= kEnough * estimate.mean()) break;
  }
  return std::min(estimate.mean(), bound);
}

}  // namespace rivulet::geometry
