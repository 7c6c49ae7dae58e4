// The solvers without noise, against a minimiser that knows nothing of gradients.
#include "erm/batch_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "erm/gradient_sources.h"
#include "erm/slow_minimiser.h"
#include "loss/every_loss.h"

namespace rivulet::erm {
namespace {

using testing::ErmRow;
using testing::ExactGradients;

std::vector<ErmRow> random_rows(const Loss& loss, std::size_t dimension, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<ErmRow> rows;
  for (int i = 0; i < count; ++i) {
    ErmRow row{std::vector<double>(dimension), 0.0};
    double square = 0.0;
    for (double& entry : row.x) {
      entry = normal(random);
      square += entry * entry;
    }
    for (double& entry : row.x) entry /= std::sqrt(square);
    const double score = 0.8 * row.x[0] - 0.4 * row.x[1] + 0.3 * normal(random);
    row.y = loss.is_classification() ? (score > 0.1 ? 1.0 : -1.0) : std::clamp(score, -1.0, 1.0);
    rows.push_back(row);
  }
  return rows;
}

BatchProblem problem_for(const ExactGradients& source, const ConstraintSet& set, double ridge) {
  return {.set = &set,
          .rows = static_cast<double>(source.rows().size()),
          .lipschitz = source.loss().lipschitz(set.diameter()),
          .smoothness = source.loss().smoothness(set.diameter()),
          .ridge = ridge};
}

// (J(solution) - J(optimum)) / J(optimum).
double shortfall(ExactGradients& source, const ConstraintSet& set, double ridge, const BatchSettings& settings,
                 std::vector<double> start = {0.0, 0.0}) {
  set.project(start);
  const std::vector<double> theta = solve_batch(problem_for(source, set, ridge), settings, 1.0, source, start);
  EXPECT_TRUE(set.contains(theta)) << set.name();
  const double best = testing::grid_minimum(source, set, ridge);
  return (source.risk(theta, ridge) - best) / best;
}

std::vector<std::string> sets() {
  return {"l2:0.6", "l2:3", "l1:0.8", "simplex:1", "box:-0.4:0.5", "elastic:0.5:1", "polytope:[[1,0],[0,1],[-1,-1]]"};
}

TEST(BatchSolver, GradientDescentFindsTheMinimumOfEverySmoothLossOverEverySet) {
  for (const auto& loss : testing::every_loss()) {
    if (!std::isfinite(loss->smoothness(3.0))) continue;
    ExactGradients source(loss, random_rows(*loss, 2, 40, 3));
    for (const std::string& text : sets()) {
      const auto set = parse_constraint(text, 2);
      EXPECT_LT(shortfall(source, *set, 0.0, {.iterations = 4000}), 1e-6) << loss->name() << " " << text;
    }
  }
}

TEST(BatchSolver, GradientDescentFindsTheMinimumOfKinkedLossesToo) {
  for (const auto& loss : testing::every_loss()) {
    if (std::isfinite(loss->smoothness(3.0))) continue;
    for (const std::uint64_t seed : {3U, 4U, 5U}) {
      ExactGradients source(loss, random_rows(*loss, 2, 40, seed));
      for (const std::string& text : sets()) {
        const auto set = parse_constraint(text, 2);
        for (const double ridge : {0.0, 0.3}) {
          EXPECT_LT(shortfall(source, *set, ridge, {.iterations = 10000}), 1e-6) << loss->name() << " " << text;
        }
        EXPECT_LT(shortfall(source, *set, 0.0, {.iterations = 3000}), 1e-5) << loss->name() << " " << text;
      }
    }
  }
}

// With noise, and at the default's 200 sums at most, nothing changes: the steps of smoothing, 1 / r from the minimum.
class FaintlyNoisy final : public GradientSource {
 public:
  FaintlyNoisy(ExactGradients& exact, double noise) : exact_(exact), noise_(noise) {}
  void gradient(std::span<const double> theta, double mu_k, std::uint64_t part, std::uint64_t parts,
                std::span<double> out) override {
    exact_.gradient(theta, mu_k, part, parts, out);
    std::normal_distribution<double> normal(0.0, noise_);
    for (double& entry : out) entry += normal(random_);
    points_.emplace_back(theta.begin(), theta.end());
  }
  [[nodiscard]] double noise(double /*mu_k*/) const override { return noise_; }
  [[nodiscard]] const std::vector<std::vector<double>>& points() const { return points_; }

 private:
  ExactGradients& exact_;
  double noise_;
  std::mt19937_64 random_{1};
  std::vector<std::vector<double>> points_;
};

TEST(BatchSolver, AnnealingIsForSumsWithoutNoise) {
  const std::shared_ptr<const Loss> loss = make_quantile_loss(0.9);
  ExactGradients exact(loss, random_rows(*loss, 2, 40, 3));
  const auto set = make_l2_ball(2, 3.0);
  const BatchProblem problem = problem_for(exact, *set, 0.0);
  const std::vector<double> start{0.0, 0.0};
  // Steps that only get shorter end nearer and nearer to one another.
  const auto last_step = [&](std::uint64_t iterations, double noise) {
    FaintlyNoisy source(exact, noise);
    (void)solve_batch(problem, {.iterations = iterations}, 1.0, source, start);
    const auto& points = source.points();
    return std::hypot(points.back()[0] - points[points.size() - 2][0], points.back()[1] - points[points.size() - 2][1]);
  };
  EXPECT_LT(last_step(10000, 1e-4), 1e-7);
  EXPECT_GT(last_step(10000, 10.0), 1e-6);
  EXPECT_GT(last_step(200, 1e-4), 1e-4);
}

TEST(BatchSolver, ARidgeMakesItFast) {
  for (const auto& loss : testing::every_loss()) {
    if (!std::isfinite(loss->smoothness(3.0))) continue;
    ExactGradients source(loss, random_rows(*loss, 2, 40, 4));
    for (const std::string& text : sets()) {
      const auto set = parse_constraint(text, 2);
      EXPECT_LT(shortfall(source, *set, 0.3, {.iterations = 600}), 1e-6) << loss->name() << " " << text;
    }
  }
}

TEST(BatchSolver, AWarmStartIsNotLost) {
  const std::shared_ptr<const Loss> loss = make_logistic_loss();
  ExactGradients source(loss, random_rows(*loss, 2, 40, 5));
  const auto set = make_l2_ball(2, 2.0);
  const BatchProblem problem = problem_for(source, *set, 0.0);
  const std::vector<double> optimum =
      solve_batch(problem, {.iterations = 5000}, 1.0, source, std::vector<double>{0.0, 0.0});
  const double best = source.risk(optimum);
  for (const std::uint64_t iterations : {1U, 2U, 5U, 20U}) {
    const auto theta = solve_batch(problem, {.iterations = iterations}, 1.0, source, optimum);
    EXPECT_LT(source.risk(theta), best * (1.0 + 1e-7));
  }
}

TEST(BatchSolver, PartsOfAPassComeCloseToTheMinimum) {
  // Each part has a minimum of its own, so that constant steps end in a neighbourhood.
  const std::shared_ptr<const Loss> loss = make_squared_loss();
  ExactGradients source(loss, random_rows(*loss, 2, 4000, 6));
  const auto set = make_l2_ball(2, 1.0);
  EXPECT_LT(shortfall(source, *set, 0.0, {.iterations = 50, .parts = 4}), 1e-2);
}

// J - J* <= 2 C_J / (r + 2) (Jaggi 2013, theorem 1), C_J <= n smoothness (2 ||K||)^2.
TEST(BatchSolver, FrankWolfeKeepsToItsRate) {
  for (const auto& loss : testing::every_loss()) {
    if (!std::isfinite(loss->smoothness(3.0))) continue;
    ExactGradients source(loss, random_rows(*loss, 2, 40, 7));
    for (const std::string& text : sets()) {
      const auto set = parse_constraint(text, 2);
      const double best = testing::grid_minimum(source, *set, 0.0);
      const BatchProblem problem = problem_for(source, *set, 0.0);
      const double curvature = 40.0 * problem.smoothness * std::pow(2.0 * set->diameter(), 2.0);
      std::vector<double> start{0.0, 0.0};
      set->project(start);
      for (const std::uint64_t iterations : {1U, 8U, 100U, 2000U}) {
        const BatchSettings settings{.method = BatchMethod::frank_wolfe, .iterations = iterations};
        const double risk = source.risk(solve_batch(problem, settings, 1.0, source, start));
        const double limit = 2.0 * curvature / (static_cast<double>(iterations) + 2.0);
        EXPECT_LE(risk - best, limit + 1e-12 * best) << loss->name() << " " << text;
      }
    }
  }
}

TEST(BatchSolver, FrankWolfeReachesAMinimumAtAVertexExactly) {
  const std::shared_ptr<const Loss> loss = make_squared_loss();
  ExactGradients source(loss, random_rows(*loss, 2, 40, 8));
  const auto set = make_l1_ball(2, 0.05);  // the unconstrained minimum lies far out
  EXPECT_LT(shortfall(source, *set, 0.0, {.method = BatchMethod::frank_wolfe, .iterations = 5}), 1e-6);
}

TEST(BatchSolver, MoreRowsAndMoreBudgetAskForMoreIterationsWithinTheLimit) {
  const auto set = make_l2_ball(5, 2.0);
  BatchProblem problem{.set = set.get(), .rows = 1000.0, .lipschitz = 1.0, .smoothness = 0.25};
  for (const BatchMethod method : {BatchMethod::gradient_descent, BatchMethod::frank_wolfe}) {
    std::uint64_t before = 0;
    for (const double mu : {1e-6, 1e-3, 1e-2, 0.1, 1.0, 1e6}) {
      const std::uint64_t iterations = chosen_iterations(method, problem, mu, 2.0, 200);
      EXPECT_GE(iterations, std::max<std::uint64_t>(before, 1));
      EXPECT_LE(iterations, 200U);
      before = iterations;
    }
    EXPECT_EQ(chosen_iterations(method, problem, 1e-6, 2.0, 200), 1U);
    EXPECT_EQ(chosen_iterations(method, problem, 1e6, 2.0, 200), 200U);
  }
  // A ridge: no more than its condition number asks for.
  problem.ridge = 0.25;
  EXPECT_LE(chosen_iterations(BatchMethod::gradient_descent, problem, 1e6, 2.0, 200), 12U);
}

}  // namespace
}  // namespace rivulet::erm
