// Reading and writing constraint sets as text, and refusing what makes no sense.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "geometry/sets.h"
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

TEST(ConstraintText, EverySetsNameIsATextOfItsOwnThatReadsBackAsTheSameSet) {
  std::mt19937_64 generator(22);
  for (const std::size_t d : {1, 2, 5, 12}) {
    for (const double scale : {1e-5, 1.0, 1234.5678, 1e9 / 3.0}) {
      for (const geometry::Set& set : geometry::every_set(generator, d, scale)) {
        const auto again = parse_constraint(set->name(), d);
        EXPECT_EQ(again->name(), set->name());
        EXPECT_EQ(again->diameter(), set->diameter()) << set->name();
        const geometry::Point x = geometry::awkward_point(generator, d, 2.0 * scale);
        EXPECT_EQ(geometry::projected(*again, x), geometry::projected(*set, x)) << set->name();
      }
    }
  }
}

TEST(ConstraintText, TextsMeanTheSetsTheyName) {
  const auto name = [](std::string_view text, std::size_t dimension = 9) {
    return parse_constraint(text, dimension)->name();
  };
  EXPECT_EQ(name("lp:1.50:2"), "lp:1.5:2");
  EXPECT_EQ(name("simplex"), "simplex:1");
  EXPECT_EQ(name("simplex:3.0"), "simplex:3");
  EXPECT_EQ(name("group:4:1"), "group:4:1");
  EXPECT_EQ(name("group:20:1"), "group:9:1");  // one group, as the paper's norm has it
  EXPECT_EQ(name("group:3,2,4:0.5"), "group:3,2,4:0.5");
  EXPECT_EQ(name("group:3,3,3:1"), "group:3:1");
  EXPECT_EQ(name("group:4,4,1:1"), "group:4:1");
  EXPECT_EQ(name("group:4,1,4:1"), "group:4,1,4:1");
  EXPECT_EQ(name("group:1,8:1"), "group:1,8:1");
  EXPECT_EQ(name("box:-1:2"), "box:-1:2");
  EXPECT_EQ(name("box:0:1e3"), "box:0:1000");
  EXPECT_EQ(name("box:-0.5:0"), "box:-0.5:0");
  EXPECT_EQ(name("elastic:0.25:2"), "elastic:0.25:2");
  EXPECT_EQ(name("polytope:[[1,0],[0,1],[-1,-1e0],[1,0]]", 2), "polytope:[[1,0],[0,1],[-1,-1]]");
}

TEST(ConstraintText, OnlyL2BallsAreEuclideanAndNarrowSetsPreferTheirWidth) {
  EXPECT_EQ(make_l2_ball(3, 1.5)->euclidean_radius(), 1.5);
  EXPECT_EQ(make_l1_ball(3, 1.5)->euclidean_radius(), std::nullopt);
  EXPECT_EQ(parse_constraint("group:3:1.5", 3)->euclidean_radius(), 1.5);
  EXPECT_EQ(parse_constraint("group:2:1.5", 3)->euclidean_radius(), std::nullopt);
  const auto prefers = [](std::string_view text, std::size_t dimension) {
    return parse_constraint(text, dimension)->prefers_width();
  };
  for (const std::size_t d : {1, 3, 100}) {
    EXPECT_FALSE(prefers("l2:1.5", d));
    EXPECT_FALSE(prefers("box:-1:1", d));
    EXPECT_FALSE(prefers("lp:1.9:1", d));
    EXPECT_FALSE(prefers("elastic:0.01:1", d));
    EXPECT_TRUE(prefers("l1:1.5", d));
    EXPECT_TRUE(prefers("simplex", d));
  }
  EXPECT_TRUE(prefers("lp:1.2:1", 100));
  EXPECT_TRUE(prefers("elastic:0.8:1", 100));
  EXPECT_TRUE(prefers("group:5:1", 100));
  EXPECT_FALSE(prefers("group:60:1", 100));
  EXPECT_TRUE(prefers("polytope:[[1,0,0,0,0,0,0,0,0,0],[-1,0,0,0,0,0,0,0,0,0]]", 10));
  EXPECT_FALSE(prefers("polytope:[[1,0],[0,1],[-1,-1]]", 2));
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
  EXPECT_EQ(refusal("l2:0:3"), "constraint: 'l2:0:3' has radius 0" + accepted);
  const std::string any =
      "; accepted: l2:R or l1:R with a positive finite R, or lp:P:R, simplex, simplex:R, group:K:R, group:K1,K2,...:R, "
      "box:LO:HI, elastic:A:R, polytope:FILE";
  EXPECT_EQ(refusal("l3:1"), "constraint: 'l3:1' names the unknown set 'l3'" + any);
  EXPECT_EQ(refusal("L2:1"), "constraint: 'L2:1' names the unknown set 'L2'" + any);
  EXPECT_EQ(refusal(""), "constraint: '' names no set" + any);
  EXPECT_EQ(refusal(":1", "--within"), "--within: ':1' names no set" + any);
}

TEST(ConstraintText, RefusalsOfEachSetSayWhatThatSetAccepts) {
  const std::string lp = "; accepted: lp:P:R with 1 < P < 2 and a positive finite R, e.g. lp:1.5:2";
  EXPECT_EQ(refusal("lp"), "constraint: 'lp' has no exponent" + lp);
  EXPECT_EQ(refusal("lp:1:2"), "constraint: 'lp:1:2' has exponent 1" + lp);
  EXPECT_EQ(refusal("lp:2:2"), "constraint: 'lp:2:2' has exponent 2" + lp);
  EXPECT_EQ(refusal("lp:nan:2"), "constraint: 'lp:nan:2' has exponent nan" + lp);
  EXPECT_EQ(refusal("lp:1.5"), "constraint: 'lp:1.5' has no radius" + lp);
  EXPECT_EQ(refusal("lp:1.5:-2"), "constraint: 'lp:1.5:-2' has radius -2" + lp);
  EXPECT_EQ(refusal("lp:1.5:2:3"), "constraint: 'lp:1.5:2:3' has ':3' after its radius" + lp);

  const std::string simplex = "; accepted: simplex or simplex:R with a positive finite total R, e.g. simplex:1";
  EXPECT_EQ(refusal("simplex:"), "constraint: 'simplex:' has no radius" + simplex);
  EXPECT_EQ(refusal("simplex:0"), "constraint: 'simplex:0' has radius 0" + simplex);
  EXPECT_EQ(refusal("simplex:1e400"),
            "constraint: 'simplex:1e400' has radius 1e400, beyond the range of a double" + simplex);

  const std::string box = "; accepted: box:LO:HI with finite LO <= 0 <= HI, not both 0, e.g. box:-1:1 or box:0:1";
  EXPECT_EQ(refusal("box:1"), "constraint: 'box:1' has low end 1" + box);
  EXPECT_EQ(refusal("box:-1"), "constraint: 'box:-1' has no high end" + box);
  EXPECT_EQ(refusal("box:-1:-0.5"), "constraint: 'box:-1:-0.5' has high end -0.5" + box);
  EXPECT_EQ(refusal("box:0:0"), "constraint: 'box:0:0' is the origin alone" + box);
  EXPECT_EQ(refusal("box:-inf:1"), "constraint: 'box:-inf:1' has low end -inf" + box);
  EXPECT_EQ(refusal("box:-1:1:1"), "constraint: 'box:-1:1:1' has ':1' after its high end" + box);
  EXPECT_EQ(refusal("box:-1:1.7e308"),
            "constraint: 'box:-1:1.7e308' has a diameter beyond the range of a double" + box);

  const std::string elastic =
      "; accepted: elastic:A:R with an L1 share 0 < A < 1 and a positive finite R, e.g. elastic:0.5:2";
  EXPECT_EQ(refusal("elastic:0:1"), "constraint: 'elastic:0:1' has L1 share 0" + elastic);
  EXPECT_EQ(refusal("elastic:1:1"), "constraint: 'elastic:1:1' has L1 share 1" + elastic);
  EXPECT_EQ(refusal("elastic:half:1"),
            "constraint: 'elastic:half:1' has L1 share 'half', which is not a number" + elastic);
  EXPECT_EQ(refusal("elastic:0.5"), "constraint: 'elastic:0.5' has no radius" + elastic);

  const std::string group =
      "; accepted: group:K:R for groups of K coordinates or group:K1,K2,...:R with sizes that add up to the dimension, "
      "sizes 1 or more and a positive finite R, e.g. group:3:1 or group:3,2,4:1";
  EXPECT_EQ(refusal("group"), "constraint: 'group' has no group size" + group);
  EXPECT_EQ(refusal("group:2"), "constraint: 'group:2' has no radius" + group);
  EXPECT_EQ(refusal("group:0:1"), "constraint: 'group:0:1' has group size '0'" + group);
  EXPECT_EQ(refusal("group:-1:1"), "constraint: 'group:-1:1' has group size '-1'" + group);
  EXPECT_EQ(refusal("group:1.5:1"), "constraint: 'group:1.5:1' has group size '1.5'" + group);
  EXPECT_EQ(refusal("group:2,:1"), "constraint: 'group:2,:1' has group size ''" + group);
  EXPECT_EQ(refusal("group:1,1:1"),
            "constraint: 'group:1,1:1' has groups of 2 coordinates in all where the dimension is 3" + group);
  EXPECT_EQ(refusal("group:2,2:1"),
            "constraint: 'group:2,2:1' has groups of more than 3 coordinates in all, the dimension" + group);
  EXPECT_EQ(refusal("group:99999999999999999999:1"),
            "constraint: 'group:99999999999999999999:1' has group size '99999999999999999999'" + group);
}

TEST(ConstraintText, BallsWithoutDimensionOrRadiusAreRefused) {
  EXPECT_THROW(make_group_ball({}, 1.0), RequestError);
  EXPECT_THROW(make_group_ball(std::vector<std::size_t>{2, 0}, 1.0), RequestError);
  EXPECT_THROW(make_lp_ball(3, 1.0, 1.0), RequestError);
  EXPECT_THROW(make_lp_ball(3, std::nan(""), 1.0), RequestError);
  EXPECT_THROW(make_elastic_ball(3, 1.0, 1.0), RequestError);
  EXPECT_THROW(make_box(0, -1.0, 1.0), RequestError);
  EXPECT_THROW(make_box(3, 0.5, 1.0), RequestError);
  for (const auto make : {&make_l2_ball, &make_l1_ball, &make_simplex}) {
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
