#include "rivulet/schema.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "rivulet/error.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

Schema flights() {
  Schema schema;
  schema.feature("delay", {-60.0, 180.0}).categorical("origin", {"EWR", "JFK", "LGA"}).feature("hour", {0.0, 24.0});
  return schema.target("late", {-60.0, 180.0});
}

double to_box(const Schema::Scale& scale, double x) {
  return (x - scale.centre) / scale.half_range;
}

TEST(Schema, WithAnInterceptTheFirstLevelIsTheReferenceAndHasNoCoordinate) {
  const Schema schema = flights();
  EXPECT_EQ(schema.dimension(), 5u);
  EXPECT_EQ(schema.row_width(), 4u);
  EXPECT_EQ(schema.coordinate_names(),
            (std::vector<std::string>{"(intercept)", "delay", "origin=JFK", "origin=LGA", "hour"}));
}

TEST(Schema, WithoutAnInterceptEveryLevelHasACoordinate) {
  const Schema schema = flights().intercept(false);
  EXPECT_EQ(schema.dimension(), 5u);
  EXPECT_EQ(schema.row_width(), 5u);
  EXPECT_EQ(schema.coordinate_names(),
            (std::vector<std::string>{"delay", "origin=EWR", "origin=JFK", "origin=LGA", "hour"}));
}

TEST(Schema, WithAnInterceptTheBoundsMapToMinusOneAndOne) {
  const auto scales = flights().value_scales();
  ASSERT_EQ(scales.size(), 4u);
  EXPECT_EQ(to_box(scales[0], -60.0), -1.0);
  EXPECT_EQ(to_box(scales[0], 60.0), 0.0);
  EXPECT_EQ(to_box(scales[0], 180.0), 1.0);
  EXPECT_EQ(scales[0].lo, -60.0);
  EXPECT_EQ(scales[0].hi, 180.0);
  EXPECT_EQ(to_box(scales[3], 24.0), 1.0);
  EXPECT_EQ(to_box(flights().target_scale(), -60.0), -1.0);
}

TEST(Schema, WithoutAnInterceptZeroStaysZeroAndTheFartherBoundMapsToOne) {
  const Schema schema = flights().intercept(false);
  EXPECT_EQ(to_box(schema.value_scales()[0], 0.0), 0.0);
  EXPECT_EQ(to_box(schema.value_scales()[0], 180.0), 1.0);
  EXPECT_EQ(to_box(schema.target_scale(), 0.0), 0.0);
  EXPECT_EQ(schema.target_scale().half_range, 180.0);
}

TEST(Schema, IndicatorsAreNotScaledAndClampedBetweenZeroAndOne) {
  const auto scale = flights().value_scales()[1];
  EXPECT_EQ(scale.centre, 0.0);
  EXPECT_EQ(scale.half_range, 1.0);
  EXPECT_EQ(scale.lo, 0.0);
  EXPECT_EQ(scale.hi, 1.0);
}

TEST(Schema, TheNormLimitIsTheBoxNormUnlessTheClipNormIsSmaller) {
  EXPECT_EQ(flights().norm_limit(), 2.0);  // intercept, two numbers, one category
  EXPECT_EQ(flights().intercept(false).norm_limit(), std::sqrt(3.0));
  EXPECT_EQ(flights().clip_norm(1.5).norm_limit(), 1.5);
  EXPECT_EQ(flights().clip_norm(7.0).norm_limit(), 2.0);
}

TEST(Schema, TheUnitBallHasBoxUnitsEqualToUnitBallUnits) {
  const Schema schema = Schema::unit_ball(12);
  EXPECT_EQ(schema.dimension(), 12u);
  EXPECT_EQ(schema.row_width(), 12u);
  EXPECT_EQ(schema.norm_limit(), 1.0);
  EXPECT_FALSE(schema.has_intercept());
  EXPECT_EQ(schema.coordinate_names().front(), "x1");
  EXPECT_EQ(schema.coordinate_names().back(), "x12");
  EXPECT_EQ(schema.target_name(), "y");
  for (const auto& scale : schema.value_scales()) {
    EXPECT_EQ(scale.centre, 0.0);
    EXPECT_EQ(scale.half_range, 1.0);
  }
  EXPECT_THROW(Schema::unit_ball(0), RequestError);
}

TEST(Schema, BoundsThatHoldNoFiniteRangeAreRefused) {
  const Interval bad[] = {{1.0, 1.0},        {2.0, 1.0},       {kNaN, 1.0},     {0.0, kNaN},
                          {-kInfinity, 0.0}, {0.0, kInfinity}, {0.0, kSmallest}};
  for (const Interval bounds : bad) {
    EXPECT_THROW(Schema().feature("a", bounds), RequestError) << bounds.lo << ":" << bounds.hi;
    EXPECT_THROW(Schema().target("a", bounds), RequestError) << bounds.lo << ":" << bounds.hi;
  }
}

TEST(Schema, TheWidestFiniteBoundsDoNotOverflow) {
  Schema schema;
  schema.feature("a", {-kLargest, kLargest}).target("y", {0.5 * kLargest, kLargest});
  EXPECT_EQ(to_box(schema.value_scales()[0], kLargest), 1.0);
  EXPECT_TRUE(std::isfinite(schema.target_scale().centre));
  EXPECT_GT(schema.target_scale().half_range, 0.0);
}

TEST(Schema, ARefusedBoundNamesTheColumnTheValueAndWhatIsAccepted) {
  try {
    Schema().feature("age", {90.0, 18.0});
    FAIL();
  } catch (const RequestError& error) {
    EXPECT_EQ(error.field(), "bound age");
    EXPECT_STREQ(error.what(), "bound age: 90:18 holds no range; accepted: two finite numbers lo:hi with lo < hi");
  }
}

TEST(Schema, ANameIsDeclaredOnceWhateverItsRole) {
  EXPECT_THROW(Schema().feature("a", {}).feature("a", {}), RequestError);
  EXPECT_THROW(Schema().feature("a", {}).categorical("a", {"x", "y"}), RequestError);
  EXPECT_THROW(Schema().feature("a", {}).target("a", {}), RequestError);
  EXPECT_THROW(Schema().target("a", {}).feature("a", {}), RequestError);
  EXPECT_THROW(Schema().target("a", {}).target("b", {}), RequestError);
  EXPECT_THROW(Schema().feature("", {}), RequestError);
}

TEST(Schema, LevelsAreTwoOrMoreAndDifferent) {
  EXPECT_THROW(Schema().categorical("c", {}), RequestError);
  EXPECT_THROW(Schema().categorical("c", {"x"}), RequestError);
  EXPECT_THROW(Schema().categorical("c", {"x", "y", "x"}), RequestError);
  EXPECT_THROW(Schema().categorical("c", {"x", ""}), RequestError);
  EXPECT_NO_THROW(Schema().categorical("c", {"y", "x"}));
}

TEST(Schema, ARefusedDeclarationLeavesTheSchemaAsItWas) {
  Schema schema = flights();
  EXPECT_THROW(schema.feature("new", {1.0, 0.0}), RequestError);
  EXPECT_THROW(schema.categorical("new", {"x"}), RequestError);
  EXPECT_THROW(schema.clip_norm(0.0), RequestError);
  EXPECT_EQ(schema.coordinate_names(), flights().coordinate_names());
  EXPECT_FALSE(schema.clip_norm().has_value());
}

TEST(Schema, TheClipNormIsPositiveAndFinite) {
  for (const double limit : {0.0, -1.0, kInfinity, kNaN})
    EXPECT_THROW(Schema().clip_norm(limit), RequestError) << limit;
}

using Names = std::vector<std::string>;

TEST(Schema, ASubsetKeepsTheOrderTheInterceptTheTargetAndWholeCategories) {
  const Schema part = flights().subset(Names{"hour", "origin"});
  EXPECT_EQ(part.coordinate_names(), (Names{"(intercept)", "origin=JFK", "origin=LGA", "hour"}));
  EXPECT_EQ(part.target_name(), "late");
  EXPECT_EQ(part.target_bounds().lo, -60.0);
  EXPECT_EQ(part.target_bounds().hi, 180.0);
  EXPECT_EQ(part.value_scales()[2].centre, 12.0);
  EXPECT_NO_THROW(part.validate());
  EXPECT_EQ(flights().intercept(false).subset(Names{"origin"}).coordinate_names(),
            (Names{"origin=EWR", "origin=JFK", "origin=LGA"}));
}

TEST(Schema, ASubsetOfASubsetAndASubsetOfNothingButTheInterceptAreSubsets) {
  const Schema part = flights().subset(Names{"hour", "origin"}).subset(Names{"hour"});
  EXPECT_EQ(part.coordinate_names(), (Names{"(intercept)", "hour"}));
  EXPECT_EQ(part.norm_limit(), flights().norm_limit());
  EXPECT_EQ(flights().subset(Names{}).coordinate_names(), Names{"(intercept)"});
}

TEST(Schema, ASubsetKeepsTheNormLimitToTheBit) {
  for (const bool intercept : {true, false}) {
    for (const double clip : {0.3, 1.4, 50.0}) {
      const Schema whole = flights().intercept(intercept).clip_norm(clip);
      for (const Names& names :
           {Names{"delay"}, Names{"origin"}, Names{"hour", "delay"}, Names{"hour", "delay", "origin"}}) {
        EXPECT_EQ(whole.subset(names).norm_limit(), whole.norm_limit());
      }
    }
  }
  EXPECT_EQ(flights().subset(Names{"hour"}).norm_limit(), 2.0);
}

TEST(Schema, TheCoordinatesOfASubsetAreThoseOfTheSameNames) {
  for (const bool intercept : {true, false}) {
    const Schema whole = flights().intercept(intercept);
    for (const Names& names :
         {Names{"delay"}, Names{"origin"}, Names{"hour", "delay"}, Names{"hour", "origin", "delay"}}) {
      Names found;
      for (const std::size_t position : whole.subset_coordinates(names))
        found.push_back(whole.coordinate_names()[position]);
      EXPECT_EQ(found, whole.subset(names).coordinate_names());
    }
  }
}

TEST(Schema, ASubsetWithAWrongNameIsRefusedWithTheNamesThatWouldDo) {
  const auto refused = [](const Schema& schema, const Names& names) {
    const std::string message = testing::refusal([&] { (void)schema.subset(names); });
    EXPECT_EQ(testing::refusal([&] { (void)schema.subset_coordinates(names); }), message);
    return message;
  };
  EXPECT_EQ(refused(flights(), {"hours"}), "features: \"hours\" is not a feature; accepted: delay, origin, hour");
  EXPECT_NE(refused(flights(), {"origin=JFK"}), "accepted");
  EXPECT_NE(refused(flights(), {"late"}), "accepted") << "the target is no feature";
  EXPECT_NE(refused(flights(), {""}), "accepted");
  EXPECT_EQ(refused(flights(), {"hour", "hour"}),
            "features: \"hour\" is given twice; accepted: every feature once at most");
  EXPECT_EQ(refused(flights().intercept(false), {}),
            "features: none is given and there is no intercept; accepted: at least one of delay, origin, hour");
  EXPECT_EQ(testing::refusal([] { (void)flights().subset(Names{"x"}, "--features"); }).substr(0, 11), "--features:");
  const std::string many = refused(Schema::unit_ball(1000), {"z"});
  EXPECT_TRUE(many.ends_with("x19, x20 and 980 more")) << many;
}

TEST(Schema, ValidationAsksForATargetAndSomethingToFit) {
  EXPECT_THROW(Schema().feature("a", {}).validate(), RequestError);
  EXPECT_THROW(Schema().intercept(false).target("y", {}).validate(), RequestError);
  EXPECT_NO_THROW(Schema().target("y", {}).validate());
  EXPECT_NO_THROW(Schema().intercept(false).feature("a", {}).target("y", {}).validate());
}

TEST(SchemaClasses, AreMinusOneAndOneInBoxUnitsWhicheverIsLarger) {
  for (const bool intercept : {false, true}) {
    for (const auto& [negative, positive] : {std::pair(0.0, 1.0), std::pair(1.0, 0.0), std::pair(7.0, -3.0)}) {
      Schema schema;
      schema.feature("x", {-1.0, 1.0}).classes("y", negative, positive).intercept(intercept);
      const Schema::Scale scale = schema.target_scale();
      EXPECT_EQ((negative - scale.centre) / scale.half_range, -1.0);
      EXPECT_EQ((positive - scale.centre) / scale.half_range, 1.0);
      EXPECT_TRUE(schema.has_classes());
    }
  }
}

}  // namespace
}  // namespace rivulet
