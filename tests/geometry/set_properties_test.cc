// What must hold for every set whatever it is: its members are tied to one another by duality, so a mistake in one
// shows against the others.
#include <gtest/gtest.h>

#include <limits>

#include "geometry/sets.h"
#include "rivulet/error.h"

namespace rivulet::geometry {
namespace {

constexpr double kScales[] = {0.01, 1.0, 50.0};

// Calls `check` with sets of every kind in many dimensions and sizes.
template <typename Check>
void for_every_set(unsigned seed, int rounds, const Check& check) {
  std::mt19937_64 generator(seed);
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t d : {1, 2, 3, 7, 20}) {
      for (const Set& set : every_set(generator, d, kScales[round % 3])) check(*set, generator);
    }
  }
}

// Random and awkward points, near and far.
Point some_point(std::mt19937_64& generator, const ConstraintSet& set) {
  constexpr double sizes[] = {0.1, 1.0, 1.0, 10.0, 1e4};
  const double size = set.diameter() * sizes[generator() % 5];
  return generator() % 2 == 0 ? random_point(generator, set.dimension(), size)
                              : awkward_point(generator, set.dimension(), size);
}

TEST(EverySet, ProjectionSatisfiesTheVariationalInequality) {
  // p = P(x) exactly when <x - p, v - p> <= 0 for every v in K; the worst v is a linear minimiser.
  for_every_set(101, 30, [](const ConstraintSet& set, std::mt19937_64& generator) {
    const Point x = some_point(generator, set);
    const Point p = projected(set, x);
    Point worst(x.size());
    set.minimise_linear(minus(p, x), worst);
    EXPECT_LE(dot(minus(x, p), minus(worst, p)), 1e-12 * (norm(x) + set.diameter()) * set.diameter()) << set.name();
  });
}

TEST(EverySet, ProjectionLandsInsideIsIdempotentAndLeavesInsidePointsUntouched) {
  for_every_set(102, 30, [](const ConstraintSet& set, std::mt19937_64& generator) {
    const Point x = some_point(generator, set);
    const Point p = projected(set, x);
    EXPECT_TRUE(set.contains(p)) << set.name();
    EXPECT_EQ(projected(set, p), p) << set.name();
    if (set.contains(x)) {
      EXPECT_EQ(p, x) << set.name();
    }
  });
}

TEST(EverySet, ProjectionBringsNoTwoPointsFartherApart) {
  for_every_set(103, 20, [](const ConstraintSet& set, std::mt19937_64& generator) {
    const Point x = some_point(generator, set);
    Point y = some_point(generator, set);
    if (generator() % 2 == 0) y = minus(x, times(1e-6, y));
    const double before = norm(minus(x, y));
    const double after = norm(minus(projected(set, x), projected(set, y)));
    EXPECT_LE(after, before + 1e-12 * (set.diameter() + norm(x) + norm(y))) << set.name();
  });
}

TEST(EverySet, ProjectionLandsInsideForPointsOfAnyMagnitude) {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<Point> points = {{huge, huge, huge},        {huge, -huge, 1.0},
                                     {-huge, 0.0, tiny},        {1e308, 1e308, -1e-9},
                                     {tiny, -tiny, tiny},       {1e-310, 2e-310, -3e-310},
                                     {1e200, 1e-200, 1.0},      {-1e200, -1e200, -1.0},
                                     {1e-200, 3e-200, -1e-200}, {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};
  std::mt19937_64 generator(104);
  for (const double scale : {1e-320, 1e-310, 1e-200, 0.1, 1.0, 1e200, 1e307}) {
    std::vector<Set> sets;
    for (const Set& set : every_set(generator, 3, 1.0)) sets.push_back(set->scaled(scale));
    for (const Set& set : sets) {
      for (const Point& x : points) {
        const Point p = projected(*set, x);
        EXPECT_TRUE(set->contains(p)) << set->name() << " at " << x[0] << " " << x[1] << " " << x[2];
        for (const double entry : p) EXPECT_TRUE(std::isfinite(entry)) << set->name();
      }
    }
  }
}

TEST(EverySet, ProjectionOfAFarPointIsTheLinearMinimiserItRecedesToward) {
  // P(t c) tends to a maximiser of <c, .> as t grows; for random c it is the only one. The gap to it vanishes like 1/t.
  for_every_set(105, 5, [](const ConstraintSet& set, std::mt19937_64& generator) {
    const Point c = random_point(generator, set.dimension(), 1.0);
    Point vertex(c.size());
    set.minimise_linear(times(-1.0, c), vertex);
    for (const double size : {1e40, 1e120, 1e200, 1e300}) {
      const Point p = projected(set, times(size, c));
      EXPECT_LE(norm(minus(p, vertex)), 1e-11 * set.diameter()) << set.name() << " " << size;
    }
  });
}

TEST(EverySet, LinearMinimiserIsInsideAndNothingInsideDoesBetter) {
  for_every_set(106, 10, [](const ConstraintSet& set, std::mt19937_64& generator) {
    const Point direction =
        awkward_point(generator, set.dimension(), std::pow(10.0, static_cast<double>(generator() % 400) - 200.0));
    Point minimiser(direction.size(), 7.0);
    set.minimise_linear(direction, minimiser);
    EXPECT_TRUE(set.contains(minimiser)) << set.name();
    const Point unit =
        times(1.0 / std::max(1e-250,
                             std::abs(*std::max_element(direction.begin(), direction.end(),
                                                        [](double a, double b) { return std::abs(a) < std::abs(b); }))),
              direction);
    const double scale = norm(unit) * set.diameter();
    for (int rival = 0; rival < 5; ++rival) {
      const Point other = projected(set, random_point(generator, set.dimension(), set.diameter()));
      EXPECT_GE(dot(unit, other), dot(unit, minimiser) - 1e-11 * scale) << set.name();
    }
    set.minimise_linear(Point(direction.size(), 0.0), minimiser);
    EXPECT_TRUE(set.contains(minimiser)) << set.name();
  });
}

TEST(EverySet, AGaugeOfOneIsTheBoundaryAndMembershipIsAGaugeOfOneOrLess) {
  for_every_set(107, 20, [](const ConstraintSet& set, std::mt19937_64& generator) {
    Point x = some_point(generator, set);
    if (generator() % 2 == 0) x = projected(set, x);
    const double g = set.gauge(x);
    if (holds_the_origin(set)) {
      EXPECT_EQ(set.contains(x), g <= 1.0) << set.name() << " " << g;
      EXPECT_TRUE(set.contains(x, g)) << set.name();
    } else {
      EXPECT_EQ(set.contains(x), std::abs(g - 1.0) <= 4.0 * std::numeric_limits<double>::epsilon()) << set.name();
    }
    EXPECT_EQ(set.gauge(Point(x.size(), 0.0)), 0.0);
    if (!(g > 0.0) || std::isinf(g)) return;
    EXPECT_NEAR(set.gauge(times(1.0 / g, x)), 1.0, 1e-11) << set.name();
    EXPECT_NEAR(set.gauge(times(3.0, x)), 3.0 * g, 1e-10 * g) << set.name();
    EXPECT_TRUE(set.contains(times(1.0 / g, x), 1e-10)) << set.name();
    EXPECT_FALSE(set.contains(times(1.001 / g, x))) << set.name();
  });
}

TEST(EverySet, GaugeIsConvex) {
  for_every_set(108, 10, [](const ConstraintSet& set, std::mt19937_64& generator) {
    const Point a = some_point(generator, set);
    const Point b = projected(set, some_point(generator, set));
    Point sum = a;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
    const double bound = set.gauge(a) + set.gauge(b);
    EXPECT_LE(set.gauge(sum), bound * (1.0 + 1e-10)) << set.name();
  });
}

TEST(EverySet, GaugeAndLinearMinimiserBoundEachOther) {
  // <c, x> <= gauge(x) * max over K of <c, .>, with equality for the maximiser, whose gauge is then 1.
  for_every_set(109, 10, [](const ConstraintSet& set, std::mt19937_64& generator) {
    const Point x = some_point(generator, set);
    const Point c = random_point(generator, set.dimension(), 1.0);
    Point best(c.size());
    set.minimise_linear(times(-1.0, c), best);
    const double g = set.gauge(x);
    const double support = dot(c, best);
    if (std::isfinite(g)) {
      EXPECT_LE(dot(c, x), g * support + 1e-10 * norm(c) * (norm(x) + g * set.diameter())) << set.name();
    }
    if (support > 1e-6 * set.diameter()) {
      EXPECT_NEAR(set.gauge(best), 1.0, 1e-10) << set.name();
    }
  });
}

TEST(EverySet, ScaledSetsAreMultiples) {
  for_every_set(110, 3, [](const ConstraintSet& set, std::mt19937_64& generator) {
    for (const double factor : {0.25, 3.7, 1e-3}) {
      const auto multiple = set.scaled(factor);
      const Point x = some_point(generator, set);
      EXPECT_EQ(multiple->dimension(), set.dimension());
      EXPECT_NEAR(multiple->diameter(), factor * set.diameter(), 1e-14 * factor * set.diameter());
      EXPECT_LE(norm(minus(projected(*multiple, times(factor, x)), times(factor, projected(set, x)))),
                1e-11 * factor * (set.diameter() + norm(x)))
          << set.name();
      const double g = set.gauge(x);
      if (std::isfinite(g)) {
        EXPECT_NEAR(multiple->gauge(times(factor, x)), g, 1e-9 * g) << set.name();
      }
      EXPECT_EQ(multiple->prefers_width(), set.prefers_width());
      EXPECT_EQ(multiple->name(), parse_constraint(multiple->name(), set.dimension())->name());
    }
    for (const double bad : {0.0, -1.0, 1e308 * 1e10, std::nan("")}) {
      EXPECT_THROW(static_cast<void>(set.scaled(bad)), RequestError) << set.name();
    }
    EXPECT_THROW(static_cast<void>(set.scaled(1e300)->scaled(1e300)), RequestError) << set.name();
  });
}

TEST(EverySet, DiameterIsTheLargestNorm) {
  for_every_set(111, 10, [](const ConstraintSet& set, std::mt19937_64& generator) {
    // A convex function is largest where its linearisations are: climbs to a local maximum from many starts.
    double longest = 0.0;
    for (int start = 0; start < 60; ++start) {
      Point c = random_point(generator, set.dimension(), 1.0);
      if (start >= 58) {
        c.assign(c.size(), start == 58 ? 1.0 : -1.0);
      } else if (start < static_cast<int>(2 * set.dimension())) {
        c.assign(c.size(), 0.0);
        c[static_cast<std::size_t>(start / 2)] = start % 2 == 0 ? 1.0 : -1.0;
      }
      Point v(c.size());
      for (int step = 0; step < 10; ++step) {
        set.minimise_linear(times(-1.0, c), v);
        if (norm(v) == 0.0) break;
        c = v;
      }
      longest = std::max(longest, norm(v));
    }
    EXPECT_NEAR(longest, set.diameter(), 1e-12 * set.diameter()) << set.name();
  });
}

TEST(EverySet, APointThatIsNotFiniteIsRefusedAndLeftUntouched) {
  for_every_set(112, 1, [](const ConstraintSet& set, std::mt19937_64&) {
    for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
      Point point(set.dimension(), 0.25);
      point.back() = bad;
      const double first = point.front();
      EXPECT_THROW(set.project(point), Error) << set.name();
      if (set.dimension() > 1) {
        EXPECT_EQ(point.front(), first);
      }
      EXPECT_FALSE(set.contains(point)) << set.name();
    }
  });
}

}  // namespace
}  // namespace rivulet::geometry
