#include "rivulet/inference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "infer/sums.h"
#include "rivulet/error.h"
#include "support/refusal.h"

namespace rivulet {
namespace {

using testing::refusal;

Schema two_features() {
  Schema schema;
  schema.feature("age", {18.0, 90.0}).feature("income", {0.0, 2e5}).target("spend", {0.0, 5000.0});
  return schema;
}

Statistics some_statistics() {
  testing::Sums sums(two_features());
  for (int i = 0; i < 40; ++i) {
    const double age = 20.0 + 1.5 * i;
    const double income = 1000.0 * ((7 * i) % 40);
    sums.add(std::vector<double>{age, income}, 100.0 + 20.0 * age + 0.01 * income + 30.0 * (i % 3));
  }
  return sums.statistics();
}

TEST(Inference, RefusesALevelThatIsNoProbability) {
  for (const double level : {0.0, 1.0, -0.5, 95.0, std::nan("")}) {
    const std::string message = refusal([&] { Inference(two_features(), some_statistics(), level); });
    EXPECT_TRUE(message.starts_with("level: ")) << message;
    EXPECT_NE(message.find("accepted: a number between 0 and 1"), std::string::npos) << message;
  }
}

// Model::predict() of two classes is a score in units of its own (fit/user_units.cc); so is what is said about it.
TEST(Inference, OfTwoClassesIsInTheUnitsOfTheModel) {
  Schema schema;
  schema.feature("x", {-1.0, 1.0}).classes("y", 3.0, 1.0);
  testing::Sums sums(schema);
  for (int i = 0; i < 40; ++i)
    sums.add(std::vector<double>{i % 2 == 0 ? 0.8 : -0.7}, i % 5 == 0 ? 3.0 : 1.0 + 2.0 * (i % 2));
  const Inference inference(schema, sums.statistics());
  EXPECT_GT(inference.residual_stddev(), 0.0);
  EXPECT_LE(inference.residual_stddev(), 1.5);
}

TEST(Inference, RefusesStatisticsOfAnotherSchema) {
  Statistics statistics = some_statistics();
  statistics.dimension = 2;
  EXPECT_EQ(refusal([&] { Inference(two_features(), statistics); }),
            "statistics: they have 2 coordinates; accepted: the schema's 3");
  statistics = some_statistics();
  statistics.gram.pop_back();
  EXPECT_NE(refusal([&] { Inference(two_features(), statistics); }), "accepted");
}

TEST(Inference, RefusesStatisticsWithoutTheSumOfSquaredTargets) {
  Statistics statistics = some_statistics();
  statistics.has_target_square = false;
  const std::string message = refusal([&] { Inference(two_features(), statistics); });
  EXPECT_NE(message.find("lack the sum of squared targets"), std::string::npos) << message;
  EXPECT_NE(message.find("accepted: statistics of profile `tight`"), std::string::npos) << message;
}

TEST(Inference, RefusesStatisticsThatAreNotNumbers) {
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity(), 1e200};
  for (const double value : bad) {
    for (int place = 0; place < 5; ++place) {
      Statistics statistics = some_statistics();
      double* const places[] = {&statistics.gram[4], &statistics.cross[1], &statistics.target_square,
                                &statistics.noise.cross, &statistics.target_square_stddev};
      *places[place] = value;
      EXPECT_NE(refusal([&] { Inference(two_features(), statistics); }), "accepted") << value << " at " << place;
    }
  }
  Statistics statistics = some_statistics();
  statistics.noise.gram_diagonal = -1.0;
  EXPECT_NE(refusal([&] { Inference(two_features(), statistics); }), "accepted");
}

TEST(Inference, RefusesToPredictFromARowOfTheWrongShape) {
  const Inference inference(two_features(), some_statistics());
  EXPECT_EQ(refusal([&] { (void)inference.predict(std::vector<double>{1.0}); }),
            "values: a row of 1 values was given; accepted: 2 values");
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(refusal([&] { (void)inference.predict(std::vector<double>{40.0, value}); }).starts_with("values: "));
  }
}

TEST(Inference, RefusalsOfRowsDoNotRepeatTheirValues) {
  const Inference inference(two_features(), some_statistics());
  const std::string message = refusal([&] { (void)inference.predict(std::vector<double>{-1.2345e308, 4.0}); });
  EXPECT_NE(message, "accepted");
  EXPECT_EQ(message.find("1.2345"), std::string::npos) << message;
}

TEST(Inference, AHigherLevelGivesWiderIntervalsAroundTheSameEstimates) {
  double last_width = 0.0;
  for (const double level : {0.5, 0.9, 0.95, 0.999}) {
    const Inference inference(two_features(), some_statistics(), level);
    EXPECT_EQ(inference.level(), level);
    const CoefficientInterval& c = inference.coefficients()[1];
    EXPECT_EQ(c.estimate, Inference(two_features(), some_statistics()).coefficients()[1].estimate);
    EXPECT_GT(c.upper - c.lower, last_width);
    last_width = c.upper - c.lower;
  }
}

TEST(Inference, PrivacyNoiseWidensEveryIntervalAndLeavesTheNaiveErrorBehind) {
  Statistics statistics = some_statistics();
  const Inference without(two_features(), statistics);
  statistics.noise = {0.002, 0.0015, 0.02};
  statistics.target_square_stddev = 0.02;
  const Inference with(two_features(), statistics);
  ASSERT_TRUE(with.determined());
  EXPECT_GT(with.r_squared_stddev(), 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(with.coefficients()[i].standard_error, with.coefficients()[i].naive_standard_error);
    EXPECT_GT(with.coefficients()[i].standard_error, without.coefficients()[i].standard_error);
  }
}

TEST(Inference, MarksFollowThePValueAndNothingNotDeterminedIsMarked) {
  CoefficientInterval c;
  c.determined = true;
  const std::pair<double, const char*> expected[] = {{0.0, "***"}, {0.0009, "***"}, {0.001, "**"}, {0.009, "**"},
                                                     {0.01, "*"},  {0.049, "*"},    {0.05, "."},   {0.099, "."},
                                                     {0.1, ""},    {1.0, ""}};
  for (const auto& [p_value, mark] : expected) {
    c.p_value = p_value;
    EXPECT_STREQ(Inference::mark(c), mark) << p_value;
  }
  c.p_value = 0.0;
  c.determined = false;
  EXPECT_STREQ(Inference::mark(c), "");
}

// The intercept's error comes from all coefficients: far from the data it is large.
TEST(Inference, TheInterceptIsThePredictionWhereEveryValueIsZero) {
  const Inference inference(two_features(), some_statistics());
  const CoefficientInterval& intercept = inference.coefficients()[0];
  const PredictionInterval p = inference.predict(std::vector<double>{0.0, 0.0});
  EXPECT_EQ(intercept.name, "(intercept)");
  EXPECT_NEAR(intercept.estimate, p.value, 1e-9 * std::abs(p.value));
  const double quantile = (intercept.upper - intercept.estimate) / intercept.standard_error;
  const double stddev = std::hypot(intercept.standard_error, inference.residual_stddev());
  EXPECT_NEAR(p.upper - p.value, quantile * stddev, 1e-9 * stddev);
}

TEST(Inference, CopiesAgree) {
  const Inference inference(two_features(), some_statistics());
  const Inference copy = inference;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
  EXPECT_EQ(copy.coefficients()[2].upper, inference.coefficients()[2].upper);
  EXPECT_EQ(copy.residual_stddev(), inference.residual_stddev());
}

}  // namespace
}  // namespace rivulet
