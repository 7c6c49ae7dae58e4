#include "rivulet/input_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "rivulet/constraint.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using testing::refusal;

Schema schema_of(std::size_t columns, bool intercept = false) {
  Schema schema;
  return schema.block("x", columns, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(intercept).clip_norm(2.0);
}

// E of the norm of the K largest of d normals: the width of K-sparse vectors of the unit ball. The standard error of
// the mean is below 0.4 / sqrt(rounds).
double sparse_width_by_chance(std::size_t nonzeros, std::size_t dimension, int rounds) {
  std::mt19937_64 random(nonzeros * 1000003 + dimension);
  std::normal_distribution<double> normal;
  std::vector<double> squares(dimension);
  double sum = 0.0;
  for (int round = 0; round < rounds; ++round) {
    for (double& square : squares) {
      const double g = normal(random);
      square = g * g;
    }
    std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(nonzeros - 1), squares.end(),
                     std::greater<>());
    double largest = 0.0;
    for (std::size_t i = 0; i < nonzeros; ++i) largest += squares[i];
    sum += std::sqrt(largest);
  }
  return sum / rounds;
}

TEST(InputSet, TheWidthOfSparseRowsIsAtMostTwoPercentAboveTheTruthAndSixForOneNonZero) {
  for (const auto& [nonzeros, dimension, rounds] : {std::tuple{1U, 100U, 40000},
                                                    {10U, 100U, 40000},
                                                    {99U, 100U, 40000},
                                                    {10U, 4000U, 3000},
                                                    {400U, 4000U, 1000},
                                                    {1U, 20000U, 1000}}) {
    const double width = InputSet::parse("sparse:" + std::to_string(nonzeros), schema_of(dimension)).gaussian_width();
    const double truth = sparse_width_by_chance(nonzeros, dimension, rounds);
    const double error = 5.0 * 0.4 / std::sqrt(rounds);
    EXPECT_GE(width, truth - error) << nonzeros << " of " << dimension;
    EXPECT_LE(width, (nonzeros == 1 ? 1.06 : 1.02) * truth + error) << nonzeros << " of " << dimension;
  }
}

TEST(InputSet, WidthsAreThoseOfTheSetsInUnitBallUnits) {
  const Schema schema = schema_of(1000);
  EXPECT_DOUBLE_EQ(InputSet::parse("dense", schema).gaussian_width(), std::sqrt(1000.0));
  EXPECT_DOUBLE_EQ(InputSet::parse("sparse:1000", schema).gaussian_width(), std::sqrt(1000.0));
  EXPECT_DOUBLE_EQ(InputSet::parse("sparse:2000", schema).gaussian_width(), std::sqrt(1000.0));
  EXPECT_DOUBLE_EQ(InputSet::parse("l1:3", schema).gaussian_width(), make_l1_ball(1000, 1.5)->gaussian_width());
  EXPECT_DOUBLE_EQ(InputSet::parse("l1:1000", schema).gaussian_width(), std::sqrt(1000.0));
}

TEST(InputSet, ReadsItsOwnNameAndRefusesOthers) {
  const Schema schema = schema_of(10);
  for (const char* name : {"dense", "sparse:3", "l1:2.5"}) EXPECT_EQ(InputSet::parse(name, schema).name(), name);
  for (const char* other : {"", "sparse", "sparse:", "sparse:0", "sparse:-1", "sparse:1.5", "sparse:x", "l1", "l1:0",
                            "l1:-1", "l1:nan", "l1:inf", "dense:1", "Dense", "sparse:3 "}) {
    EXPECT_NE(refusal([&] { (void)InputSet::parse(other, schema); }).find("row-set"), std::string::npos) << other;
  }
}

TEST(InputSet, FollowsFromTheConditionsOnRowsAndTheInterceptCounts) {
  EXPECT_EQ(InputSet::implied_by({}, schema_of(100)).name(), "dense");
  EXPECT_EQ(InputSet::implied_by({"nonzeros<=4"}, schema_of(100)).name(), "sparse:4");
  EXPECT_EQ(InputSet::implied_by({"nonzeros<=4"}, schema_of(100, true)).name(), "sparse:5");
  EXPECT_EQ(InputSet::implied_by({"l1<=1"}, schema_of(100, true)).name(), "l1:2");
  EXPECT_EQ(InputSet::implied_by({"x3=0:1"}, schema_of(100)).name(), "dense");
  EXPECT_EQ(InputSet::implied_by({"nonzeros<=50", "nonzeros<=2"}, schema_of(100)).name(), "sparse:2");
  // Where zeros of the user's units are not zeros in box units, few non-zeros say nothing.
  Schema centred;
  centred.feature("a", {0.0, 1.0}).block("x", 100, {-1.0, 1.0}).target("y", {-1.0, 1.0});
  EXPECT_EQ(InputSet::implied_by({"nonzeros<=4"}, centred).name(), "dense");
}

}  // namespace
}  // namespace rivulet
