// Projection, linear minimisation, gauge and membership of the norm balls, against independent slow methods and against
// one another, over random points and the ends of the floating-point range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

using Point = std::vector<double>;
using Maker = std::unique_ptr<ConstraintSet> (*)(std::size_t, double);

double dot(const Point& a, const Point& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Point random_point(std::mt19937_64& generator, std::size_t dimension, double scale) {
  std::normal_distribution<double> normal;
  Point point(dimension);
  for (double& entry : point) entry = scale * normal(generator);
  return point;
}

// Bisection on the threshold in long double: shares nothing with the method under test.
Point slow_l1_projection(const Point& point, double radius) {
  long double sum = 0.0L;
  long double largest = 0.0L;
  for (const double entry : point) {
    sum += std::abs(static_cast<long double>(entry));
    largest = std::max(largest, std::abs(static_cast<long double>(entry)));
  }
  if (sum <= radius) return point;
  long double low = 0.0L;
  long double high = largest;
  for (int step = 0; step < 200; ++step) {
    const long double middle = (low + high) / 2;
    long double kept = 0.0L;
    for (const double entry : point) kept += std::max(std::abs(static_cast<long double>(entry)) - middle, 0.0L);
    (kept > radius ? low : high) = middle;
  }
  Point result;
  for (const double entry : point) {
    const auto magnitude = static_cast<double>(std::max(std::abs(static_cast<long double>(entry)) - high, 0.0L));
    result.push_back(std::copysign(magnitude, entry));
  }
  return result;
}

std::vector<Point> adversarial_points() {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  return {{0.0, 0.0, 0.0},
          {-0.0, 0.0, -0.0},
          {huge, huge, huge},
          {huge, -huge, 1.0},
          {huge, 0.0, tiny},
          {1e308, 1e308 - 1e292, -1.0},
          {tiny, tiny, tiny},
          {tiny, -tiny, 0.0},
          {1e-310, 2e-310, -3e-310},
          {1e-160, 1e-161, 1e-170},
          {1e200, 1e-200, 1.0},
          {1.0, 1.0, 1.0},
          {1.0, std::nextafter(1.0, 2.0), std::nextafter(1.0, 0.0)},
          {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};
}

class Ball : public testing::TestWithParam<std::pair<const char*, Maker>> {
 protected:
  [[nodiscard]] std::unique_ptr<ConstraintSet> make(std::size_t dimension, double radius) const {
    return GetParam().second(dimension, radius);
  }
};

TEST_P(Ball, ProjectionLandsInsideExactlyForPointsAndRadiiOfAnyMagnitude) {
  for (const double radius : {5e-324, 1e-310, 1e-200, 0.1, 1.0, 3.7, 1e200, 1.7e308}) {
    const auto set = make(3, radius);
    for (Point point : adversarial_points()) {
      const Point before = point;
      const bool inside = set->contains(point);
      set->project(point);
      EXPECT_TRUE(set->contains(point)) << set->name() << " " << before[0] << " " << before[1] << " " << before[2];
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(std::isfinite(point[i]));
        EXPECT_GE(point[i] * (before[i] < 0 ? -1.0 : 1.0), 0.0) << "a sign flipped";
      }
      if (inside) {
        EXPECT_EQ(point, before);
      }
    }
  }
}

TEST_P(Ball, ProjectionOfAHugePointStillReachesTheBoundary) {
  const auto set = make(4, 2.0);
  for (const double size : {1e10, 1e100, 1e300, std::numeric_limits<double>::max()}) {
    Point point = {size, 0.0, -size, 1.0};
    set->project(point);
    EXPECT_NEAR(set->gauge(point), 1.0, 1e-14) << size;
    EXPECT_DOUBLE_EQ(point[0], -point[2]);
  }
}

TEST_P(Ball, ProjectionIsIdempotentAndLeavesInsidePointsUntouched) {
  std::mt19937_64 generator(11);
  for (int trial = 0; trial < 500; ++trial) {
    const auto set = make(1 + trial % 40, 0.5 + trial % 7);
    Point point = random_point(generator, set->dimension(), std::pow(10.0, trial % 5 - 2));
    const Point before = point;
    const bool inside = set->contains(point);
    set->project(point);
    if (inside) {
      EXPECT_EQ(point, before);
    }
    const Point once = point;
    set->project(point);
    EXPECT_EQ(point, once);
  }
}

TEST_P(Ball, ProjectionSatisfiesTheVariationalInequality) {
  // p is the projection of x exactly when <x - p, v - p> <= 0 for every v in K; the worst v is a linear minimiser.
  std::mt19937_64 generator(12);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t d = 1 + trial % 60;
    const double radius = std::pow(10.0, trial % 4 - 2);
    const auto set = make(d, radius);
    const Point x = random_point(generator, d, std::pow(10.0, trial % 6 - 3));
    Point p = x;
    set->project(p);
    Point residual(d);
    Point away(d);
    for (std::size_t i = 0; i < d; ++i) {
      residual[i] = x[i] - p[i];
      away[i] = -residual[i];
    }
    Point worst(d);
    set->minimise_linear(away, worst);
    const double scale = std::sqrt(dot(x, x)) * radius;
    EXPECT_LE(dot(residual, worst) - dot(residual, p), 1e-13 * scale) << set->name() << " d=" << d;
  }
}

TEST_P(Ball, LinearMinimiserIsInsideAndAttainsMinusTheDualNorm) {
  std::mt19937_64 generator(13);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t d = 1 + trial % 30;
    const double radius = 0.1 + trial % 9;
    const auto set = make(d, radius);
    const Point direction = random_point(generator, d, 1.0);
    Point minimiser(d);
    set->minimise_linear(direction, minimiser);
    EXPECT_TRUE(set->contains(minimiser));
    double dual_norm = 0.0;
    for (const double entry : direction) dual_norm = std::max(dual_norm, std::abs(entry));
    if (set->name().starts_with("l2")) dual_norm = std::sqrt(dot(direction, direction));
    EXPECT_NEAR(dot(direction, minimiser), -radius * dual_norm, 1e-13 * radius * dual_norm);
    // Nothing else in the set does better.
    Point rival = random_point(generator, d, radius);
    set->project(rival);
    EXPECT_GE(dot(direction, rival), dot(direction, minimiser) - 1e-13 * radius * dual_norm);
  }
}

TEST_P(Ball, LinearMinimiserOfTheZeroDirectionIsInside) {
  const auto set = make(3, 2.0);
  Point minimiser(3, 7.0);
  set->minimise_linear(Point(3, 0.0), minimiser);
  EXPECT_TRUE(set->contains(minimiser));
}

TEST_P(Ball, GaugeIsHomogeneousConvexAndDecidesMembership) {
  std::mt19937_64 generator(14);
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t d = 1 + trial % 20;
    const auto set = make(d, 1.5);
    const Point a = random_point(generator, d, 1.0);
    const Point b = random_point(generator, d, 0.3);
    Point twice = a;
    Point sum = a;
    for (std::size_t i = 0; i < d; ++i) {
      twice[i] *= 2.0;
      sum[i] += b[i];
    }
    EXPECT_NEAR(set->gauge(twice), 2.0 * set->gauge(a), 1e-13 * set->gauge(a));
    EXPECT_LE(set->gauge(sum), set->gauge(a) + set->gauge(b) + 1e-13);
    EXPECT_EQ(set->contains(a), set->gauge(a) <= 1.0);
    EXPECT_TRUE(set->contains(a, set->gauge(a)));
    EXPECT_EQ(set->scaled(3.0)->contains(a), set->gauge(a) <= 3.0);
  }
}

TEST_P(Ball, DiameterIsTheLargestNormOverTheSet) {
  std::mt19937_64 generator(15);
  const auto set = make(5, 2.5);
  Point vertex(5);
  set->minimise_linear(Point{0.0, 0.0, -1.0, 0.0, 0.0}, vertex);
  EXPECT_NEAR(std::sqrt(dot(vertex, vertex)), set->diameter(), 1e-14);
  for (int trial = 0; trial < 200; ++trial) {
    Point point = random_point(generator, 5, 10.0);
    set->project(point);
    EXPECT_LE(std::sqrt(dot(point, point)), set->diameter() * (1.0 + 1e-15));
  }
}

TEST_P(Ball, ProjectingAPointThatIsNotFiniteIsAnErrorAndLeavesItUntouched) {
  const auto set = make(2, 1.0);
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Point point = {0.5, bad};
    EXPECT_THROW(set->project(point), Error);
    EXPECT_EQ(point[0], 0.5);
    EXPECT_FALSE(set->contains(point));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Ball, testing::Values(std::pair{"L2", &make_l2_ball}, std::pair{"L1", &make_l1_ball}),
                         [](const auto& kind) { return std::string(kind.param.first); });

TEST(L1Ball, ProjectionAgreesWithBisectionOnTheThreshold) {
  std::mt19937_64 generator(16);
  std::cauchy_distribution<double> heavy;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t d = 1 + (trial * 7) % 150;
    const double radius = std::pow(10.0, trial % 5 - 2);
    Point point(d);
    for (double& entry : point) entry = heavy(generator);
    // Ties and zeros, which a threshold method may mishandle.
    for (std::size_t i = 0; i < d; i += 5) point[i] = trial % 3 == 0 ? 1.0 : 0.0;
    const Point expected = slow_l1_projection(point, radius);
    const auto set = make_l1_ball(d, radius);
    set->project(point);
    for (std::size_t i = 0; i < d; ++i) {
      EXPECT_NEAR(point[i], expected[i], 1e-12 * radius) << "d=" << d << " radius=" << radius;
    }
  }
}

TEST(L1Ball, ProjectionOfAMillionSpreadOutEntriesIsExactAndSparse) {
  // Geometric and harmonic entries are what makes a pivot or active-set method take many passes.
  for (const double decay : {1.0, 0.9999, 0.99}) {
    Point point(1'000'000);
    double entry = 1.0;
    for (std::size_t i = 0; i < point.size(); ++i, entry *= decay) point[i] = entry / static_cast<double>(i + 1);
    const auto set = make_l1_ball(point.size(), 0.75);
    set->project(point);
    EXPECT_NEAR(set->gauge(point), 1.0, 1e-12);
    EXPECT_GT(std::count(point.begin(), point.end(), 0.0), 900'000);
  }
}

}  // namespace
}  // namespace rivulet
