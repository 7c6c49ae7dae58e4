// Reading and writing losses as text, and refusing what makes no sense.
#include <gtest/gtest.h>

#include <cmath>

#include "loss/every_loss.h"
#include "rivulet/error.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using testing::refusal;

std::string refused(std::string_view text) {
  return refusal([&] { parse_loss(text, "--loss"); });
}

TEST(LossText, NamesReadBackAsTheSameLoss) {
  for (const auto& loss : testing::every_loss()) {
    const auto again = parse_loss(loss->name());
    EXPECT_EQ(again->name(), loss->name());
    EXPECT_EQ(again->is_classification(), loss->is_classification());
    EXPECT_EQ(again->value(0.3, -1.0), loss->value(0.3, -1.0)) << loss->name();
    EXPECT_EQ(again->derivative(0.3, 1.0), loss->derivative(0.3, 1.0)) << loss->name();
  }
  std::mt19937_64 generator(51);
  std::uniform_real_distribution<double> exponent(-300.0, 300.0);
  for (int trial = 0; trial < 1000; ++trial) {
    const double number = std::pow(10.0, exponent(generator));
    for (const auto& loss : {make_huber_loss(number), make_smooth_hinge_loss(number)}) {
      EXPECT_EQ(parse_loss(loss->name())->lipschitz(2.0), loss->lipschitz(2.0)) << loss->name();
    }
  }
  EXPECT_EQ(parse_loss("huber:0.50")->name(), "huber:0.5");
}

TEST(LossText, LossesForLabelsSayThatTheyAre) {
  for (const auto& loss : testing::every_loss()) {
    const bool margin = loss->name() == "logistic" || loss->name().find("hinge") != std::string::npos;
    EXPECT_EQ(loss->is_classification(), margin) << loss->name();
  }
}

TEST(LossText, ARefusalNamesFieldTextAndWhatIsAccepted) {
  for (const char* text :
       {"",           "square",       "Squared",       " squared",     "logistic ",      "huber",
        "huber:",     "huber:x",      "huber:1x",      "huber:1:2",    "huber:-1",       "huber:0",
        "huber:nan",  "huber:inf",    "huber:1e999",   "huber:1e-999", "quantile",       "quantile:0",
        "quantile:1", "quantile:1.5", "quantile:-0.5", "smooth-hinge", "smooth-hinge:0", "smooth-hinge:+1",
        "squared:2",  "logistic:",    "hinge:1",       "custom:mine"}) {
    const std::string message = refused(text);
    EXPECT_EQ(message.rfind("--loss: \"" + std::string(text) + "\" ", 0), 0U) << message;
    EXPECT_NE(message.find("accepted: squared, logistic, hinge, smooth-hinge:WIDTH, huber:THRESHOLD"),
              std::string::npos)
        << message;
  }
  EXPECT_NE(refused("huber:-1").find("threshold -1"), std::string::npos);
  EXPECT_NE(refused("quantile").find("has no level"), std::string::npos);
  EXPECT_NE(refused("smooth-hinge:wide").find("a width that is not a number"), std::string::npos);
  EXPECT_NE(refused("huber:1e999").find("beyond the range"), std::string::npos);
  EXPECT_NE(refused("squared:2").find("takes none"), std::string::npos);
  EXPECT_NE(refused("custom:mine").find("in the program that made it only"), std::string::npos);
}

TEST(LossText, FactoriesRefuseTheSameNumbers) {
  for (const double number : {0.0, -1.0, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_NE(refusal([&] { make_huber_loss(number); }).find("loss: huber: the threshold is"), std::string::npos);
    EXPECT_NE(refusal([&] { make_smooth_hinge_loss(number); }).find("loss: smooth-hinge: the width is"),
              std::string::npos);
    EXPECT_NE(refusal([&] { make_quantile_loss(number); }).find("loss: quantile: the level is"), std::string::npos);
  }
  EXPECT_NE(refusal([] { make_quantile_loss(1.0); }).find("above 0 and below 1"), std::string::npos);
}

}  // namespace
}  // namespace rivulet
