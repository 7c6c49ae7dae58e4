#include "solve/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "solve/instances.h"

namespace rivulet::solve {
namespace {

Eigen::MatrixXd as_matrix(const std::vector<double>& entries, std::size_t dimension) {
  const auto d = static_cast<Eigen::Index>(dimension);
  return Eigen::Map<const Eigen::MatrixXd>(entries.data(), d, d);
}

TEST(Cholesky, SolvesAndInvertsOnBothSidesOfTheChangeOfMethod) {
  std::mt19937_64 generator(41);
  for (const std::size_t d : {1, 2, 3, 7, 11, 47, 48, 49, 50, 120}) {
    const Instance instance = random_instance(generator, d, 400, 3.0, 0.1);
    const double shift = 2.5;
    Cholesky cholesky(d);
    ASSERT_TRUE(cholesky.factor(instance.gram, shift));
    const auto n = static_cast<Eigen::Index>(d);
    const Eigen::MatrixXd matrix = as_matrix(instance.gram, d) + shift * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd expected =
        matrix.fullPivLu().solve(Eigen::Map<const Eigen::VectorXd>(instance.cross.data(), n));

    std::vector<double> solution(d);
    cholesky.solve(instance.cross, solution);
    std::vector<double> half(d);
    cholesky.solve_half(instance.cross, half);
    double half_squared = 0.0;
    double product = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
      EXPECT_NEAR(solution[i], expected[static_cast<Eigen::Index>(i)], 1e-11 * expected.norm());
      half_squared += half[i] * half[i];
      product += instance.cross[i] * solution[i];
    }
    EXPECT_NEAR(half_squared, product, 1e-11 * std::abs(product));
    std::vector<double> other_half(d);
    cholesky.solve_other_half(half, other_half);
    EXPECT_EQ(other_half, solution);

    std::vector<double> inverse(d * d);
    cholesky.invert(inverse);
    const Eigen::MatrixXd identity = matrix * as_matrix(inverse, d);
    EXPECT_LT((identity - Eigen::MatrixXd::Identity(n, n)).norm(), 1e-11) << d;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(inverse[i * d + j], inverse[j * d + i]);
    }
  }
}

TEST(Cholesky, RefusesExactlyTheMatricesThatAreNotPositiveDefinite) {
  std::mt19937_64 generator(42);
  for (const std::size_t d : {1, 2, 5, 11, 60}) {
    const Instance instance = random_instance(generator, d, 50, 2.0, 2.0);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(as_matrix(instance.gram, d));
    const double lowest = eigen.eigenvalues()[0];
    const double scale = eigen.eigenvalues().cwiseAbs().maxCoeff();
    Cholesky cholesky(d);
    EXPECT_TRUE(cholesky.factor(instance.gram, -lowest + 1e-9 * scale)) << d;
    EXPECT_FALSE(cholesky.factor(instance.gram, -lowest - 1e-9 * scale)) << d;
  }
}

}  // namespace
}  // namespace rivulet::solve
