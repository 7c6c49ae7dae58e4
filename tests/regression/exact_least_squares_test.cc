#include "not_private/exact_least_squares.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace rivulet::not_private {
namespace {

TEST(ExactLeastSquares, RecoversAnExactLinearRelationInTheUsersUnits) {
  Schema schema;
  schema.feature("a", {0, 10}).feature("b", {-5, 5}).target("y", {-100, 100});
  ExactLeastSquares fit(schema, "l2:100");
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> a(0, 10), b(-5, 5);
  for (int i = 0; i < 200; ++i) {
    const std::array<double, 2> x{a(random), b(random)};
    fit.observe(x, 3.0 + 2.5 * x[0] - 4.0 * x[1]);
  }
  const Model model = fit.model();
  EXPECT_NEAR(model.intercept, 3.0, 1e-8);
  EXPECT_NEAR(model.coefficients[0].value, 2.5, 1e-8);
  EXPECT_NEAR(model.coefficients[1].value, -4.0, 1e-8);
  EXPECT_NEAR(fit.r_squared(model.theta), 1.0, 1e-9);
  EXPECT_NEAR(fit.excess_risk(model.theta), 0.0, 1e-9);
}

TEST(ExactLeastSquares, RiskIsTheSumOfSquaredResiduals) {
  const Schema schema = Schema::unit_ball(2);
  ExactLeastSquares fit(schema, "l2:1");
  const std::array<std::array<double, 3>, 3> rows{{{0.5, 0.1, 0.3}, {-0.2, 0.7, -0.9}, {0.0, -0.4, 0.2}}};
  const std::vector<double> theta{0.6, -0.3};
  double expected = 0.0;
  for (const auto& row : rows) {
    fit.observe(std::span(row).first(2), row[2]);
    expected += std::pow(row[2] - theta[0] * row[0] - theta[1] * row[1], 2);
  }
  EXPECT_NEAR(fit.risk(theta), expected, 1e-12);
  EXPECT_GE(fit.excess_risk(theta), 0.0);
}

}  // namespace
}  // namespace rivulet::not_private
