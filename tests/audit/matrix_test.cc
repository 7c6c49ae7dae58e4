#include "audit/matrix.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "audit/auditor.h"

namespace rivulet::audit {
namespace {

TEST(Matrix, TheFullOneHasEveryStrategyWithEveryNeighboursEpsilonAndDimension) {
  std::set<std::tuple<StrategyKind, Neighbours, double, std::size_t>> seen;
  std::set<std::pair<StrategyKind, PairKind>> pairs;
  std::set<std::pair<StrategyKind, Place>> places;
  std::set<std::pair<StrategyKind, bool>> horizons;
  std::set<Surface> surfaces;
  const std::vector<Configuration> matrix = full_matrix({});
  for (const Configuration& c : matrix) {
    surfaces.insert(c.surface);
    if (c.surface != Surface::kernel) continue;
    const StrategyKind strategy = c.promise.strategy.kind;
    seen.emplace(strategy, c.promise.neighbours, c.promise.budget.epsilon, c.promise.dimension);
    pairs.emplace(strategy, c.pair);
    places.emplace(strategy, c.place);
    horizons.emplace(strategy, c.promise.strategy.horizon.is_known());
  }
  EXPECT_GE(matrix.size(), 100U);
  for (const StrategyKind strategy : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
      for (const double epsilon : {0.5, 1.0, 2.0, 8.0}) {
        for (const std::size_t dimension : {1U, 5U, 20U}) {
          EXPECT_TRUE(seen.contains({strategy, neighbours, epsilon, dimension}));
        }
      }
    }
    for (const Place place : {Place::first, Place::middle, Place::last, Place::chosen}) {
      EXPECT_TRUE(places.contains({strategy, place})) << to_string(strategy) << " " << to_string(place);
    }
    for (const PairKind pair : {PairKind::worst, PairKind::opposite_labels, PairKind::orthogonal_rows, PairKind::sparse,
                                PairKind::outside, PairKind::missing}) {
      EXPECT_TRUE(pairs.contains({strategy, pair})) << to_string(strategy) << " " << to_string(pair);
    }
    EXPECT_TRUE(horizons.contains({strategy, true}));
    EXPECT_EQ(horizons.contains({strategy, false}), strategy != StrategyKind::tree);
  }
  EXPECT_EQ(surfaces.size(), 5U);
}

TEST(Matrix, EveryConfigurationIsAnExperimentAndTakesTrials) {
  for (const std::vector<Configuration>& matrix : {full_matrix({}), fast_matrix({})}) {
    for (const Configuration& c : matrix) {
      EXPECT_GE(c.trials, 100U);
      EXPECT_TRUE(exists(c.pair, c.promise.neighbours, c.promise.dimension));
      const std::unique_ptr<Experiment> experiment = make_experiment(c, {RIVULET_BINARY_DIR "/rivulet", ""});
      std::size_t size = 0;
      for (const View& view : experiment->views()) size += view.size;
      std::vector<double> numbers(size);
      for (const bool second : {false, true}) experiment->run(second, numbers);
    }
  }
}

TEST(Matrix, AChoiceLeavesNothingElse) {
  const Choice choice{{3.0}, 1e-5, {StrategyKind::tree}, {Neighbours::zero_out}};
  for (const std::vector<Configuration>& matrix : {full_matrix(choice), fast_matrix(choice)}) {
    EXPECT_FALSE(matrix.empty());
    for (const Configuration& c : matrix) {
      EXPECT_EQ(c.promise.budget.epsilon, 3.0);
      EXPECT_EQ(c.promise.budget.delta, 1e-5);
      EXPECT_EQ(c.promise.strategy.kind, StrategyKind::tree);
      EXPECT_EQ(c.promise.neighbours, Neighbours::zero_out);
    }
  }
}

TEST(Matrix, OfOneStepHasNoPlacesButTheFirst) {
  privacy::MechanismRequest promise;
  promise.strategy.horizon = Horizon::known(1);
  for (const Configuration& c : matrix_of(promise, 1)) EXPECT_EQ(c.place, Place::first);
}

}  // namespace
}  // namespace rivulet::audit
