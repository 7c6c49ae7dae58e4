// The set G inside the kernel: a row outside it is the zero row, and nothing tells.
#include "rivulet/domain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "kernel/kernel.h"
#include "rivulet/error.h"
#include "support/refusal.h"
#include "support/released.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const privacy::LatticeLimits kLimits{15, 23170};

Schema two_numbers(bool intercept) {
  Schema schema;
  schema.feature("a", {0.0, 10.0}).feature("b", {-4.0, 4.0}).target("y", {0.0, 100.0}).intercept(intercept);
  return schema;
}

bool inside(const Schema& schema, const std::vector<std::string>& conditions, const std::vector<double>& values,
            double target) {
  const RowLattice lattice(schema, kLimits, Domain(conditions, schema));
  std::vector<double> u(lattice.order(), -1.0);
  RowScratch scratch;
  const bool usable = lattice.quantise(values, target, u, scratch) != RowFate::unusable;
  // What is usable is what it would be without conditions; what is not is the zero row.
  std::vector<double> free(lattice.order(), -1.0);
  RowLattice(schema, kLimits).quantise(values, target, free, scratch);
  EXPECT_EQ(u, usable ? free : std::vector<double>(lattice.order(), 0.0));
  return usable;
}

TEST(KernelDomain, NonzerosAreCountedInTheUsersUnits) {
  for (const bool intercept : {true, false}) {
    const Schema schema = two_numbers(intercept);
    EXPECT_TRUE(inside(schema, {"nonzeros<=1"}, {5.0, 0.0}, 7.0));  // 5 is a's centre, 0 in box units: still counts
    EXPECT_FALSE(inside(schema, {"nonzeros<=1"}, {5.0, 1.0}, 7.0));
    EXPECT_TRUE(inside(schema, {"nonzeros<=1"}, {-0.0, 1.0}, 7.0));
    EXPECT_FALSE(inside(schema, {"nonzeros<=1"}, {5e-324, 1.0}, 7.0));
    EXPECT_TRUE(inside(schema, {"nonzeros<=2"}, {5.0, 1.0}, 7.0));
    EXPECT_TRUE(inside(schema, {"nonzeros<=1000"}, {5.0, 1.0}, 7.0));
    EXPECT_TRUE(inside(schema, {"nonzeros<=0"}, {0.0, 0.0}, 7.0));  // the target is no covariate
    EXPECT_FALSE(inside(schema, {"nonzeros<=0"}, {0.0, 1.0}, 0.0));
  }
}

TEST(KernelDomain, L1IsTheSumOfAbsoluteValuesInBoxUnitsLessTheIntercept) {
  const Schema centred = two_numbers(true);  // a -> (a - 5) / 5, b -> b / 4
  EXPECT_TRUE(inside(centred, {"l1<=1"}, {5.0, 4.0}, 0.0));
  EXPECT_TRUE(inside(centred, {"l1<=1"}, {10.0, 0.0}, 0.0));
  EXPECT_FALSE(inside(centred, {"l1<=1"}, {10.0, 1.0}, 0.0));
  EXPECT_TRUE(inside(centred, {"l1<=1.25"}, {10.0, 1.0}, 0.0));
  EXPECT_FALSE(inside(centred, {"l1<=0.5"}, {0.0, 0.0}, 0.0));
  const Schema plain = two_numbers(false);  // a -> a / 10, b -> b / 4
  EXPECT_TRUE(inside(plain, {"l1<=0.75"}, {5.0, -1.0}, 0.0));
  EXPECT_FALSE(inside(plain, {"l1<=0.74"}, {5.0, -1.0}, 0.0));
  EXPECT_TRUE(inside(plain, {"l1<=0"}, {0.0, 0.0}, 0.0));
  // Values are clamped to their bounds first, unlike in a range.
  EXPECT_TRUE(inside(plain, {"l1<=2"}, {1e300, -1e300}, 0.0));
  EXPECT_FALSE(inside(plain, {"l1<=1.9"}, {1e300, -1e300}, 0.0));
}

TEST(KernelDomain, RangesIncludeTheirEndsAndSeeTheValueBeforeItIsClamped) {
  for (const bool intercept : {true, false}) {
    const Schema schema = two_numbers(intercept);
    for (const double a : {-1.0, 1.9999999999999998, 2.0, 2.5, 3.0, 3.0000000000000004, 20.0}) {
      EXPECT_EQ(inside(schema, {"a=2:3"}, {a, 1.0}, 50.0), a >= 2.0 && a <= 3.0) << a;
      EXPECT_EQ(inside(schema, {"b=2:3"}, {1.0, a}, 50.0), a >= 2.0 && a <= 3.0) << a;
      EXPECT_EQ(inside(schema, {"y=2:3"}, {1.0, 1.0}, a), a >= 2.0 && a <= 3.0) << a;
      EXPECT_EQ(inside(schema, {"a=2:2"}, {a, 1.0}, 50.0), a == 2.0) << a;
    }
    // A range past the declared bounds: the clamped value lies outside, the value itself within.
    EXPECT_TRUE(inside(schema, {"a=15:25"}, {20.0, 0.0}, 0.0));
    EXPECT_FALSE(inside(schema, {"a=15:25"}, {10.0, 0.0}, 0.0));
  }
}

TEST(KernelDomain, ACategoryIsOneIndicatorAndMovesTheColumnsAfterIt) {
  for (const bool intercept : {true, false}) {
    Schema schema;
    schema.feature("a", {0, 1}).categorical("kind", {"p", "q", "r"}).feature("b", {0, 1}).target("y", {0, 1});
    schema.intercept(intercept);
    // With an intercept "p" is the reference and has no value of its own.
    std::vector<double> reference{0.5, 1, 0, 0, 0.75};
    std::vector<double> third{0.5, 0, 0, 1, 0.75};
    if (intercept) {
      reference.erase(reference.begin() + 1);
      third.erase(third.begin() + 1);
    }
    EXPECT_EQ(inside(schema, {"nonzeros<=2"}, reference, 0.5), intercept);
    EXPECT_FALSE(inside(schema, {"nonzeros<=2"}, third, 0.5));
    EXPECT_TRUE(inside(schema, {"nonzeros<=3"}, third, 0.5));
    EXPECT_TRUE(inside(schema, {"b=0.75:0.75", "a=0.5:0.5"}, third, 0.5));
    EXPECT_FALSE(inside(schema, {"b=0.5:0.5"}, third, 0.5));
    EXPECT_TRUE(inside(schema, {"b=0.75:0.75"}, reference, 0.5));
    EXPECT_THROW(Domain({"kind=0:1"}, schema), RequestError);
  }
}

TEST(KernelDomain, AllConditionsMustHold) {
  const Schema schema = two_numbers(true);
  const std::vector<std::string> conditions{"a=2:3", "nonzeros<=1", "l1<=0.6", "y=0:10"};
  EXPECT_TRUE(inside(schema, conditions, {2.0, 0.0}, 5.0));
  EXPECT_FALSE(inside(schema, conditions, {1.0, 0.0}, 5.0));
  EXPECT_FALSE(inside(schema, conditions, {2.0, 1.0}, 5.0));
  EXPECT_FALSE(inside(schema, {"a=2:3", "l1<=0.5"}, {2.0, 0.0}, 5.0));
  EXPECT_FALSE(inside(schema, conditions, {2.0, 0.0}, 11.0));
  EXPECT_FALSE(inside(schema, {"a=2:3", "a=4:5"}, {2.5, 0.0}, 5.0));  // nothing is in both
}

TEST(KernelDomain, WhatIsMissingOrInfiniteIsOutsideEveryDomain) {
  const Schema schema = two_numbers(true);
  for (const double bad : {kNan, kInf, -kInf}) {
    for (const std::string condition : {"nonzeros<=2", "l1<=2", "a=0:10", "y=0:100"}) {
      EXPECT_FALSE(inside(schema, {condition}, {bad, 1.0}, 50.0)) << condition;
      EXPECT_FALSE(inside(schema, {condition}, {1.0, bad}, 50.0)) << condition;
      EXPECT_FALSE(inside(schema, {condition}, {1.0, 1.0}, bad)) << condition;
    }
  }
}

TEST(KernelDomain, ARowOutsideCountsAsARowAndAddsExactlyWhatTheZeroRowAdds) {
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    for (const bool units : {false, true}) {
      const Schema schema = two_numbers(true);
      privacy::MechanismRequest request;
      request.dimension = 3;
      request.strategy.kind = kind;
      request.strategy.horizon = Horizon::known(16);
      request.rows_per_step = 5;
      request.units = units;
      const privacy::MechanismPlan plan(request);
      Kernel fussy(plan, schema, std::make_unique<testing::ZeroNoise>(), Domain({"nonzeros<=1", "y=10:20"}, schema));
      Kernel zeros(plan, schema, std::make_unique<testing::ZeroNoise>());
      std::mt19937_64 random(1);
      std::uint64_t outside = 0;
      NoisyStep a;
      NoisyStep b;
      for (int row = 0; row < 80; ++row) {
        const double values[] = {random() % 2 == 0 ? 0.0 : 3.0, random() % 2 == 0 ? 0.0 : -2.0};
        const double target = static_cast<double>(random() % 30);
        const bool in = (values[0] == 0.0 || values[1] == 0.0) && target >= 10.0 && target <= 20.0;
        outside += in ? 0 : 1;
        const double nothing[] = {kNan, kNan};
        std::optional<std::string_view> unit;
        const std::string name = std::to_string(row);
        if (units) unit = name;
        fussy.observe(values, target, unit);
        zeros.observe(in ? values : nothing, target, unit);
        if (!fussy.step_is_full()) continue;
        fussy.close_step(a);
        zeros.close_step(b);
        ASSERT_TRUE(testing::same(a, b));
        ASSERT_EQ(a.rows, static_cast<std::uint64_t>(row + 1));
      }
      EXPECT_EQ(fussy.unusable_rows_for_operator(), outside);
      EXPECT_GT(outside, 20U);
      EXPECT_LT(outside, 75U);
    }
  }
}

TEST(KernelDomain, NoAnswerDependsOnWhetherARowWasInside) {
  const Schema schema = two_numbers(true);
  privacy::MechanismRequest request;
  request.dimension = 3;
  request.rows_per_step = 4;
  const privacy::MechanismPlan plan(request);
  const double in[] = {5.0, 0.0};
  const double out[] = {5.0, 1.0};
  const double missing[] = {kNan, 0.0};
  const double wide[] = {5.0, 0.0, 0.0};
  for (const std::span<const double> row : {std::span<const double>(in), {out}, {missing}}) {
    Kernel kernel(plan, schema, std::make_unique<testing::ZeroNoise>(), Domain({"nonzeros<=1"}, schema));
    kernel.observe(row, 50.0);
    EXPECT_EQ(kernel.rows_in_step(), 1U);
    EXPECT_EQ(testing::refusal([&] { kernel.observe(wide, 50.0); }),
              "row: a row of 3 values was given; the schema has 2");
    NoisyStep step;
    kernel.close_step(step);
    EXPECT_EQ(step.rows, 1U);
    EXPECT_EQ(kernel.released_rows(), 1U);
  }
}

TEST(KernelDomain, ConditionsOfAnotherSchemaAreRefused) {
  Schema wide;
  wide.feature("a", {0, 1}).feature("b", {0, 1}).feature("c", {0, 1}).target("y", {0, 1});
  EXPECT_NO_THROW(RowLattice(two_numbers(true), kLimits, Domain({"b=0:1"}, wide)));
  EXPECT_THROW(RowLattice(two_numbers(true), kLimits, Domain({"c=0:1"}, wide)), RequestError);
}

TEST(KernelDomain, ARowOutsideUsesUpItsUnitsShareLikeAnyOther) {
  // Which rows of a unit count must not depend on what they hold.
  const Schema schema = two_numbers(true);
  privacy::MechanismRequest request;
  request.dimension = 3;
  request.rows_per_step = 2;
  request.units = true;
  const privacy::MechanismPlan plan(request);
  const double values[] = {5.0, 1.0};
  const auto published = [&](double first_target) {
    Kernel kernel(plan, schema, std::make_unique<testing::ZeroNoise>(), Domain({"y=10:20"}, schema));
    kernel.observe(values, first_target, "somebody");
    kernel.observe(values, 15.0, "somebody");
    NoisyStep out;
    kernel.close_step(out);
    return out;
  };
  const NoisyStep wasted = published(5.0);
  for (const Int128 value : wasted.vectors[0].values) EXPECT_TRUE(value == 0);
  EXPECT_FALSE(testing::same(published(15.0), wasted));
}

}  // namespace
}  // namespace rivulet::kernel
