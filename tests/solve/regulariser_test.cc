
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "rivulet/constraint.h"
#include "solve/default_solver.h"
#include "solve/instances.h"

namespace rivulet::solve {
namespace {

TEST(Regulariser, ChangesEigenvaluesByItsFormulaAndKeepsEigenvectors) {
  std::mt19937_64 generator(71);
  for (const std::size_t d : {1, 3, 11, 60}) {
    const double sigma = 0.5;
    const Instance instance = random_instance(generator, d, 300, 4.0, sigma);
    const NoiseLevel noise{sigma, sigma / std::sqrt(2.0), sigma};
    Regulariser regulariser(d, 2.0);
    const double kappa = regulariser.noise_floor(noise);
    const double root = std::sqrt(static_cast<double>(d));
    EXPECT_NEAR(kappa, 1.5 * root * sigma * std::sqrt(0.5 + 0.25), 1e-12 * kappa);
    const double tau = std::max(kappa, 1.5 * sigma * root);
    const Quadratic changed = regulariser.apply(instance.quadratic(), noise);

    const auto n = static_cast<Eigen::Index>(d);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
        Eigen::Map<const Eigen::MatrixXd>(instance.gram.data(), n, n));
    const Eigen::VectorXd g = eigen.eigenvalues();
    const Eigen::VectorXd m = g.array() + 2.0 * kappa * kappa / (g.array() + tau);
    const Eigen::MatrixXd expected = eigen.eigenvectors() * m.asDiagonal() * eigen.eigenvectors().transpose();
    const Eigen::MatrixXd actual = Eigen::Map<const Eigen::MatrixXd>(changed.gram.data(), n, n);
    EXPECT_LT((actual - expected).norm(), 1e-10 * expected.norm()) << d;
    EXPECT_EQ(changed.cross.data(), instance.cross.data());
  }
}

TEST(Regulariser, LeavesTheQuadraticAloneWithoutNoise) {
  std::mt19937_64 generator(72);
  const Instance instance = random_instance(generator, 4, 50, 2.0, 0.0);
  Regulariser regulariser(4, 1.0);
  EXPECT_EQ(regulariser.apply(instance.quadratic(), NoiseLevel{}).gram.data(), instance.gram.data());
}

TEST(Regulariser, SurvivesNoiseFarBeyondItsStatedLevel) {
  std::mt19937_64 generator(73);
  const Instance instance = random_instance(generator, 6, 10, 2.0, 1000.0);
  Regulariser regulariser(6, 1.0);
  for (const double entry : regulariser.apply(instance.quadratic(), NoiseLevel{1e-3, 1e-3, 1e-3}).gram) {
    EXPECT_TRUE(std::isfinite(entry));
  }
}

// Excess risk on the noise-free objective, summed over draws, with and without regularisation. The seed is fixed, so
// the test cannot flake. Ratios measured: 0.996 at sigma 0.01, then 0.54, 0.10 and 0.25.
TEST(Regulariser, LowersTheExcessRiskWhereNoiseMattersAndKeepsItWhereItDoesNot) {
  std::mt19937_64 generator(74);
  for (const double sigma : {0.01, 1.0, 10.0, 100.0}) {
    double with = 0.0;
    double without = 0.0;
    for (int draw = 0; draw < 60; ++draw) {
      const std::size_t d = 8;
      const std::mt19937_64 before = generator;
      const Instance clean = random_instance(generator, d, 500, 10.0, 0.0);
      generator = before;
      const Instance noisy = random_instance(generator, d, 500, 10.0, sigma);
      const std::shared_ptr<const ConstraintSet> ball = make_l2_ball(d, 5.0);
      DefaultSolver plain(ball, {.regularise = false});
      DefaultSolver regularised(ball);
      const NoiseLevel noise{sigma, sigma / std::sqrt(2.0), sigma};
      DefaultSolver exact(ball, {.regularise = false});
      const double best = clean.quadratic().value(exact.solve(clean.quadratic(), NoiseLevel{}));
      with += clean.quadratic().value(regularised.solve(noisy.quadratic(), noise)) - best;
      without += clean.quadratic().value(plain.solve(noisy.quadratic(), noise)) - best;
    }
    EXPECT_LT(with, (sigma > 0.5 ? 0.8 : 1.05) * without) << sigma << ": " << with << " against " << without;
  }
}

}  // namespace
}  // namespace rivulet::solve
