// Reading and writing constraint sets as text, and refusing what makes no sense.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

std::string refusal(std::string_view text, std::string_view field = "constraint") {
  try {
    parse_constraint(text, 3, field);
  } catch (const RequestError& error) {
    EXPECT_EQ(error.field(), field);
    return error.what();
  }
  return "accepted";
}

TEST(ConstraintText, NamesReadBackAsTheSameSet) {
  std::mt19937_64 generator(21);
  std::uniform_real_distribution<double> exponent(-300.0, 300.0);
  for (int trial = 0; trial < 1000; ++trial) {
    const double radius = std::pow(10.0, exponent(generator));
    for (const auto& set : {make_l2_ball(3, radius), make_l1_ball(3, radius)}) {
      const auto again = parse_constraint(set->name(), 3);
      EXPECT_EQ(again->name(), set->name());
      EXPECT_EQ(again->diameter(), radius);
      EXPECT_EQ(again->prefers_width(), set->prefers_width());
      EXPECT_EQ(again->euclidean_radius(), set->euclidean_radius());
    }
  }
  EXPECT_EQ(parse_constraint("l2:2", 3)->name(), "l2:2");
  EXPECT_EQ(parse_constraint("l1:0.50", 3)->name(), "l1:0.5");
}

TEST(ConstraintText, OnlyTheL2BallIsEuclideanAndOnlyTheL1BallPrefersItsWidth) {
  EXPECT_EQ(make_l2_ball(3, 1.5)->euclidean_radius(), 1.5);
  EXPECT_EQ(make_l1_ball(3, 1.5)->euclidean_radius(), std::nullopt);
  EXPECT_FALSE(make_l2_ball(3, 1.5)->prefers_width());
  EXPECT_TRUE(make_l1_ball(3, 1.5)->prefers_width());
}

TEST(ConstraintText, RefusalsNameTheTextTheFaultAndWhatIsAccepted) {
  const std::string accepted = "; accepted: l2:R or l1:R with a positive finite R, e.g. l2:2";
  EXPECT_EQ(refusal("l2:-1"), "constraint: 'l2:-1' has radius -1" + accepted);
  EXPECT_EQ(refusal("l2:0"), "constraint: 'l2:0' has radius 0" + accepted);
  EXPECT_EQ(refusal("l2:nan"), "constraint: 'l2:nan' has radius nan" + accepted);
  EXPECT_EQ(refusal("l1:inf"), "constraint: 'l1:inf' has radius inf" + accepted);
  EXPECT_EQ(refusal("l1:1e999"), "constraint: 'l1:1e999' has radius 1e999, beyond the range of a double" + accepted);
  EXPECT_EQ(refusal("l2"), "constraint: 'l2' has no radius" + accepted);
  EXPECT_EQ(refusal("l2:"), "constraint: 'l2:' has no radius" + accepted);
  EXPECT_EQ(refusal("l2:x"), "constraint: 'l2:x' has radius 'x', which is not a number" + accepted);
  EXPECT_EQ(refusal("l2: 1"), "constraint: 'l2: 1' has radius ' 1', which is not a number" + accepted);
  EXPECT_EQ(refusal("l2:1.5kg"), "constraint: 'l2:1.5kg' has 'kg' after its radius" + accepted);
  EXPECT_EQ(refusal("l2:1:2"), "constraint: 'l2:1:2' has ':2' after its radius" + accepted);
  EXPECT_EQ(refusal("l3:1"), "constraint: 'l3:1' names the unknown set 'l3'" + accepted);
  EXPECT_EQ(refusal("L2:1"), "constraint: 'L2:1' names the unknown set 'L2'" + accepted);
  EXPECT_EQ(refusal(""), "constraint: '' names no set" + accepted);
  EXPECT_EQ(refusal(":1", "--within"), "--within: ':1' names no set" + accepted);
}

TEST(ConstraintText, BallsWithoutDimensionOrRadiusAreRefused) {
  for (const auto make : {&make_l2_ball, &make_l1_ball}) {
    EXPECT_THROW(make(0, 1.0), RequestError);
    for (const double radius : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
      EXPECT_THROW(make(3, radius), RequestError) << radius;
    }
    const auto set = make(3, 2.0);
    EXPECT_EQ(set->scaled(0.25)->diameter(), 0.5);
    for (const double factor : {0.0, -1.0, 1e308, std::numeric_limits<double>::infinity(), std::nan("")}) {
      EXPECT_THROW(set->scaled(factor), RequestError) << factor;
    }
  }
}

}  // namespace
}  // namespace rivulet
