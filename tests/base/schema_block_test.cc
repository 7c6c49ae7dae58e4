#include <gtest/gtest.h>

#include <cmath>

#include "rivulet/domain.h"
#include "rivulet/error.h"
#include "rivulet/model.h"
#include "rivulet/schema.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using testing::refusal;

Schema mixed() {
  Schema schema;
  schema.feature("age", {0.0, 10.0})
      .block("word", 5, {-1.0, 4.0})
      .categorical("kind", {"a", "b", "c"})
      .target("y", {0.0, 2.0});
  return schema;
}

TEST(SchemaBlock, HasOneCoordinatePerColumnInItsPlace) {
  const Schema schema = mixed();
  EXPECT_EQ(schema.dimension(), 1U + 1U + 5U + 2U);
  EXPECT_EQ(schema.row_width(), 8U);
  const std::vector<std::string> names{"(intercept)", "age",   "word1",  "word2", "word3",
                                       "word4",       "word5", "kind=b", "kind=c"};
  EXPECT_EQ(schema.coordinate_names(), names);
  for (std::size_t i = 0; i < schema.row_width(); ++i) EXPECT_EQ(schema.value_name(i), names[i + 1]);
  EXPECT_TRUE(schema.has_blocks());
  EXPECT_FALSE(Schema::unit_ball(3).has_blocks());
}

TEST(Schema, TheUnitBallOfAMillionFeaturesIsMadeAtOnce) {
  const Schema schema = Schema::unit_ball(1000000);  // quadratic time would be hours
  EXPECT_EQ(schema.dimension(), 1000000U);
  EXPECT_EQ(schema.features().back().name, "x1000000");
}

TEST(SchemaBlock, KeepsZeroAtZeroWithAnInterceptAndWithout) {
  for (const bool intercept : {false, true}) {
    const Schema schema = mixed().intercept(intercept);
    const auto scales = schema.value_scales();
    for (std::size_t i = 1; i <= 5; ++i) {
      EXPECT_EQ(scales[i].centre, 0.0);
      EXPECT_EQ(scales[i].half_range, 4.0);
      EXPECT_EQ(scales[i].lo, -1.0);
      EXPECT_EQ(scales[i].hi, 4.0);
    }
    for (std::size_t i = 0; i < schema.row_width(); ++i) {
      EXPECT_EQ(schema.value_scale(i).centre, scales[i].centre);
      EXPECT_EQ(schema.value_scale(i).half_range, scales[i].half_range);
    }
  }
}

TEST(SchemaBlock, CountsWithEveryColumnInTheBoxNorm) {
  EXPECT_DOUBLE_EQ(mixed().norm_limit(), std::sqrt(1.0 + 1.0 + 5.0 + 1.0));
  const std::vector<std::string> only{"age"};
  EXPECT_DOUBLE_EQ(mixed().subset(only).norm_limit(), mixed().norm_limit());
  const std::vector<std::string> words{"word"};
  EXPECT_EQ(mixed().subset_coordinates(words), (std::vector<std::size_t>{0, 2, 3, 4, 5, 6}));
}

TEST(SchemaBlock, FindsItsColumnsByNameAndNothingElse) {
  const Schema schema = mixed();
  EXPECT_EQ(schema.value_of("age"), 0U);
  EXPECT_EQ(schema.value_of("word1"), 1U);
  EXPECT_EQ(schema.value_of("word5"), 5U);
  for (const char* other : {"word", "word0", "word6", "word01", "word1 ", "word-1", "word+1", "word1e0", "kind",
                            "kind=b", "y", "", "word99999999999999999999999"}) {
    EXPECT_EQ(schema.value_of(other), std::nullopt) << other;
  }
}

TEST(SchemaBlock, RefusesNamesThatAreTakenBoundsWithoutZeroAndNoColumns) {
  EXPECT_NE(refusal([] { mixed().feature("word3", {0.0, 1.0}); }), "accepted");
  EXPECT_NE(refusal([] { mixed().block("wor", 3, {0.0, 1.0}).feature("wor2", {0.0, 1.0}); }), "accepted");
  EXPECT_NE(refusal([] { mixed().block("word", 3, {0.0, 1.0}); }), "accepted");
  EXPECT_NE(refusal([] { Schema().feature("x2", {0.0, 1.0}).block("x", 3, {0.0, 1.0}); }), "accepted");
  EXPECT_NE(refusal([] { Schema().target("x2", {0.0, 1.0}).block("x", 3, {0.0, 1.0}); }), "accepted");
  EXPECT_EQ(refusal([] { Schema().target("x4", {0.0, 1.0}).block("x", 3, {0.0, 1.0}); }), "accepted");
  EXPECT_NE(refusal([] { Schema().block("x", 0, {0.0, 1.0}); }), "accepted");
  EXPECT_NE(refusal([] { Schema().block("x", std::size_t{1} << 40, {0.0, 1.0}); }), "accepted");
  EXPECT_NE(refusal([] { Schema().block("x", 3, {0.5, 1.0}); }).find("hold 0"), std::string::npos);
  EXPECT_NE(refusal([] { Schema().block("x", 3, {-2.0, -1.0}); }).find("hold 0"), std::string::npos);
}

TEST(SchemaBlock, GivesConditionsOnSingleColumns) {
  const Domain domain({"word2=0:1"}, mixed());
  ASSERT_EQ(domain.conditions().size(), 1U);
  EXPECT_EQ(domain.conditions()[0].value, 2U);
  EXPECT_NE(refusal([] { Domain({"word=0:1"}, mixed()); }).find("block"), std::string::npos);
}

TEST(SparseModel, PredictsTheSameFromARowAndItsNonZeros) {
  Model model;
  model.width = 6;
  model.intercept = 0.5;
  model.coefficients = {{"b", 2.0, 1}, {"d", -1.0, 3}, {"f", 4.0, 5}};
  EXPECT_EQ(model.predict({9.0, 1.0, 9.0, 2.0, 9.0, 3.0}), 0.5 + 2.0 - 2.0 + 12.0);
  const std::vector<std::uint32_t> positions{0, 3, 4, 5};
  const std::vector<double> values{7.0, 2.0, 7.0, 3.0};
  EXPECT_EQ(model.predict(SparseRow{positions, values}), 0.5 - 2.0 + 12.0);
  EXPECT_EQ(model.predict(SparseRow{}), 0.5);
  const std::vector<std::uint32_t> outside{6};
  const std::vector<std::uint32_t> twice{3, 3};
  const std::vector<double> one{1.0};
  const std::vector<double> two{1.0, 1.0};
  EXPECT_THROW((void)model.predict(SparseRow{outside, one}), RequestError);
  EXPECT_THROW((void)model.predict(SparseRow{twice, two}), RequestError);
  EXPECT_THROW((void)model.predict(SparseRow{twice, one}), RequestError);
  EXPECT_THROW((void)model.predict(std::vector<double>{1.0}), RequestError);
}

}  // namespace
}  // namespace rivulet
