// The polytope against brute force over all faces, against sets that are polytopes too, and against linear programming
// duality.
#include <gtest/gtest.h>

#include <limits>

#include "geometry/brute_force.h"
#include "geometry/sets.h"
#include "rivulet/error.h"

namespace rivulet::geometry {
namespace {

Point rotated(const std::vector<Point>& axes, const Point& x) {
  Point result(x.size(), 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) result[i] += x[k] * axes[k][i];
  }
  return result;
}

std::vector<Point> random_axes(std::mt19937_64& generator, std::size_t d) {
  std::vector<Point> axes;
  while (axes.size() < d) {
    Point axis = random_point(generator, d, 1.0);
    for (int round = 0; round < 2; ++round) {
      for (const Point& other : axes) axis = minus(axis, times(dot(axis, other), other));
    }
    axes.push_back(times(1.0 / norm(axis), axis));
  }
  return axes;
}

Point cross_polytope(std::size_t d, double radius) {
  Point vertices;
  for (std::size_t k = 0; k < 2 * d; ++k) {
    Point vertex(d, 0.0);
    vertex[k / 2] = k % 2 == 0 ? radius : -radius;
    vertices.insert(vertices.end(), vertex.begin(), vertex.end());
  }
  return vertices;
}

Point corners(std::size_t d, double low, double high) {
  Point vertices;
  for (std::size_t mask = 0; mask < (std::size_t{1} << d); ++mask) {
    for (std::size_t i = 0; i < d; ++i) vertices.push_back((mask >> i) % 2 == 0 ? low : high);
  }
  return vertices;
}

Point each_rotated(const std::vector<Point>& axes, const Point& vertices) {
  Point result;
  const std::size_t d = axes.size();
  for (std::size_t begin = 0; begin < vertices.size(); begin += d) {
    const Point vertex(vertices.begin() + static_cast<std::ptrdiff_t>(begin),
                       vertices.begin() + static_cast<std::ptrdiff_t>(begin + d));
    const Point turned = rotated(axes, vertex);
    result.insert(result.end(), turned.begin(), turned.end());
  }
  return result;
}

TEST(Polytope, ProjectionAgreesWithBruteForceOverAllFaces) {
  std::mt19937_64 generator(301);
  for (int trial = 0; trial < 600; ++trial) {
    const std::size_t d = 1 + trial % 4;
    const double scale = std::pow(10.0, trial % 3 - 1);
    const Point vertices = random_vertices(generator, d, 3 + trial % 4, scale);
    std::unique_ptr<ConstraintSet> set;
    try {
      set = make_polytope(d, vertices);
    } catch (const RequestError&) {
      continue;  // too flat to be sure of the origin: three vertices and a mirrored mean in four dimensions
    }
    for (const double size : {0.3, 1.0, 5.0, 1e3}) {
      const Point x = awkward_point(generator, d, size * scale);
      const Point p = projected(*set, x);
      EXPECT_LE(norm(minus(p, nearest_by_brute_force(vertices, x))), 1e-12 * (set->diameter() + 1e-2 * norm(x)))
          << set->name();
    }
  }
}

TEST(Polytope, ProjectionOntoFlatAndRepetitiveHullsAgreesWithBruteForce) {
  // Vertices on a line or a plane through the origin, vertices twice, vertices inside the hull of others.
  std::mt19937_64 generator(302);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t d = 2 + trial % 3;
    const Point a = random_point(generator, d, 1.0);
    const Point b = random_point(generator, d, 1.0);
    Point vertices;
    for (const auto& [s, t] : {std::pair{1.0, 0.0}, {-0.5, 1.0}, {-0.5, -1.0}, {1.0, 0.0}, {0.1, 0.2}, {-2.0, 0.0}}) {
      for (std::size_t i = 0; i < d; ++i) vertices.push_back(trial % 2 == 0 ? s * a[i] + t * b[i] : s * a[i]);
    }
    const auto set = make_polytope(d, vertices);
    const Point x = awkward_point(generator, d, 2.0);
    const Point p = projected(*set, x);
    EXPECT_TRUE(set->contains(p));
    EXPECT_LE(norm(minus(p, nearest_by_brute_force(vertices, x))), 1e-12 * (set->diameter() + norm(x))) << set->name();
    EXPECT_EQ(set->gauge(random_point(generator, d, 1.0)) < std::numeric_limits<double>::infinity(),
              d == 2 && trial % 2 == 0);
    EXPECT_NEAR(set->gauge(times(0.7, a)), 0.7, 1e-10);
    EXPECT_NEAR(set->gauge(times(-0.7, a)), 0.35, 1e-10);
  }
}

TEST(Polytope, RotatedCrossPolytopesAndCubesBehaveLikeTheL1BallAndTheBox) {
  std::mt19937_64 generator(303);
  for (const std::size_t d : {2, 3, 6, 9, 40}) {
    for (int trial = 0; trial < 6; ++trial) {
      const auto axes = random_axes(generator, d);
      const bool cube = trial % 2 == 1 && d < 10;
      const std::unique_ptr<ConstraintSet> plain = cube ? make_box(d, -0.5, 1.0) : make_l1_ball(d, 2.0);
      const auto set = make_polytope(d, each_rotated(axes, cube ? corners(d, -0.5, 1.0) : cross_polytope(d, 2.0)));
      EXPECT_NEAR(set->diameter(), plain->diameter(), 1e-13);
      for (const double size : {0.2, 1.0, 10.0, 1e4}) {
        const Point x = awkward_point(generator, d, size);
        const Point turned = rotated(axes, x);
        EXPECT_LE(norm(minus(projected(*set, turned), rotated(axes, projected(*plain, x)))),
                  1e-13 * (1.0 + size) * 10.0)
            << d << " " << size;
        EXPECT_NEAR(set->gauge(turned), plain->gauge(x), 1e-11 * plain->gauge(x));
        EXPECT_EQ(set->contains(turned), plain->contains(x)) << d;
      }
    }
  }
}

// Vertices on a grid, on a grid up to 1e-10, in a sheet 1e-7 thin, of many magnitudes, and in pairs that differ by
// 1e-14.
Point troublesome_vertices(std::mt19937_64& generator, std::size_t d, std::size_t count, int kind) {
  std::normal_distribution<double> normal;
  Point vertices(d, 0.0);  // the origin
  for (std::size_t k = 0; k < d * count; ++k) {
    const double grid = static_cast<double>(generator() % 3) - 1.0;
    const double other = normal(generator);
    switch (kind) {
      case 0:
        vertices.push_back(grid);
        break;
      case 1:
        vertices.push_back(grid + 1e-10 * other);
        break;
      case 2:
        vertices.push_back(k % d == 0 ? other : 1e-7 * other);
        break;
      case 3:
        vertices.push_back(other * std::pow(10.0, -static_cast<double>(generator() % 12)));
        break;
      default:
        vertices.push_back(k / d % 2 == 1 ? vertices[vertices.size() - d] * (1.0 + 1e-14 * other) : other);
        break;
    }
  }
  return vertices;
}

TEST(Polytope, ProjectionOntoFlatThinAndCrowdedHullsSatisfiesTheVariationalInequality) {
  std::mt19937_64 generator(306);
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t d = 1 + generator() % 8;
    const Point vertices = troublesome_vertices(generator, d, 2 + generator() % 30, trial % 5);
    if (std::all_of(vertices.begin(), vertices.end(), [](double entry) { return entry == 0.0; })) continue;
    const auto set = make_polytope(d, vertices);
    for (const double size : {0.1, 1.0, 1e5}) {
      const Point x = awkward_point(generator, d, size);
      const Point p = projected(*set, x);
      EXPECT_TRUE(set->contains(p)) << set->name();
      EXPECT_EQ(projected(*set, p), p) << set->name();
      Point worst(d);
      set->minimise_linear(minus(p, x), worst);
      EXPECT_LE(dot(minus(x, p), minus(worst, p)), 1e-13 * (norm(x) + set->diameter()) * set->diameter())
          << set->name();
    }
  }
}

TEST(Polytope, FarPointsAreProjectedExactlyWhereTheTiedVerticesAgreeExactly) {
  // The nearest point of the square [-1, 1]^2 to (1e200, 0.3) is (1, 0.3): 0.3 must not drown in 1e200.
  for (const double far : {10.0, 1e10, 1e100, 1e140}) {
    Point x = {far, 0.3, -0.7};
    make_polytope(3, corners(3, -1.0, 1.0))->project(x);
    EXPECT_EQ(x[0], 1.0);
    EXPECT_NEAR(x[1], 0.3, 1e-14) << far;
    EXPECT_NEAR(x[2], -0.7, 1e-14) << far;
  }
}

TEST(Polytope, GaugeAgreesWithBruteForceOverAllBases) {
  std::mt19937_64 generator(304);
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t d = 1 + trial % 4;
    const Point vertices = random_vertices(generator, d, d + 2 + trial % 3, 1.0);
    const auto set = make_polytope(d, vertices);
    for (int k = 0; k < 4; ++k) {
      const Point x = awkward_point(generator, d, std::pow(10.0, 3 * k - 4));
      const double expected = gauge_by_brute_force(vertices, x);
      if (std::isinf(expected)) {
        EXPECT_GT(set->gauge(x), 1e9 * norm(x)) << set->name();
      } else {
        EXPECT_NEAR(set->gauge(x), expected, 1e-9 * expected) << set->name();
      }
    }
  }
}

TEST(Polytope, GaugeIsInfiniteWhereTheRayLeavesAtTheOrigin) {
  const auto corner = make_polytope(2, Point{0.0, 0.0, 1.0, 0.0, 0.0, 1.0});
  EXPECT_DOUBLE_EQ(corner->gauge(Point{0.25, 0.5}), 0.75);
  EXPECT_EQ(corner->gauge(Point{0.5, 0.0}), 0.5);
  EXPECT_EQ(corner->gauge(Point{-0.5, 0.0}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(corner->gauge(Point{1.0, -1e-3}), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(corner->contains(Point{0.0, 0.0}));
}

TEST(Polytope, VerticesThatMakeNoUsableSetAreRefused) {
  const auto message = [](std::size_t dimension, const Point& vertices) -> std::string {
    try {
      make_polytope(dimension, vertices);
    } catch (const RequestError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string accepted =
      "; accepted: 2 vertices or more around the origin, 2 finite numbers each, a million numbers in all at most";
  EXPECT_EQ(message(2, {}), "vertices: the polytope has 0 vertices, where 2 are the least" + accepted);
  EXPECT_EQ(message(2, {0.0, 0.0}), "vertices: the polytope has 1 vertex, where 2 are the least" + accepted);
  EXPECT_EQ(message(2, {1.0, 0.0, 2.0}), "vertices: 3 numbers are no whole number of vertices" + accepted);
  EXPECT_EQ(message(2, {0.0, 0.0, 0.0, -0.0}), "vertices: the polytope is the origin alone" + accepted);
  EXPECT_EQ(message(2, {1.0, 1.0, 1.0, 3.0, 2.0, 2.0}),
            "vertices: the polytope does not hold the origin, which is 1.4142135623730951 away from it" + accepted);
  EXPECT_EQ(message(2, {1.0, 1.0, -1.0, std::nan("")}),
            "vertices: the polytope has the number nan in vertex 2" + accepted);
  EXPECT_EQ(message(2, {1.7e308, 1.7e308, -1.0, -1.0}),
            "vertices: the polytope has a diameter beyond the range of a double" + accepted);
  EXPECT_EQ(message(1, Point(1'000'001, 1.0)).substr(0, 78),
            "vertices: the polytope has 1000001 numbers, where 1000000 are the most; accept");
  EXPECT_EQ(message(0, {}), "dimension: 0 given; accepted: 1 or more");
  EXPECT_EQ(message(2, {1.0, 0.0, -1.0, 0.0}), "accepted");
  EXPECT_EQ(message(2, {0.0, 0.0, 1.0, 0.0}), "accepted");
}

TEST(Polytope, AThousandVerticesInAHundredDimensionsAreProjectedWithinTheVariationalInequality) {
  std::mt19937_64 generator(305);
  const std::size_t d = 100;
  const auto set = make_polytope(d, random_vertices(generator, d, 1000, 1.0));
  for (const double size : {0.5, 2.0, 50.0}) {
    const Point x = random_point(generator, d, size);
    const Point p = projected(*set, x);
    Point worst(d);
    set->minimise_linear(minus(p, x), worst);
    EXPECT_LE(dot(minus(x, p), minus(worst, p)), 1e-13 * norm(x) * set->diameter());
  }
}

}  // namespace
}  // namespace rivulet::geometry
