// Sections of the sets by coordinates, and derivatives of their projections.
#include "geometry/faces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/sets.h"

namespace rivulet::geometry {
namespace {

std::vector<std::size_t> random_coordinates(std::mt19937_64& generator, std::size_t dimension) {
  std::vector<std::size_t> all(dimension);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::shuffle(all.begin(), all.end(), generator);
  all.resize(1 + generator() % dimension);
  std::sort(all.begin(), all.end());
  return all;
}

Point widened(const Point& part, const std::vector<std::size_t>& coordinates, std::size_t dimension) {
  Point whole(dimension, 0.0);
  for (std::size_t k = 0; k < part.size(); ++k) whole[coordinates[k]] = part[k];
  return whole;
}

TEST(Faces, ARestrictedSetIsTheSectionByItsCoordinates) {
  std::mt19937_64 generator(941);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t d = 1 + generator() % 15;
    for (const Set& set : every_set(generator, d, 2.0)) {
      const auto* faces = dynamic_cast<const Faces*>(set.get());
      if (faces == nullptr) continue;
      const std::vector<std::size_t> coordinates = random_coordinates(generator, d);
      const std::unique_ptr<ConstraintSet> section = faces->restricted(coordinates);
      ASSERT_EQ(section->dimension(), coordinates.size());
      const Point point = awkward_point(generator, coordinates.size(), 1.0);
      const double gauge = set->gauge(widened(point, coordinates, d));
      if (std::isfinite(gauge)) {
        EXPECT_NEAR(section->gauge(point), gauge, 1e-12 * gauge) << set->name();
      } else {
        EXPECT_EQ(section->gauge(point), gauge) << set->name();
      }
      const Point nearest = projected(*section, point);
      EXPECT_TRUE(set->contains(widened(nearest, coordinates, d), 1e-12)) << set->name();
    }
  }
}

TEST(Faces, EverySetButThePolytopeKnowsThemAndThePolytopeItsVertices) {
  std::mt19937_64 generator(942);
  for (const Set& set : every_set(generator, 6, 1.0)) {
    const bool polytope = set->name().starts_with("polytope");
    EXPECT_EQ(dynamic_cast<const Faces*>(set.get()) == nullptr, polytope) << set->name();
    EXPECT_EQ(dynamic_cast<const VertexSet*>(set.get()) != nullptr, polytope) << set->name();
  }
  const Point corners{4.0, 0.0, 0.0, 6.0, -4.0, -6.0, 4.0, 0.0};
  const Set set = make_polytope(2, corners);
  const Point once(corners.begin(), corners.begin() + 6);
  EXPECT_EQ(dynamic_cast<const VertexSet&>(*set).vertices(), once);
}

TEST(Faces, TheMostPromisingCoordinatesHoldTheVertex) {
  std::mt19937_64 generator(943);
  for (int trial = 0; trial < 20; ++trial) {
    const std::size_t d = 5 + generator() % 15;
    for (const Set& set : {Set(make_l1_ball(d, 1.0)), Set(make_simplex(d, 1.0)),
                           Set(make_group_ball(random_sizes(generator, d), 1.0))}) {
      const Point direction = random_point(generator, d, 1.0);
      Point vertex(d);
      set->minimise_linear(direction, vertex);
      std::vector<std::size_t> promising = dynamic_cast<const Faces&>(*set).most_promising(direction, 1);
      std::sort(promising.begin(), promising.end());
      for (std::size_t i = 0; i < d; ++i) {
        const bool listed = std::binary_search(promising.begin(), promising.end(), i);
        EXPECT_EQ(vertex[i] != 0.0, listed) << set->name() << " " << i;
      }
    }
  }
}

TEST(Faces, LargestScoresPrefersTheFirstOfEquals) {
  const Point scores{1.0, 3.0, 2.0, 3.0, 2.0, 2.0};
  EXPECT_EQ(largest_scores(scores, 0), (std::vector<std::size_t>{}));
  EXPECT_EQ(largest_scores(scores, 1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(largest_scores(scores, 3), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(largest_scores(scores, 4), (std::vector<std::size_t>{1, 2, 3, 4}));
  EXPECT_EQ(largest_scores(scores, 9), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
}

// Against central differences, at random points, where projections are differentiable with probability 1.
TEST(Faces, TheDerivativeOfTheProjectionIsWhatDifferencesShow) {
  std::mt19937_64 generator(944);
  const double step = 1e-6;
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t d = 2 + generator() % 10;
    for (const Set& set : every_set(generator, d, 1.0)) {
      const auto* faces = dynamic_cast<const Faces*>(set.get());
      if (faces == nullptr || set->name().starts_with("lp:1.01")) continue;  // all but a corner, where steps cross
      const Point point = random_point(generator, d, trial % 4 == 0 ? 0.05 : 1.0);
      const Point nearest = projected(*set, point);
      const ProjectionDerivative derivative = faces->projection_derivative(point, nearest);
      const Point direction = random_point(generator, d, 1.0);

      Point active(derivative.active.size());
      for (std::size_t k = 0; k < active.size(); ++k) active[k] = direction[derivative.active[k]];
      Point moved(active.size());
      derivative.apply(active, moved);
      const Point predicted = widened(moved, derivative.active, d);

      Point forward = point;
      Point backward = point;
      for (std::size_t i = 0; i < d; ++i) {
        forward[i] += step * direction[i];
        backward[i] -= step * direction[i];
      }
      const Point change = minus(projected(*set, forward), projected(*set, backward));
      for (std::size_t i = 0; i < d; ++i) {
        EXPECT_NEAR(predicted[i], change[i] / (2.0 * step), 2e-4) << set->name() << " " << i << " trial " << trial;
      }
    }
  }
}

}  // namespace
}  // namespace rivulet::geometry
