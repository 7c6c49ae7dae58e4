// The objective's constants over K, against brute force over theta and rows.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <vector>

#include "loss/every_loss.h"
#include "rivulet/error.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using Point = std::vector<double>;

double dot(const Point& a, const Point& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Point random_direction(std::size_t dimension, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  Point direction(dimension);
  for (double& entry : direction) entry = normal(generator);
  const double norm = std::sqrt(dot(direction, direction));
  for (double& entry : direction) entry /= norm;
  return direction;
}

// A point of K, an extreme one more often than not.
Point random_point(const ConstraintSet& set, std::mt19937_64& generator) {
  Point point(set.dimension());
  set.minimise_linear(random_direction(set.dimension(), generator), point);
  if (generator() % 4 == 0) {
    Point other(set.dimension());
    set.minimise_linear(random_direction(set.dimension(), generator), other);
    const double share = std::uniform_real_distribution<double>(0.0, 1.0)(generator);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += share * (other[i] - point[i]);
  }
  return point;
}

double objective(const ErmObjective& erm, const Point& theta, const Point& x, double y) {
  return erm.loss().value(dot(x, theta), y) + erm.ridge() / 2.0 * dot(theta, theta);
}

Point gradient(const ErmObjective& erm, const Point& theta, const Point& x, double y) {
  Point result(theta.size());
  const double slope = erm.loss().derivative(dot(x, theta), y);
  for (std::size_t i = 0; i < theta.size(); ++i) result[i] = slope * x[i] + erm.ridge() * theta[i];
  return result;
}

// The largest (2 / l^2) (j(c) - j(a) - <c - a, grad j(a)>) found.
double curvature_found(const ErmObjective& erm, const ConstraintSet& set, std::mt19937_64& generator) {
  double largest = 0.0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Point a = random_point(set, generator);
    const Point b = random_point(set, generator);
    Point along(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) along[i] = b[i] - a[i];
    const double distance = std::sqrt(dot(along, along));
    if (distance == 0.0) continue;
    Point x = random_direction(a.size(), generator);
    if (trial % 2 == 0) {
      for (std::size_t i = 0; i < a.size(); ++i) x[i] = along[i] / distance;
    }
    const double y = testing::random_target(erm.loss(), generator);
    for (const double l : {1.0, 0.3, 0.01}) {
      Point c(a);
      for (std::size_t i = 0; i < a.size(); ++i) c[i] += l * along[i];
      const double step = l * dot(along, gradient(erm, a, x, y));
      const double gap = objective(erm, c, x, y) - objective(erm, a, x, y) - step;
      largest = std::max(largest, 2.0 / (l * l) * gap);
    }
  }
  return largest;
}

TEST(Curvature, OfTheSquaredLossIsEightTimesTheSquaredDiameterOnSymmetricSets) {
  std::mt19937_64 generator(61);
  const ErmObjective erm(make_squared_loss());
  for (const char* text : {"l2:1", "l2:0.3", "l1:2", "lp:1.5:1", "box:-1:1", "elastic:0.5:1", "group:1:1"}) {
    const auto set = parse_constraint(text, 2);
    const double square = set->diameter() * set->diameter();
    const double largest = curvature_found(erm, *set, generator);
    std::cout << text << ": C_l / ||K||^2 = " << largest / square << " (the paper: at most 1)\n";
    EXPECT_NEAR(erm.curvature(*set), 8.0 * square, 1e-12 * square) << text;
    EXPECT_LE(largest, erm.curvature(*set) * (1.0 + 1e-9)) << text;
    EXPECT_GE(largest, 0.99 * erm.curvature(*set)) << text;
  }
}

TEST(Curvature, OfTheSquaredLossOnTheSimplexIsFourTimesTheSquaredDiameter) {
  std::mt19937_64 generator(62);
  const ErmObjective erm(make_squared_loss());
  const auto set = parse_constraint("simplex", 3);
  const double largest = curvature_found(erm, *set, generator);
  std::cout << "simplex: C_l / ||K||^2 = " << largest << " (the paper: at most 1)\n";
  EXPECT_NEAR(largest, 4.0, 0.01);
  EXPECT_LE(largest, erm.curvature(*set));
}

TEST(Curvature, IsNeverAboveItsBoundForAnyLossSetOrRidge) {
  std::mt19937_64 generator(63);
  for (const auto& loss : testing::every_loss()) {
    for (const double ridge : {0.0, 0.5}) {
      const ErmObjective erm(loss, ridge);
      for (const char* text : {"l2:0.4", "l1:2", "box:-1:2", "simplex"}) {
        const auto set = parse_constraint(text, 2);
        EXPECT_LE(curvature_found(erm, *set, generator), erm.curvature(*set) * (1.0 + 1e-9) + 1e-9)
            << loss->name() << " " << text;
      }
    }
  }
}

TEST(Curvature, OfALossWithAKinkHasNoBound) {
  const auto set = parse_constraint("l2:2", 2);
  EXPECT_EQ(ErmObjective(make_hinge_loss()).curvature(*set), HUGE_VAL);
  EXPECT_EQ(ErmObjective(make_quantile_loss(0.5)).curvature(*set), HUGE_VAL);
}

TEST(ErmObjective, GradientsAreWithinTheLipschitzConstantAndReachIt) {
  std::mt19937_64 generator(64);
  for (const auto& loss : testing::every_loss()) {
    for (const double ridge : {0.0, 0.7}) {
      const ErmObjective erm(loss, ridge);
      for (const char* text : {"l2:1.5", "l1:2", "simplex"}) {
        const auto set = parse_constraint(text, 2);
        const double lipschitz = erm.lipschitz(*set);
        double largest = 0.0;
        for (int trial = 0; trial < 20000; ++trial) {
          const Point theta = random_point(*set, generator);
          Point x = random_direction(2, generator);
          const double norm = std::sqrt(dot(theta, theta));
          const double sign = (generator() & 1U) != 0 ? 1.0 : -1.0;
          if (trial % 2 == 0 && norm > 0.0) x = {sign * theta[0] / norm, sign * theta[1] / norm};
          const Point slope = gradient(erm, theta, x, testing::random_target(*loss, generator));
          largest = std::max(largest, std::sqrt(dot(slope, slope)));
        }
        EXPECT_LE(largest, lipschitz * (1.0 + 1e-12)) << loss->name() << " " << text;
        // With a ridge the two parts need not be largest at the same point; for the squared loss they are.
        if (ridge == 0.0 || loss->name() == "squared") {
          EXPECT_GE(largest, 0.99 * lipschitz) << loss->name() << " " << text << " " << ridge;
        }
      }
    }
  }
}

TEST(ErmObjective, AddsTheRidgeToItsConstants) {
  const auto set = parse_constraint("l2:2", 3);
  const ErmObjective erm(make_squared_loss(), 0.5);
  EXPECT_NEAR(erm.lipschitz(*set), 7.0, 1e-12);
  EXPECT_GE(erm.lipschitz(*set), 7.0);
  EXPECT_EQ(erm.smoothness(*set), 2.5);
  EXPECT_EQ(erm.strong_convexity(), 0.5);
  EXPECT_EQ(erm.curvature(*set), 40.0);
  EXPECT_EQ(ErmObjective(make_squared_loss()).strong_convexity(), 0.0);
}

TEST(ErmObjective, RefusesARidgeThatIsNoWeight) {
  for (const double ridge : {-1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(testing::refusal([&] { ErmObjective(make_squared_loss(), ridge); }).rfind("ridge: ", 0), 0U);
  }
  EXPECT_EQ(testing::refusal([] { ErmObjective(nullptr); }), "loss: there is none; accepted: any loss");
}

}  // namespace
}  // namespace rivulet
