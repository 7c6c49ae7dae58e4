// `rivulet fit` with losses other than squares: what is learnt, what is said, and what becomes of rows that do not fit.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "cli/class_fixture.h"

namespace rivulet::cli_testing {
namespace {

class LossFit : public DurableTest {
 protected:
  [[nodiscard]] std::vector<nlohmann::json> releases(const Flags& flags, const std::string& input) const {
    const Outcome outcome = run(flags.with("--releases", path("lines")).fit(), input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json_lines(read("lines").value_or(""));
  }
  // Of the last release; with so large a budget noise is small beside the law's coefficients.
  [[nodiscard]] std::vector<double> last(const Flags& flags, const std::string& input) const {
    const auto lines = releases(flags, input);
    if (lines.empty()) return {0.0, 0.0, 0.0};
    const auto& model = lines.back();
    return {model["intercept"], model["coefficients"]["x"], model["coefficients"]["z"]};
  }
};

TEST_F(LossFit, LogisticRegressionFindsTheLogOdds) {
  const Flags flags = class_flags().with("--epsilon", "200").with("--constraint", "l2:12").with("--tau", "40");
  const auto model = last(flags, class_csv(2000));
  EXPECT_NEAR(model[0], -5.0, 1.5);
  EXPECT_NEAR(model[1], 1.0, 0.3);
  EXPECT_NEAR(model[2], -1.0, 0.3);
}

TEST_F(LossFit, EveryLossForClassesRanksThem) {
  for (const Flags& flags :
       {class_flags(), class_flags().with("--loss", "hinge"), class_flags().with("--loss", "smooth-hinge:0.5"),
        surrogate_flags(), surrogate_flags().with("--margin", "2"), class_flags().without("--tau"),
        class_flags().without("--tau").with("--tau-rule", "strongly-convex").with("--ridge", "0.01"),
        class_flags().without("--tau").with("--mechanism", "naive"), class_flags().with("--late-weight", "1"),
        class_flags().bare("--no-average"), class_flags().with("--iterations", "5").with("--batches", "2"),
        class_flags().with("--method", "frank-wolfe"), class_flags().without("--horizon"),
        class_flags().without("--tau").with("--loss", "squared")}) {
    const auto model = last(flags, class_csv(2000));
    const std::string what = ::testing::PrintToString(flags.fit());
    EXPECT_GT(model[1], 0.0) << what;
    EXPECT_LT(model[2], 0.0) << what;
    EXPECT_NEAR(-model[1] / model[2], 1.0, 0.5) << what;
  }
}

TEST_F(LossFit, QuantilesLieBelowAndAboveTheMedianAndHuberFindsTheLaw) {
  const std::string input = csv(2000);
  const auto constant = [&](const std::string& loss) { return last(number_flags(loss), input)[0]; };
  EXPECT_LT(constant("quantile:0.1"), constant("quantile:0.9"));
  const auto huber = last(number_flags("huber:0.2").with("--tau", "200"), input);
  EXPECT_NEAR(huber[1], 2.0, 0.6);
  EXPECT_NEAR(huber[2], -1.5, 0.6);
}

TEST_F(LossFit, TheComparisonsAreOfSquaresUnlessSaidOtherwise) {
  const Flags flags = fit_flags().with("--horizon", "50").with("--epsilon", "100");
  for (const char* mechanism : {"erm", "naive", "trivial"}) {
    const auto lines = releases(flags.with("--mechanism", mechanism), csv(500));
    ASSERT_EQ(lines.size(), 50u);
    EXPECT_EQ(lines.back()["loss"], "squared");
    EXPECT_EQ(lines.back()["mechanism"], mechanism);
    const auto calls = lines.back()["calls"].get<std::uint64_t>();
    const auto tau = lines.back()["tau"].get<std::uint64_t>();
    EXPECT_EQ(calls, mechanism == std::string("trivial") ? 0 : 50 / tau);
    EXPECT_TRUE(mechanism != std::string("naive") || tau == 1) << tau;
  }
}

TEST_F(LossFit, TheTrivialMechanismLearnsNothing) {
  const auto model = last(class_flags().without("--tau").with("--mechanism", "trivial"), class_csv(500));
  EXPECT_EQ(model, (std::vector{0.0, 0.0, 0.0}));
}

TEST_F(LossFit, LinesOfReleasesSayLossMechanismClassesAndCalls) {
  const auto lines = releases(class_flags(), class_csv(500));
  ASSERT_EQ(lines.size(), 10u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(keys_of(lines[i]), (Names{"calls", "classes", "coefficients", "delta", "epsilon", "intercept", "loss",
                                        "mechanism", "neighbours", "noise", "not_private", "rows", "step", "tau"}));
    EXPECT_EQ(lines[i]["calls"], (i + 1) / 2);
    EXPECT_EQ(lines[i]["tau"], 2);
    EXPECT_EQ(lines[i]["loss"], "logistic");
    EXPECT_EQ(lines[i]["mechanism"], "erm");
    EXPECT_EQ(lines[i]["classes"], (std::vector<std::string>{"no", "yes"}));
  }
  EXPECT_EQ(lines[0]["intercept"], 0.0) << "nothing is learnt before the first call";
  EXPECT_TRUE(lines[0]["noise"]["call"].is_null());
  EXPECT_GT(lines[9]["noise"]["call"].get<double>(), 0.0);
  const auto surrogate = releases(surrogate_flags(), class_csv(100));
  EXPECT_EQ(surrogate.at(0)["mechanism"], "surrogate");
  EXPECT_GT(surrogate.at(0)["noise"]["cross"].get<double>(), 0.0);
  EXPECT_FALSE(surrogate.at(0).contains("tau"));
  EXPECT_FALSE(releases(fit_flags(), csv(20)).at(0).contains("loss")) << "lines of least squares are as they were";
}

TEST_F(LossFit, TheReportSaysWhatTheNumbersAreAndGivesNoIntervals) {
  const std::string file = write("d.csv", class_csv(200));
  const std::string erm = run(class_flags().fit(file)).out;
  EXPECT_TRUE(holds(erm, "Model of bought (yes against no) after 200 rows (release 4)"));
  EXPECT_TRUE(holds(erm, "change of the log-odds of yes"));
  EXPECT_TRUE(holds(erm, "yes where it is above 0, else no"));
  EXPECT_TRUE(holds(erm,
                    "Fitted by PrivIncERM, logistic loss: 2 calls of the private solver so far, one every 2 steps. "
                    "Rows kept: 3.2 kB."));
  EXPECT_TRUE(holds(erm, "No standard errors and intervals: PrivIncERM"));
  EXPECT_TRUE(lacks(erm, "std. error"));
  EXPECT_TRUE(lacks(erm, "not determined"));
  const std::string surrogate = run(surrogate_flags().fit(file)).out;
  EXPECT_TRUE(holds(surrogate, "quadratic surrogate of the logistic loss, for log-odds up to 4"));
  EXPECT_TRUE(holds(surrogate, "not for log-odds"));
  EXPECT_TRUE(lacks(surrogate, "std. error"));
  const std::string hinge = run(class_flags().with("--loss", "hinge").fit(file)).out;
  EXPECT_TRUE(holds(hinge, "change of the score"));
  const std::string quantile = run(number_flags("quantile:0.9").fit(write("n.csv", csv(40)))).out;
  EXPECT_TRUE(holds(quantile, "change of the 0.9-quantile of the target"));
  const std::string early = run(class_flags().with("--tau", "5").fit(file)).out;
  EXPECT_TRUE(holds(early, "Nothing is learnt before the first call, at step 5"));
}

TEST_F(LossFit, NumbersAndWordsForTheSameClassesMakeTheSameModel) {
  const auto data = class_rows(300);
  const auto words = last(class_flags(), class_csv(data));
  EXPECT_EQ(last(class_flags().with("--classes", "0,1"), class_csv(data, "0.0", "1e0")), words)
      << "numbers are compared as numbers";
  EXPECT_EQ(last(class_flags().with("--classes", "-1,1"), class_csv(data, "-1", "+1")), words);
  EXPECT_EQ(last(class_flags().with("--classes", "no, thanks|yes"), class_csv(data, "\"no, thanks\"", "yes")), words);
  EXPECT_EQ(last(class_flags().with("--classes", "2,-3"), class_csv(data, "2", "-3")), words)
      << "the positive class may be the smaller number";
  const std::string toml = write("c.toml", "classes = [\"a|b\", \"c,d\"]\nloss = \"logistic\"\n");
  EXPECT_EQ(last(class_flags().without("--classes").with("--config", toml), class_csv(data, "a|b", "\"c,d\"")), words);
}

TEST_F(LossFit, ALabelOutsideTheTwoMakesItsRowAZeroRowThatCounts) {
  const auto data = class_rows(100);
  const std::string good = class_csv(data);
  const std::string bad = good + "1,1,maybe\n1,1,\n1,1,YES\n";
  const Outcome outcome = run(class_flags().with("--releases", path("lines")).fit(), bad);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err,
                    "operator only, do not publish: 3 of 103 rows could not be used and counted as zero rows (1 with a "
                    "missing value, 2 with an undeclared category or class"));
  const auto lines = json_lines(read("lines").value_or(""));
  EXPECT_EQ(lines.back()["rows"], 103);
  const Outcome numbers = run(class_flags().with("--classes", "0,1").fit(), class_csv(data, "0", "0.5"));
  EXPECT_EQ(numbers.exit_code, 0);
  EXPECT_TRUE(holds(numbers.err, "with an undeclared category or class"));
}

TEST_F(LossFit, OneClassAloneSeparableRowsAndRowsOfZerosMakeModelsWithinTheSet) {
  auto one = class_rows(300);
  for (ClassRow& row : one) row.positive = true;
  auto separable = class_rows(300);
  for (ClassRow& row : separable) row.positive = row.x > 5.0;
  auto zeros = class_rows(300);
  for (ClassRow& row : zeros) row.x = 5.0, row.z = 0.0;
  for (const auto& data : {one, separable, zeros}) {
    for (const Flags& flags : {class_flags(), class_flags().with("--loss", "hinge"), surrogate_flags()}) {
      const auto model = last(flags, class_csv(data));
      const double a = 5.0 * model[1];  // in box units
      const double b = 5.0 * model[2];
      const double c = model[0] + 5.0 * model[1];
      EXPECT_TRUE(std::isfinite(a) && std::isfinite(b) && std::isfinite(c));
      EXPECT_LE(std::hypot(a, b, c), 6.0 * (1.0 + 1e-9));
    }
  }
  const auto all_yes = last(class_flags().with("--epsilon", "200"), class_csv(one));
  EXPECT_GT(all_yes[0] + 5.0 * all_yes[1], 0.0) << "in the middle of the box the only class there is is likelier";
}

TEST_F(LossFit, AnEmptyFileAndOneWithoutRowsHaveTheirAnswers) {
  const Outcome empty = run(class_flags().fit(), "");
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_TRUE(holds(empty.err, "is empty; accepted: CSV with a header line"));
  const Outcome header = run(class_flags().fit(), "x,z,bought\n");
  EXPECT_EQ(header.exit_code, 0);
  EXPECT_TRUE(holds(header.err, "no step was completed, so nothing was published"));
}

TEST_F(LossFit, LibsvmRowsHaveClassesOfNumbers) {
  const Flags flags{{"--dimension", "4"}, {"--bound", "x=0:1"}, {"--clip-norm", "2"},     {"--classes", "-1,1"},
                    {"--epsilon", "50"},  {"--delta", "1e-6"},  {"--insecure-seed", "3"}, {"--release-every", "50"},
                    {"--horizon", "8"},   {"--tau", "4"},       {"--constraint", "l2:6"}};
  std::string text;
  for (int i = 0; i < 400; ++i) text += i % 2 == 0 ? "+1 1:1 3:0.5\n" : "-1 2:1 3:0.5\n";
  const Outcome outcome = run(flags.with("--releases", path("lines")).fit(write("d.svm", text)));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto model = json_lines(read("lines").value_or("")).back();
  EXPECT_GT(model["coefficients"]["x1"].get<double>(), 0.0);
  EXPECT_LT(model["coefficients"]["x2"].get<double>(), 0.0);
}

TEST_F(LossFit, PastTheHorizonNothingIsPublished) {
  const Outcome outcome =
      run(class_flags().with("--horizon", "4").with("--releases", path("lines")).fit(), class_csv(500));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(json_lines(read("lines").value_or("")).size(), 4u);
}

TEST_F(LossFit, AConfigurationSaysTheSameAsFlags) {
  const std::string toml = write("c.toml", R"(
target = "bought"
features = ["x", "z"]
classes = ["no", "yes"]
loss = "smooth-hinge:0.5"
mechanism = "erm"
tau = 2
method = "gradient-descent"
iterations = 6
batches = 2
ridge = 0.01
late-weight = 1
average = false
epsilon = 20
delta = 1e-6
release-every = 50
horizon = 40
constraint = "l2:6"
[bounds]
x = [0, 10]
z = [-5, 5]
)");
  const Flags file{{"--config", toml}, {"--insecure-seed", "7"}};
  const Flags typed = class_flags()
                          .with("--loss", "smooth-hinge:0.5")
                          .with("--mechanism", "erm")
                          .with("--method", "gradient-descent")
                          .with("--iterations", "6")
                          .with("--batches", "2")
                          .with("--ridge", "0.01")
                          .with("--late-weight", "1")
                          .bare("--no-average");
  EXPECT_EQ(last(file, class_csv(500)), last(typed, class_csv(500)));
  EXPECT_EQ(last(file.with("--loss", "hinge").bare("--average"), class_csv(500)),
            last(class_flags()
                     .with("--loss", "hinge")
                     .with("--method", "gradient-descent")
                     .with("--iterations", "6")
                     .with("--batches", "2")
                     .with("--ridge", "0.01")
                     .with("--late-weight", "1")
                     .bare("--average"),
                 class_csv(500)));
}

}  // namespace
}  // namespace rivulet::cli_testing
