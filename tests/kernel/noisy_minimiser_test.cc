// Output perturbation through the real kernel: how far its minimiser moves, how far it is from the exact one, and the
// noise it carries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernel/history_kernel.h"
#include "kernel/kept_rows.h"
#include "kernel/newton_minimiser.h"
#include "loss/every_loss.h"
#include "privacy/erm_minimiser.h"
#include "privacy/erm_schedule.h"
#include "rivulet/error.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

using testing::NewtonMinimiser;

struct Row {
  std::vector<double> x;
  double y = 0.0;
};

privacy::GradientPlan plan_for(std::size_t dimension, Neighbours neighbours = Neighbours::replace,
                               std::uint64_t rows_per_unit = 1) {
  privacy::GradientRequest request;
  request.neighbours = neighbours;
  request.dimension = dimension;
  request.most_sums = 4000;
  request.units = rows_per_unit > 1;
  request.rows_per_unit = rows_per_unit;
  return privacy::GradientPlan(request);
}

void feed(HistoryKernel& kernel, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    kernel.observe(row.x, row.y);
    kernel.close_step();
  }
}

NoisyMinimiser noise_free(const privacy::GradientPlan& plan, const std::shared_ptr<const Loss>& loss,
                          const std::vector<Row>& rows, const MinimiserRequest& request) {
  HistoryKernel kernel(plan, Schema::unit_ball(plan.request().dimension), loss, 1.0,
                       std::make_unique<testing::ZeroNoise>());
  feed(kernel, rows);
  NoisyMinimiser out;
  kernel.noisy_minimiser(request, 0.01, out);
  return out;
}

// Rows as the kernel keeps them, in natural units: x and then y.
std::vector<std::vector<double>> kept(const privacy::GradientPlan& plan, const std::vector<Row>& rows) {
  const RowLattice lattice(Schema::unit_ball(plan.request().dimension), plan.limits());
  RowScratch scratch;
  std::vector<std::vector<double>> result;
  for (const Row& row : rows) {
    std::vector<double> entries(lattice.order());
    lattice.quantise(row.x, row.y, entries, scratch);
    for (double& entry : entries) entry = std::ldexp(entry, -static_cast<int>(plan.limits().bits));
    result.push_back(entries);
  }
  return result;
}

// In lattice units.
double distance(const NoisyMinimiser& a, const NoisyMinimiser& b) {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    squares += std::pow(static_cast<double>(a.values[i] - b.values[i]), 2);
  }
  return std::sqrt(squares);
}

struct Setting {
  std::shared_ptr<const Loss> loss;
  double radius;
  double ridge;
};

// Radii and ridges where the ball binds and where it does not, where the ridge rules and where the loss does.
std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const auto& loss : testing::every_loss()) {
    for (const double radius : {0.15, 0.7, 4.0}) {
      if (!std::isfinite(loss->smoothness(radius * 1.001))) continue;
      for (const double ridge : {0.01, 0.3, 20.0}) all.push_back({loss, radius, ridge});
    }
  }
  return all;
}

// Long rows in every direction, short ones, rows beyond the ball and the zero row, with every kind of target.
std::vector<Row> hostile_rows(std::size_t dimension, std::mt19937_64& random) {
  std::vector<Row> rows;
  std::vector<std::vector<double>> directions;
  for (std::size_t i = 0; i < dimension; ++i) {
    std::vector<double> axis(dimension, 0.0);
    axis[i] = 1.0;
    directions.push_back(axis);
  }
  directions.emplace_back(dimension, 1.0);  // cut to the ball
  directions.emplace_back(dimension, 0.0);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < 2; ++i) {
    std::vector<double> any(dimension);
    for (double& entry : any) entry = uniform(random);
    directions.push_back(any);
  }
  for (const std::vector<double>& direction : directions) {
    for (const double y : {1.0, -1.0, 0.3}) rows.push_back({direction, y});
  }
  return rows;
}

std::vector<Row> some_of(const std::vector<Row>& rows, std::size_t count, std::mt19937_64& random) {
  std::vector<Row> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(rows[random() % rows.size()]);
  return chosen;
}

TEST(NoisyMinimiser, NoRowMovesItFurtherThanTheNoiseIsMadeForAndSomeDoMoreThanHalf) {
  std::mt19937_64 random(1);
  for (const Setting& setting : settings()) {
    double furthest = 0.0;  // of the sensitivity, in natural units
    for (const std::size_t dimension : {1U, 2U, 3U}) {
      const privacy::GradientPlan replace = plan_for(dimension);
      const privacy::GradientPlan zero_out = plan_for(dimension, Neighbours::zero_out);
      const std::vector<Row> hostile = hostile_rows(dimension, random);
      for (const std::size_t count : {1U, 2U, 5U}) {
        for (const std::uint64_t iterations : {1U, 3U, 300U}) {
          const MinimiserRequest request{setting.radius, setting.ridge, iterations};
          const std::vector<Row> others = some_of(hostile, count - 1, random);
          std::vector<NoisyMinimiser> found;
          for (const Row& last : hostile) {
            std::vector<Row> rows = others;
            rows.push_back(last);
            found.push_back(noise_free(replace, setting.loss, rows, request));
          }
          for (std::size_t i = 0; i < found.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
              const double moved = distance(found[i], found[j]);
              ASSERT_LE(moved, replace.lattice_sensitivity()) << setting.loss->name();
              furthest = std::max(furthest, moved / replace.lattice_sensitivity());
            }
          }
          // Against the zero row, half of that.
          std::vector<Row> without = others;
          without.push_back({std::vector<double>(dimension, std::nan("")), 0.0});
          const NoisyMinimiser zeroed = noise_free(zero_out, setting.loss, without, request);
          for (std::size_t i = 0; i < found.size(); i += 2) {
            std::vector<Row> rows = others;
            rows.push_back(hostile[i]);
            ASSERT_LE(distance(noise_free(zero_out, setting.loss, rows, request), zeroed),
                      zero_out.lattice_sensitivity());
          }
        }
      }
    }
    // The bound is not idle where the ridge rules; a squared loss over a large ball has an L that no minimiser meets.
    if (setting.ridge < 20.0 || setting.radius == 4.0) continue;
    EXPECT_GT(furthest, 0.5) << setting.loss->name();
  }
}

TEST(NoisyMinimiser, TheRowsOfAUnitTogetherMoveItNoFurtherThanTheNoiseIsMadeFor) {
  const std::shared_ptr<const Loss> loss = parse_loss("huber:0.1");
  const privacy::GradientPlan plan = plan_for(1, Neighbours::replace, 3);
  const MinimiserRequest request{0.5, 2.0, 50};
  NoisyMinimiser found[2];
  for (int which = 0; which < 2; ++which) {
    HistoryKernel kernel(plan, Schema::unit_ball(1), loss, 1.0, std::make_unique<testing::ZeroNoise>());
    for (int i = 0; i < 10; ++i) {
      const bool changed = i < 7;  // three of these count
      kernel.observe(std::vector<double>{1.0}, changed && which == 1 ? -1.0 : 1.0,
                     changed ? std::string("a") : "b" + std::to_string(i));
      kernel.close_step();
    }
    kernel.noisy_minimiser(request, 0.01, found[which]);
  }
  EXPECT_LE(distance(found[0], found[1]), plan.lattice_sensitivity());
  EXPECT_GT(distance(found[0], found[1]), 0.9 * plan.lattice_sensitivity());
}

// The same steps with 11 bits more.
std::vector<long double> exact_steps(const Setting& setting, const std::vector<std::vector<double>>& rows,
                                     const privacy::MinimiserProblem& problem, std::uint64_t iterations) {
  const testing::SmoothFormula formula(*setting.loss);
  const std::size_t d = problem.dimension;
  const long double ridge = problem.ridge;
  const long double curvature = ridge + 0.5L * problem.smoothness;
  std::vector<long double> theta(d, 0.0L);
  for (std::uint64_t step = 0; step < iterations; ++step) {
    std::vector<long double> gradient(d);
    for (std::size_t i = 0; i < d; ++i) gradient[i] = ridge * theta[i];
    for (const std::vector<double>& row : rows) {
      long double p = 0.0L;
      for (std::size_t i = 0; i < d; ++i) p += theta[i] * row[i];
      const long double slope = formula.slopes(p, row[d]).first / problem.rows;
      for (std::size_t i = 0; i < d; ++i) gradient[i] += slope * row[i];
    }
    for (std::size_t i = 0; i < d; ++i) theta[i] -= gradient[i] / curvature;
    const long double norm = NewtonMinimiser::norm(theta);
    if (norm <= problem.radius) continue;
    for (long double& entry : theta) entry *= problem.radius / norm;
  }
  return theta;
}

std::vector<double> computed_steps(const Setting& setting, const std::vector<std::vector<double>>& rows,
                                   const privacy::MinimiserProblem& problem, std::uint64_t iterations) {
  std::vector<std::int32_t> entries;
  for (const std::vector<double>& row : rows) {
    for (const double entry : row) entries.push_back(static_cast<std::int32_t>(std::ldexp(entry, 15)));
  }
  RowBlock block(problem.dimension + 1, 0x1p-15);
  RidgeMinimiser minimiser(problem, dynamic_cast<const loss::LibraryLoss&>(*setting.loss), 15);
  return minimiser.minimise(entries, iterations, block);
}

// The part of the sensitivity that no pair of rows shows, because it is 1e-13 of the whole.
TEST(NoisyMinimiser, RoundingTakesItNoFurtherFromExactStepsThanItsBoundSays) {
  std::mt19937_64 random(2);
  double furthest = 0.0;  // of the bound
  for (const Setting& setting : settings()) {
    for (const std::size_t dimension : {1U, 2U, 3U}) {
      const privacy::GradientPlan plan = plan_for(dimension);
      const std::vector<Row> hostile = hostile_rows(dimension, random);
      for (const std::size_t count : {1U, 6U, 300U}) {
        const std::vector<std::vector<double>> rows = kept(plan, some_of(hostile, count, random));
        const auto problem = privacy::MinimiserProblem::of(*setting.loss, dimension, static_cast<double>(count),
                                                           setting.radius, setting.ridge);
        for (const std::uint64_t iterations : {1U, 2U, 7U, 300U}) {
          const std::vector<long double> exact = exact_steps(setting, rows, problem, iterations);
          const std::vector<double> computed = computed_steps(setting, rows, problem, iterations);
          long double squares = 0.0L;
          for (std::size_t i = 0; i < dimension; ++i) squares += (computed[i] - exact[i]) * (computed[i] - exact[i]);
          ASSERT_LE(std::sqrt(squares), problem.rounding())
              << setting.loss->name() << " " << setting.radius << " " << setting.ridge << " after " << iterations;
          furthest = std::max(furthest, static_cast<double>(std::sqrt(squares)) / problem.rounding());
        }
      }
    }
  }
  EXPECT_GT(furthest, 0.3);
}

TEST(NoisyMinimiser, WithEnoughStepsItIsTheMinimiserOfAnIndependentSolver) {
  std::mt19937_64 random(3);
  for (const Setting& setting : settings()) {
    for (const std::size_t dimension : {1U, 3U}) {
      const privacy::GradientPlan plan = plan_for(dimension);
      const auto rows = kept(plan, some_of(hostile_rows(dimension, random), 400, random));
      const auto exact = NewtonMinimiser(*setting.loss, rows, setting.ridge, setting.radius).minimise();
      const auto problem =
          privacy::MinimiserProblem::of(*setting.loss, dimension, 400.0, setting.radius, setting.ridge);
      // Before it is truncated to the lattice, which for so few rows is coarser than this.
      const auto found = computed_steps(setting, rows, problem, setting.ridge < 0.1 ? 12000 : 600);
      for (std::size_t i = 0; i < dimension; ++i) {
        EXPECT_NEAR(found[i], static_cast<double>(exact[i]), 1e-9)
            << setting.loss->name() << " " << setting.radius << " " << setting.ridge;
      }
    }
  }
}

// 2000 minimisers of 3 coordinates over zero rows, whose minimiser is 0: the sample deviation of 6000 normals is within
// 5% except with probability 5e-8; half the noise, or that of another ridge or number of rows, is off by far more.
TEST(NoisyMinimiser, CarriesTheNoiseThatItsPriceCallsFor) {
  for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
    const privacy::GradientPlan plan = plan_for(3, neighbours);
    const std::shared_ptr<const Loss> loss = parse_loss("huber:0.5");
    HistoryKernel kernel(plan, Schema::unit_ball(3), loss, 1.0, DiscreteGaussianNoise::insecure(7));
    feed(kernel, std::vector<Row>(40, Row{{0.0, 0.0, 0.0}, 0.0}));
    kernel.begin_call(1);
    const double mu = plan.mu() / 64.0;
    const double unit = privacy::MinimiserProblem::of(*loss, 3, 40.0, 1.0, 0.2).lattice_unit(plan, 100);
    double squares = 0.0;
    NoisyMinimiser out;
    for (int i = 0; i < 2000; ++i) {
      kernel.noisy_minimiser({1.0, 0.2, 100}, mu, out);
      for (const Int128 value : out.values) squares += std::pow(static_cast<double>(value) * unit, 2);
    }
    const double sensitivity = (neighbours == Neighbours::replace ? 2.0 : 1.0) * 0.5 / (40.0 * 0.2);
    EXPECT_NEAR(std::sqrt(squares / 6000.0), sensitivity / mu, 0.05 * sensitivity / mu);
    EXPECT_GE(plan.sigma_for(mu) * unit, sensitivity / mu);
    EXPECT_NEAR(kernel.spend().spent_mu(), mu * std::sqrt(2000.0), 1e-9);
  }
}

TEST(NoisyMinimiser, TheOrderOfRowsShowsInNoBit) {
  std::mt19937_64 random(4);
  const privacy::GradientPlan plan = plan_for(3);
  std::vector<Row> rows = some_of(hostile_rows(3, random), 700, random);
  const std::shared_ptr<const Loss> loss = make_logistic_loss();
  const NoisyMinimiser first = noise_free(plan, loss, rows, {2.0, 0.1, 60});
  std::shuffle(rows.begin(), rows.end(), random);
  EXPECT_EQ(noise_free(plan, loss, rows, {2.0, 0.1, 60}).values, first.values);
}

TEST(NoisyMinimiser, ARestoredKernelGoesOnFromTheSameRowsAndTheSameAccount) {
  std::mt19937_64 random(5);
  const privacy::GradientPlan plan = plan_for(2);
  const std::vector<Row> rows = some_of(hostile_rows(2, random), 50, random);
  const auto fresh = [&] {
    return HistoryKernel(plan, Schema::unit_ball(2), make_logistic_loss(), 1.0, std::make_unique<testing::ZeroNoise>());
  };
  HistoryKernel whole = fresh();
  HistoryKernel first = fresh();
  feed(whole, rows);
  feed(first, rows);
  const double mu = privacy::even_part(plan.mu(), 2);
  NoisyMinimiser expected, found;
  whole.noisy_minimiser({1.0, 0.1, 50}, mu, expected);
  first.noisy_minimiser({1.0, 0.1, 50}, mu, found);
  SensitiveState state;
  first.save(state);
  HistoryKernel second = fresh();
  second.restore(state);
  EXPECT_EQ(second.spend().spent_mu(), whole.spend().spent_mu());
  whole.noisy_minimiser({1.0, 0.1, 80}, mu, expected);
  second.noisy_minimiser({1.0, 0.1, 80}, mu, found);
  EXPECT_EQ(found.values, expected.values);
  EXPECT_EQ(found.rows, 50U);
  EXPECT_THROW(second.noisy_minimiser({1.0, 0.1, 80}, 0.01 * mu, found), Error);
}

TEST(NoisyMinimiser, RefusesWhatTheBudgetDoesNotPayForAndWhatItCannotBound) {
  const privacy::GradientPlan plan = plan_for(2);
  const auto kernel_for = [&](const std::shared_ptr<const Loss>& loss) {
    HistoryKernel kernel(plan, Schema::unit_ball(2), loss, 1.0, std::make_unique<testing::ZeroNoise>());
    feed(kernel, {{{0.5, 0.5}, 1.0}});
    return kernel;
  };
  NoisyMinimiser out;
  HistoryKernel kernel = kernel_for(make_logistic_loss());
  const double mu = privacy::even_part(plan.mu(), 4);
  for (int i = 0; i < 4; ++i) kernel.noisy_minimiser({1.0, 0.1, 5}, mu, out);
  out.values.clear();
  EXPECT_THROW(kernel.noisy_minimiser({1.0, 0.1, 5}, 1e-3 * mu, out), Error);
  HistoryKernel fresh = kernel_for(make_logistic_loss());
  EXPECT_THROW(fresh.noisy_minimiser({1.0, 0.1, 5}, 1.01 * plan.mu(), out), Error);
  EXPECT_THROW(fresh.noisy_minimiser({1.0, 0.0, 5}, mu, out), RequestError);
  EXPECT_THROW(fresh.noisy_minimiser({1.0, -1.0, 5}, mu, out), RequestError);
  EXPECT_THROW(fresh.noisy_minimiser({std::nan(""), 0.1, 5}, mu, out), RequestError);
  EXPECT_THROW(fresh.noisy_minimiser({1e101, 0.1, 5}, mu, out), RequestError);
  EXPECT_THROW(fresh.noisy_minimiser({1.0, 0.1, 0}, mu, out), Error);
  EXPECT_THROW(kernel_for(make_hinge_loss()).noisy_minimiser({1.0, 0.1, 5}, mu, out), RequestError);
  EXPECT_THROW(kernel_for(make_quantile_loss(0.5)).noisy_minimiser({1.0, 0.1, 5}, mu, out), RequestError);
  const auto own = std::make_shared<CustomLoss>(
      "own", [](double p, double y) { return (p - y) * (p - y); }, [](double p, double y) { return 2.0 * (p - y); },
      CustomLoss::Constants{.radius = 2.0, .lipschitz = 6.0, .smoothness = 2.0});
  EXPECT_THROW(kernel_for(own).noisy_minimiser({1.0, 0.1, 5}, mu, out), Error);
  HistoryKernel empty(plan, Schema::unit_ball(2), make_logistic_loss(), 1.0, std::make_unique<testing::ZeroNoise>());
  EXPECT_THROW(empty.noisy_minimiser({1.0, 0.1, 5}, mu, out), Error);
  EXPECT_TRUE(out.values.empty());
  EXPECT_EQ(fresh.spend().spent_mu(), 0.0);
}

}  // namespace
}  // namespace rivulet::kernel
