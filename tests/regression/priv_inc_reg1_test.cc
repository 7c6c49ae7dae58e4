#include "rivulet/priv_inc_reg1.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cmath>
#include <random>
#include <thread>

#include "not_private/exact_least_squares.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/error.h"
#include "synthetic_stream.h"

namespace rivulet {
namespace {

StreamOptions unit_ball_options(std::size_t dimension) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(dimension);
  options.constraint = "l2:1";
  options.insecure_seed = 1;
  return options;
}

TEST(PrivIncReg1, TenLinesGiveAModelInTheUsersUnits) {
  StreamOptions options;
  options.budget = {.epsilon = 2.0, .delta = 1e-6};
  options.schema.feature("age", {18, 90}).feature("income", {0, 200000}).target("spend", {0, 5000});
  options.release_every = 100;
  options.insecure_seed = 7;
  PrivIncReg1 regression(options);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> age(18, 90), income(0, 200000);
  std::uint64_t releases = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::array person{age(random), income(random)};
    if (regression.observe(person, 400.0 + 10.0 * person[0] + 0.015 * person[1])) ++releases;
  }
  EXPECT_EQ(releases, 2000U);
  const Model model = regression.model();
  EXPECT_EQ(model.step, 2000U);
  EXPECT_EQ(model.rows, 200000U);
  EXPECT_EQ(model.coefficients[0].name, "age");
  EXPECT_NEAR(model.coefficients[0].value, 10.0, 0.5);
  EXPECT_NEAR(model.coefficients[1].value, 0.015, 0.0005);
  EXPECT_NEAR(model.predict({40.0, 100000.0}), 2300.0, 30.0);
  EXPECT_GT(model.noise.gram_diagonal, 0.0);
  EXPECT_TRUE(model.not_private) << "an insecure seed must show";
  EXPECT_TRUE(regression.statistics().not_private);
  options.insecure_seed.reset();
  PrivIncReg1 secure(options);
  secure.observe(std::array{30.0, 1000.0}, 100.0);
  secure.flush();
  EXPECT_FALSE(secure.model().not_private);
}

TEST(PrivIncReg1, TheModelImprovesAsTheStreamGrows) {
  auto options = unit_ball_options(5);
  PrivIncReg1 regression(options);
  not_private::ExactLeastSquares exact(options.schema, options.constraint);
  experiments::IsotropicStream stream(5, 0.8, 0.1, 2);
  double early = 0.0;
  for (int i = 1; i <= 200000; ++i) {
    const auto& row = stream.next();
    exact.observe(row.x, row.y);
    regression.observe(row.x, row.y);
    if (i == 1000) early = exact.r_squared(regression.model().theta);
  }
  EXPECT_GT(exact.r_squared(regression.model().theta), early);
  EXPECT_GT(exact.r_squared(regression.model().theta), 0.99 * exact.r_squared(exact.model().theta));
}

TEST(PrivIncReg1, SameSeedAndRowsGiveTheSameBitsInOneCallOrManyOrFromThreads) {
  auto options = unit_ball_options(4);
  options.release_every = 250;
  PrivIncReg1 one(options), many(options), threaded(options);
  experiments::IsotropicStream stream(4, 0.7, 0.2, 5);
  std::vector<double> values, targets;
  for (int i = 0; i < 1000; ++i) {
    const auto& row = stream.next();
    values.insert(values.end(), row.x.begin(), row.x.end());
    targets.push_back(row.y);
  }
  EXPECT_EQ(many.observe_many(values, targets), 4U);
  for (std::size_t i = 0; i < 1000; ++i) one.observe(std::span(values).subspan(4 * i, 4), targets[i]);
  for (std::size_t step = 0; step < 4; ++step) {
    RowBatch even = threaded.make_batch();
    RowBatch odd = threaded.make_batch();
    const auto gather = [&](RowBatch& batch, std::size_t first) {
      for (std::size_t i = first; i < 250; i += 2) {
        const std::size_t row = step * 250 + i;
        batch.observe(std::span(values).subspan(4 * row, 4), targets[row]);
      }
    };
    std::thread other([&] { gather(odd, 1); });
    gather(even, 0);
    other.join();
    odd.merge(std::move(even));
    EXPECT_TRUE(threaded.absorb(std::move(odd)));
  }
  EXPECT_EQ(one.statistics().gram, many.statistics().gram);
  EXPECT_EQ(one.statistics().cross, many.statistics().cross);
  EXPECT_EQ(one.statistics().gram, threaded.statistics().gram);
  EXPECT_EQ(one.model().theta, threaded.model().theta);
}

TEST(PrivIncReg1, AKnownHorizonEndsThePublicationsAndKeepsThem) {
  auto options = unit_ball_options(2);
  options.horizon = Horizon::known(3);
  options.release_every = 2;
  PrivIncReg1 regression(options);
  const std::array row{0.5, 0.5};
  for (int i = 0; i < 6; ++i) regression.observe(row, 0.1);
  const std::vector<double> last = regression.model().theta;
  EXPECT_THROW(regression.observe(row, 0.1), HorizonExceeded);
  EXPECT_FALSE(regression.flush());
  EXPECT_EQ(regression.step(), 3U);
  EXPECT_EQ(regression.released_rows(), 6U);
  EXPECT_EQ(regression.model().theta, last);
}

TEST(PrivIncReg1, FlushReleasesAnUnfinishedStepOnce) {
  auto options = unit_ball_options(2);
  options.release_every = 10;
  PrivIncReg1 regression(options);
  const std::array row{0.5, 0.5};
  EXPECT_THROW((void)regression.model(), Error);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(regression.observe(row, 0.1));
  EXPECT_TRUE(regression.flush());
  EXPECT_FALSE(regression.flush());
  EXPECT_EQ(regression.released_rows(), 3U);
}

TEST(PrivIncReg1, UnusableRowsCountForTheStepAndForTheOperatorOnly) {
  auto options = unit_ball_options(2);
  options.release_every = 4;
  PrivIncReg1 with_bad(options), with_zero(options);
  const std::array good{0.5, -0.5};
  const std::array bad{std::nan(""), 0.5};
  const std::array zero{0.0, 0.0};
  for (int i = 0; i < 2; ++i) {
    with_bad.observe(good, 0.3);
    with_zero.observe(good, 0.3);
    with_bad.observe(bad, 0.3);
    with_zero.observe(zero, 0.0);
  }
  EXPECT_EQ(with_bad.unusable_rows_for_operator(), 2U);
  EXPECT_EQ(with_bad.statistics().gram, with_zero.statistics().gram);
  EXPECT_EQ(with_bad.statistics().rows, 4U);
}

TEST(PrivIncReg1, EveryStrategyProfileAndNeighbourhoodRuns) {
  const std::array row{0.5, -0.5};
  for (StrategyKind strategy : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    for (Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
      for (const char* constraint : {"l2:1", "l1:1"}) {
        auto options = unit_ball_options(2);
        options.strategy = strategy;
        options.neighbours = neighbours;
        options.constraint = constraint;
        options.horizon = Horizon::known(64);
        PrivIncReg1 regression(options);
        for (int i = 0; i < 64; ++i) {
          ASSERT_TRUE(regression.observe(row, 0.25));
          const Model model = regression.model();
          ASSERT_LE(std::hypot(model.theta[0], model.theta[1]), 1.0);
        }
      }
    }
  }
  auto options = unit_ball_options(2);
  options.profile = Profile::paper;
  options.horizon = Horizon::known(64);
  PrivIncReg1 paper(options);
  for (int i = 0; i < 64; ++i) paper.observe(row, 0.25);
  EXPECT_FALSE(paper.statistics().has_target_square);
  EXPECT_EQ(paper.options().strategy, StrategyKind::tree);
  (void)paper.model();
}

TEST(PrivIncReg1, RequestsThatCannotBeHonouredAreRefusedBeforeAnyRow) {
  const auto refused = [](auto change) {
    auto options = unit_ball_options(2);
    change(options);
    EXPECT_THROW(PrivIncReg1{options}, RequestError);
  };
  refused([](auto& o) { o.budget.epsilon = 0; });
  refused([](auto& o) { o.budget.delta = 1; });
  refused([](auto& o) { o.constraint = "l2:0"; });
  refused([](auto& o) { o.constraint = "l7:1"; });
  refused([](auto& o) { o.release_every = 0; });
  refused([](auto& o) { o.strategy = StrategyKind::tree; });
  refused([](auto& o) { o.profile = Profile::paper; });
  refused([](auto& o) { o.solver = Solver::noisy_proj_grad; });
  refused([](auto& o) { o.schema = Schema(); });
}

TEST(PrivIncReg1, StatisticsCarryTheStatedNoise) {
  // Zero rows: the statistics are pure noise. 300 runs of one step; entries are independent.
  double gram = 0.0, off = 0.0, cross = 0.0, square = 0.0;
  Statistics last;
  constexpr int kRuns = 300;
  for (int seed = 0; seed < kRuns; ++seed) {
    auto options = unit_ball_options(8);
    options.horizon = Horizon::known(4);
    options.insecure_seed = seed;
    PrivIncReg1 regression(options);
    const std::vector<double> zero(8, 0.0);
    regression.observe(zero, 0.0);
    regression.observe(zero, 0.0);
    last = regression.statistics();
    for (std::size_t i = 0; i < 8; ++i) {
      gram += std::pow(last.gram[i * 8 + i] / last.noise.gram_diagonal, 2) / (8.0 * kRuns);
      cross += std::pow(last.cross[i] / last.noise.cross, 2) / (8.0 * kRuns);
      for (std::size_t j = 0; j < i; ++j)
        off += std::pow(last.gram[i * 8 + j] / last.noise.gram_offdiagonal, 2) / (28.0 * kRuns);
    }
    square += std::pow(last.target_square / last.target_square_stddev, 2) / kRuns;
  }
  // Five standard deviations of a mean of n squared normals, sqrt(2/n) each.
  EXPECT_NEAR(gram, 1.0, 5.0 * std::sqrt(2.0 / (8.0 * kRuns)));
  EXPECT_NEAR(cross, 1.0, 5.0 * std::sqrt(2.0 / (8.0 * kRuns)));
  EXPECT_NEAR(off, 1.0, 5.0 * std::sqrt(2.0 / (28.0 * kRuns)));
  EXPECT_NEAR(square, 1.0, 5.0 * std::sqrt(2.0 / kRuns));
}

TEST(PrivIncReg1, MemoryDoesNotGrowWithTheStream) {
  for (StrategyKind strategy : {StrategyKind::blt, StrategyKind::hybrid}) {
    auto options = unit_ball_options(3);
    options.strategy = strategy;
    PrivIncReg1 regression(options);
    const std::array row{0.1, 0.2, 0.3};
    std::size_t early = 0;
    for (int i = 1; i <= 400000; ++i) {
      regression.observe(row, 0.4);
      if (i == 10000) early = mallinfo2().uordblks;
    }
    // The tree keeps one more level of nodes each time the stream doubles; the BLT keeps nothing more.
    const std::size_t allowance = strategy == StrategyKind::blt ? 4096 : 65536;
    EXPECT_LE(mallinfo2().uordblks, early + allowance);
  }
}

}  // namespace
}  // namespace rivulet
