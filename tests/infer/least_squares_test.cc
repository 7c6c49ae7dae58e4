// Without noise, everything is textbook least squares: here by QR on the raw rows in the user's units.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "infer/sums.h"
#include "rivulet/inference.h"
#include "support/t_series.h"

namespace rivulet {
namespace {

struct Rows {
  Eigen::MatrixXd values;  // as supplied, without an intercept column
  Eigen::VectorXd target;
};

// Two numeric columns, the second leaning on the first, and a factor of three levels when there are four columns.
Rows make_rows(Eigen::Index count, Eigen::Index columns, bool three_levels, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::normal_distribution<double> normal;
  Rows rows{Eigen::MatrixXd::Zero(count, columns), Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    rows.values(i, 0) = 20.0 + 60.0 * uniform(random);
    rows.values(i, 1) = 500.0 * rows.values(i, 0) + 5e4 * uniform(random);
    double level = 0.0;
    if (columns > 2) {
      const auto drawn = static_cast<Eigen::Index>(3.0 * uniform(random));
      const Eigen::Index column = 2 + drawn - (three_levels ? 0 : 1);
      if (column >= 2) rows.values(i, column) = 1.0;
      level = 7.0 * static_cast<double>(drawn);
    }
    rows.target(i) = 3.0 + 0.8 * rows.values(i, 0) - 2e-4 * rows.values(i, 1) + level + 5.0 * normal(random);
  }
  return rows;
}

Statistics sums_of(const Schema& schema, const Rows& rows, int unusable) {
  testing::Sums sums(schema);
  for (Eigen::Index i = 0; i < rows.values.rows(); ++i) {
    const Eigen::VectorXd row = rows.values.row(i).transpose();
    sums.add({row.data(), static_cast<std::size_t>(row.size())}, rows.target(i));
  }
  for (int i = 0; i < unusable; ++i) sums.add_unusable();
  return sums.statistics();
}

// qt(0.975, 30) and qt(0.95, 30) of R.
constexpr double kQuantile95 = 2.042272456301238;
constexpr double kQuantile90 = 1.697260886593957;
constexpr int kDegrees = 30;

void expect_near(double actual, double expected, const std::string& what) {
  EXPECT_NEAR(actual, expected, 1e-9 * (1.0 + std::abs(expected))) << what;
}

void expect_textbook(const Schema& schema, const Rows& rows, int unusable, double level, double quantile) {
  const Inference inference(schema, sums_of(schema, rows, unusable), level);
  const Eigen::Index count = rows.values.rows();
  const Eigen::Index first = schema.has_intercept() ? 1 : 0;
  Eigen::MatrixXd design(count, rows.values.cols() + first);
  if (first == 1) design.col(0).setOnes();
  design.rightCols(rows.values.cols()) = rows.values;
  ASSERT_EQ(count - design.cols(), kDegrees);

  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(design);
  const Eigen::VectorXd beta = qr.solve(rows.target);
  const double residual_square = (rows.target - design * beta).squaredNorm();
  const double variance = residual_square / kDegrees;
  const Eigen::MatrixXd root = qr.matrixQR().topRows(design.cols()).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd half = qr.colsPermutation() * root.inverse();
  const Eigen::MatrixXd inverse = half * half.transpose();  // (X^T X)^-1
  const double mean = first == 1 ? rows.target.mean() : 0.0;

  EXPECT_TRUE(inference.determined());
  ASSERT_EQ(static_cast<Eigen::Index>(inference.coefficients().size()), design.cols());
  for (Eigen::Index i = 0; i < design.cols(); ++i) {
    const CoefficientInterval& c = inference.coefficients()[static_cast<std::size_t>(i)];
    const double error = std::sqrt(variance * inverse(i, i));
    EXPECT_EQ(c.name, schema.coordinate_names()[static_cast<std::size_t>(i)]);
    expect_near(c.estimate / error, beta(i) / error, c.name);
    expect_near(c.standard_error / error, 1.0, c.name);
    expect_near(c.naive_standard_error / error, 1.0, c.name);
    expect_near(c.lower / error, beta(i) / error - quantile, c.name);
    expect_near(c.upper / error, beta(i) / error + quantile, c.name);
    EXPECT_NEAR(c.p_value, testing::two_sided_tail_by_series(std::abs(beta(i) / error), kDegrees), 1e-9) << c.name;
  }
  expect_near(inference.residual_stddev(), std::sqrt(variance), "residual standard deviation");
  expect_near(inference.r_squared(), 1.0 - residual_square / (rows.target.array() - mean).square().sum(), "R^2");
  EXPECT_EQ(inference.r_squared_stddev(), 0.0);

  const Eigen::VectorXd fresh = design.row(3).transpose() * 1.5;
  const PredictionInterval p = inference.predict({fresh.data() + first, static_cast<std::size_t>(rows.values.cols())});
  Eigen::VectorXd at = fresh;
  if (first == 1) at(0) = 1.0;
  const double half_width = quantile * std::sqrt(variance * (1.0 + at.dot(inverse * at)));
  expect_near(p.value, at.dot(beta), "prediction");
  expect_near(p.lower, at.dot(beta) - half_width, "prediction's lower end");
  expect_near(p.upper, at.dot(beta) + half_width, "prediction's upper end");
}

Schema numeric_schema(bool intercept) {
  Schema schema;
  schema.feature("age", {18.0, 90.0}).feature("income", {0.0, 2e5}).target("spend", {-100.0, 300.0});
  schema.intercept(intercept);
  return schema;
}

TEST(InferenceWithoutNoise, EqualsLeastSquaresWithAnIntercept) {
  expect_textbook(numeric_schema(true), make_rows(33, 2, false, 1), 0, 0.95, kQuantile95);
}

TEST(InferenceWithoutNoise, EqualsLeastSquaresWithoutAnIntercept) {
  expect_textbook(numeric_schema(false), make_rows(32, 2, false, 2), 0, 0.95, kQuantile95);
}

TEST(InferenceWithoutNoise, EqualsLeastSquaresWithAFactorBesideAnIntercept) {
  Schema schema = numeric_schema(true);
  schema.categorical("group", {"a", "b", "c"});
  expect_textbook(schema, make_rows(35, 4, false, 3), 0, 0.9, kQuantile90);
}

TEST(InferenceWithoutNoise, EqualsLeastSquaresWithAFactorInsteadOfAnIntercept) {
  Schema schema = numeric_schema(false);
  schema.categorical("group", {"a", "b", "c"});
  expect_textbook(schema, make_rows(35, 5, true, 4), 0, 0.95, kQuantile95);
}

TEST(InferenceWithoutNoise, RowsThatCannotBeUsedDoNotCountBesideAnIntercept) {
  const Rows rows = make_rows(33, 2, false, 5);
  expect_textbook(numeric_schema(true), rows, 20, 0.95, kQuantile95);
  EXPECT_NEAR(Inference(numeric_schema(true), sums_of(numeric_schema(true), rows, 20)).usable_rows(), 33.0, 1e-9);
  // There is no telling without one.
  EXPECT_EQ(Inference(numeric_schema(false), sums_of(numeric_schema(false), rows, 20)).usable_rows(), 53.0);
}

// A row shortened by a clip norm adds less than its share to the intercept's square.
TEST(InferenceWithoutNoise, WithAClipNormThatCanShortenRowsAllRowsCount) {
  Schema clipped = numeric_schema(true);
  clipped.clip_norm(1.2);
  Schema never = numeric_schema(true);
  never.clip_norm(5.0);
  const Rows rows = make_rows(33, 2, false, 6);
  EXPECT_EQ(Inference(clipped, sums_of(clipped, rows, 7)).usable_rows(), 40.0);
  EXPECT_NEAR(Inference(never, sums_of(never, rows, 7)).usable_rows(), 33.0, 1e-9);
}

TEST(InferenceWithoutNoise, AColumnThatRepeatsAnotherIsLeftOutAndTheRestEqualsLeastSquares) {
  Schema twice = numeric_schema(true);
  twice.feature("age again", {18.0, 90.0});
  const Rows rows = make_rows(33, 2, false, 7);
  Rows repeated{Eigen::MatrixXd(33, 3), rows.target};
  repeated.values << rows.values, rows.values.col(0);
  const Inference with(twice, sums_of(twice, repeated, 0));
  const Inference without(numeric_schema(true), sums_of(numeric_schema(true), rows, 0));
  EXPECT_FALSE(with.determined());
  EXPECT_NE(with.coefficients()[1].determined, with.coefficients()[3].determined);
  const CoefficientInterval& kept = with.coefficients()[with.coefficients()[1].determined ? 1 : 3];
  expect_near(kept.estimate, without.coefficients()[1].estimate, "age");
  expect_near(kept.standard_error, without.coefficients()[1].standard_error, "age");
  expect_near(with.coefficients()[2].upper, without.coefficients()[2].upper, "income");
  expect_near(with.residual_stddev(), without.residual_stddev(), "residual standard deviation");
  // Zero is not in the middle of the bounds: the intercept would need the coefficient left out.
  EXPECT_FALSE(with.coefficients()[0].determined);
}

TEST(InferenceWithoutNoise, APerfectFitHasNoError) {
  Schema schema;
  schema.feature("x", {-1.0, 1.0}).target("y", {-1.0, 1.0});
  testing::Sums sums(schema);
  for (const double x : {-1.0, -0.5, 0.0, 0.5, 1.0}) sums.add(std::vector<double>{x}, 0.25 + 0.5 * x);
  const Inference inference(schema, sums.statistics());
  EXPECT_NEAR(inference.residual_stddev(), 0.0, 1e-7);
  EXPECT_NEAR(inference.r_squared(), 1.0, 1e-12);
  EXPECT_NEAR(inference.coefficients()[1].lower, 0.5, 1e-6);
  EXPECT_NEAR(inference.coefficients()[1].upper, 0.5, 1e-6);
  EXPECT_STREQ(Inference::mark(inference.coefficients()[1]), "***");
}

}  // namespace
}  // namespace rivulet
