// What a condition on rows looks like, and what a refusal says.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "rivulet/domain.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using rivulet::testing::refusal;
using Kind = Domain::Condition::Kind;

Schema schema(bool intercept = true) {
  Schema result;
  result.feature("age", {0, 100})
      .categorical("kind", {"p", "q", "r"})
      .feature("a=b", {0, 1})
      .feature("nonzeros", {0, 1})
      .feature("l1", {0, 1})
      .target("spend", {0, 5000});
  return result.intercept(intercept);
}

Domain::Condition only(const std::string& text, bool intercept = true) {
  const Domain domain({text}, schema(intercept));
  EXPECT_FALSE(domain.is_everything());
  EXPECT_EQ(domain.conditions().size(), 1U);
  return domain.conditions()[0];
}

std::string refused(const std::string& text) {
  return refusal([&] { Domain({text}, schema()); });
}

TEST(DomainText, WithoutConditionsEverythingIsInside) {
  EXPECT_TRUE(Domain().is_everything());
  EXPECT_TRUE(Domain({}, schema()).is_everything());
}

TEST(DomainText, LimitsReadBackAsTheirNumbers) {
  for (const auto& [text, limit] : {std::pair<std::string, double>{"nonzeros<=0", 0},
                                    {"nonzeros<=17", 17},
                                    {"nonzeros<=1e3", 1000},
                                    {"nonzeros<=4.0", 4}}) {
    EXPECT_EQ(only(text).kind, Kind::nonzeros);
    EXPECT_EQ(only(text).hi, limit);
  }
  for (const auto& [text, limit] : {std::pair<std::string, double>{"l1<=0", 0}, {"l1<=2.5", 2.5}, {"l1<=1e-3", 1e-3}}) {
    EXPECT_EQ(only(text).kind, Kind::l1_norm);
    EXPECT_EQ(only(text).hi, limit);
  }
}

TEST(DomainText, RangesNameAFeatureOrTheTargetByItsPlaceInARow) {
  const auto age = only("age=18:65.5");
  EXPECT_EQ(age.kind, Kind::value);
  EXPECT_EQ(age.value, 0U);
  EXPECT_EQ(age.lo, 18.0);
  EXPECT_EQ(age.hi, 65.5);
  // Behind a categorical column: one value a level, less the reference when there is an intercept. A name may hold '='.
  EXPECT_EQ(only("a=b=-1:1").value, 3U);
  EXPECT_EQ(only("a=b=-1:1", false).value, 4U);
  EXPECT_EQ(only("a=b=-1:1").lo, -1.0);
  EXPECT_EQ(only("nonzeros=0:1").kind, Kind::value);
  EXPECT_EQ(only("nonzeros=0:1").value, 4U);
  EXPECT_EQ(only("l1=0:1").value, 5U);
  const auto spend = only("spend=-1e300:1e300");
  EXPECT_EQ(spend.kind, Kind::target);
  EXPECT_EQ(spend.hi, 1e300);
  EXPECT_EQ(only("age=5:5").lo, only("age=5:5").hi);
}

TEST(DomainText, SeveralConditionsKeepTheirOrder) {
  const Domain domain({"nonzeros<=3", "age=1:2", "age=0:9"}, schema());
  ASSERT_EQ(domain.conditions().size(), 3U);
  EXPECT_EQ(domain.conditions()[0].kind, Kind::nonzeros);
  EXPECT_EQ(domain.conditions()[1].hi, 2.0);
  EXPECT_EQ(domain.conditions()[2].hi, 9.0);
}

TEST(DomainText, ARefusalNamesTheTextAndWhatIsAccepted) {
  const std::string accepted = "; accepted: nonzeros<=K, l1<=R, or COLUMN=LO:HI for a numeric feature or the target";
  EXPECT_EQ(refused("nonzeros<=1.5"), "only-if: \"nonzeros<=1.5\" has no whole number K of 0 or more" + accepted);
  EXPECT_EQ(refused("l1<=-1"), "only-if: \"l1<=-1\" has no number R of 0 or more" + accepted);
  EXPECT_EQ(refused("age<=40"), "only-if: \"age<=40\" limits something that has no limit" + accepted);
  EXPECT_EQ(refused("age"), "only-if: \"age\" is no condition" + accepted);
  EXPECT_EQ(refused("age=40"), "only-if: \"age=40\" has no range LO:HI" + accepted);
  EXPECT_EQ(refused("age=65:18"),
            "only-if: \"age=65:18\" has no range of two finite numbers LO:HI with LO <= HI" + accepted);
  EXPECT_EQ(refused("height=1:2"),
            "only-if: \"height=1:2\" names a column that is neither a feature nor the target" + accepted);
  EXPECT_EQ(refused("kind=0:1"),
            "only-if: \"kind=0:1\" gives a range to a categorical column; its levels are declared instead" + accepted);
}

TEST(DomainText, NothingElseIsTaken) {
  for (const char* text : {"",
                           " ",
                           "=",
                           "<=",
                           ":",
                           "=1:2",
                           "age=",
                           "age=:",
                           "age=1:",
                           "age=:2",
                           "age=1:2:3",
                           "age=1:2 ",
                           "age= 1:2",
                           "age =1:2",
                           "age=nan:1",
                           "age=0:inf",
                           "age=-inf:0",
                           "age=1e400:2e400",
                           "age=0x1:0x2",
                           "age=1,5:2",
                           "Age=1:2",
                           "nonzeros<=",
                           "nonzeros<=-1",
                           "nonzeros<=nan",
                           "nonzeros<=inf",
                           "nonzeros<= 3",
                           "nonzeros<=3x",
                           "nonzeros<3",
                           "nonzeros=<3",
                           "nonzeros>=3",
                           "Nonzeros<=3",
                           "l1<=",
                           "l1<=nan",
                           "l1<=inf",
                           "l1<=1e999",
                           "l2<=1",
                           "<=3",
                           "nonzeros<=3<=4"}) {
    EXPECT_NE(refused(text), "accepted") << text;
  }
}

TEST(DomainText, AnUnreadableTextIsShownOnOneLineAndCut) {
  const std::string message = refused("a\nb" + std::string(500, 'x') + "=1:2");
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 300U);
}

TEST(DomainText, ASchemaThatIsNotWholeIsRefused) {
  Schema without_target;
  without_target.feature("a", {0, 1});
  EXPECT_THROW(Domain({"a=0:1"}, without_target), RequestError);
}

}  // namespace
}  // namespace rivulet
