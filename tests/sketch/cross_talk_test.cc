#include "sketch/cross_talk.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "sketch/embedding.h"

namespace rivulet::sketch {
namespace {

Eigen::MatrixXd random_symmetric(int size, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd matrix(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) matrix(i, j) = matrix(j, i) = normal(random);
  }
  return matrix;
}

double median_by_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, Eigen::EigenvaluesOnly);
  return solver.eigenvalues()[(matrix.rows() - 1) / 2];
}

double median(const Eigen::MatrixXd& matrix) {
  return median_eigenvalue({matrix.data(), static_cast<std::size_t>(matrix.size())},
                           static_cast<std::size_t>(matrix.rows()));
}

TEST(MedianEigenvalue, AgreesWithAnotherSolver) {
  std::mt19937_64 random(1);
  for (int size : {1, 2, 3, 4, 5, 10, 31, 128}) {
    for (const double scale : {1e-100, 1.0, 1e100}) {
      const Eigen::MatrixXd matrix = scale * random_symmetric(size, random);
      EXPECT_NEAR(median(matrix), median_by_eigen(matrix), 1e-9 * matrix.norm()) << size;
    }
  }
}

TEST(MedianEigenvalue, KnowsMatricesThatNeedNoReflectionAndMultipleEigenvalues) {
  EXPECT_EQ(median(Eigen::MatrixXd::Zero(5, 5)), 0.0);
  EXPECT_NEAR(median(3.0 * Eigen::MatrixXd::Identity(6, 6)), 3.0, 1e-9);
  Eigen::MatrixXd diagonal = Eigen::VectorXd::LinSpaced(7, -3.0, 3.0).asDiagonal();
  EXPECT_NEAR(median(diagonal), 0.0, 1e-9);
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(9, 9);
  EXPECT_NEAR(median(ones), 0.0, 1e-8);
}

// Rows spread over many features, sketched by the real embedding: for a fixed theta the quadratic form of the sketched
// Gram matrix is too large by about ||theta||^2 T / m, and by half of that after the correction. Fixed seeds: no false
// alarm.
TEST(CrossTalk, IsHalvedInTheQuadraticForm) {
  constexpr std::size_t d = 3000;
  constexpr std::size_t m = 150;
  constexpr int rows = 20000;
  const auto map = sketch::make_embedding({EmbeddingKind::sparse_sign, m, d, 32, 5});
  std::mt19937_64 random(6);
  Statistics statistics;
  statistics.dimension = m;
  statistics.gram.assign(m * m, 0.0);
  Eigen::Map<Eigen::MatrixXd> gram(statistics.gram.data(), m, m);
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(d);
  for (int row = 0; row < rows; ++row) {
    Eigen::VectorXd image = Eigen::VectorXd::Zero(m);
    for (int k = 0; k < 10; ++k) {
      const std::size_t feature = random() % d;
      map->add_column(feature, std::sqrt(0.1), {image.data(), m});
      counts[static_cast<Eigen::Index>(feature)] += 0.1;
    }
    image.normalize();
    gram += image * image.transpose();
  }
  const std::vector<double> corrected = with_less_cross_talk(statistics);
  const Eigen::Map<const Eigen::MatrixXd> after(corrected.data(), m, m);
  double before_sum = 0.0;
  double after_sum = 0.0;
  double truth = 0.0;
  for (std::size_t feature = 0; feature < 200; ++feature) {
    Eigen::VectorXd column = Eigen::VectorXd::Zero(m);
    map->add_column(feature, 1.0, {column.data(), m});
    before_sum += column.dot(gram * column) / 200.0;
    after_sum += column.dot(after * column) / 200.0;
    truth += counts[static_cast<Eigen::Index>(feature)] / 200.0;
  }
  EXPECT_NEAR(before_sum - truth, rows / static_cast<double>(m), 0.15 * rows / m);
  EXPECT_NEAR(after_sum - truth, 0.5 * rows / m, 0.15 * rows / m);
}

TEST(CrossTalk, IsNeverLessThanNothing) {
  Statistics statistics;
  statistics.dimension = 3;
  statistics.gram = {-5.0, 0.0, 0.0, 0.0, -6.0, 0.0, 0.0, 0.0, 9.0};
  EXPECT_EQ(with_less_cross_talk(statistics), statistics.gram);
}

}  // namespace
}  // namespace rivulet::sketch
