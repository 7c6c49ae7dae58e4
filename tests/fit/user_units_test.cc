#include <gtest/gtest.h>

#include <random>

#include "fit/model_fitter.h"

namespace rivulet::fit {
namespace {

// A model that lists its non-zeros predicts what the same model written out does, bit for bit.
TEST(UserUnits, SparseAndWrittenOutAreTheSameModel) {
  for (const bool intercept : {false, true}) {
    Schema schema;
    schema.feature("age", {18.0, 90.0})
        .block("word", 20, {0.0, 2.0})
        .categorical("kind", {"a", "b", "c"})
        .feature("far", {5.0, 9.0})
        .target("y", {10.0, 30.0})
        .intercept(intercept)
        .clip_norm(1.5);
    const UserUnits sparse(schema, true);
    const UserUnits dense(schema);
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int round = 0; round < 50; ++round) {
      std::vector<double> theta(schema.dimension());
      for (double& entry : theta) entry = random() % 2 == 0 ? 0.0 : uniform(random);
      const Model some = sparse.model({}, theta);
      const Model all = dense.model({}, theta);
      EXPECT_EQ(some.intercept, all.intercept);
      EXPECT_EQ(some.theta, all.theta);
      EXPECT_EQ(some.width, all.width);
      std::size_t next = 0;
      for (const auto& coefficient : all.coefficients) {
        if (coefficient.value == 0.0) continue;
        ASSERT_LT(next, some.coefficients.size());
        EXPECT_EQ(some.coefficients[next].name, coefficient.name);
        EXPECT_EQ(some.coefficients[next].value, coefficient.value);
        EXPECT_EQ(some.coefficients[next].position, coefficient.position);
        ++next;
      }
      EXPECT_EQ(next, some.coefficients.size());
    }
  }
}

TEST(UserUnits, AModelOfTwoClassesPredictsAScore) {
  for (const auto& [negative, positive] : {std::pair(0.0, 10.0), std::pair(10.0, 0.0)}) {
    Schema schema;
    schema.feature("x", {-1.0, 1.0}).classes("y", negative, positive);
    const Model model = UserUnits(schema).model({}, {0.5 * schema.norm_limit(), 0.25 * schema.norm_limit()});
    EXPECT_NEAR(model.intercept, 0.5, 1e-15);
    EXPECT_NEAR(model.coefficients[0].value, 0.25, 1e-15);
  }
}

}  // namespace
}  // namespace rivulet::fit
