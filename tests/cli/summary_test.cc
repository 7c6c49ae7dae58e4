// A published model as a table and as JSON.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class SummaryCommand : public DurableTest {
 protected:
  std::string fit(const Flags& flags, std::size_t rows) const {
    const Outcome outcome = run(durable(flags).fit(), csv(rows));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
    return outcome.out;
  }
  [[nodiscard]] nlohmann::json json(const Arguments& more = {}) const {
    Arguments arguments{"summary", path("public"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return nlohmann::json::parse(outcome.out);
  }
};

TEST_F(SummaryCommand, IsTheTableThatFitPrintedFromTheModelAndFromItsExport) {
  const std::string printed = fit(fit_flags().without("--insecure-seed"), 300);
  EXPECT_EQ(run({"summary", path("m")}).out, printed);
  EXPECT_EQ(run({"summary", path("public")}).out, printed);
  const Outcome earlier = run({"summary", path("public"), "--at", "7"});
  EXPECT_TRUE(holds(earlier.out, "Model of y after 70 rows (release 7)"));
  EXPECT_TRUE(holds(earlier.out, "all 30 releases together")) << "the promise is about everything that is out";
}

TEST_F(SummaryCommand, JsonHasTheSameKeysForEveryCoefficientAndTheNumbersOfTheRelease) {
  fit(fit_flags().without("--insecure-seed").with("--epsilon", "100"), 3000);
  const auto summary = json();
  EXPECT_EQ(keys_of(summary), (Names{"baseline",
                                     "better_than_baseline",
                                     "chain",
                                     "coefficients",
                                     "delta",
                                     "epsilon",
                                     "estimate_r_squared",
                                     "estimate_r_squared_stddev",
                                     "level",
                                     "loss",
                                     "mechanism",
                                     "neighbours",
                                     "r_squared",
                                     "r_squared_lower",
                                     "r_squared_stddev",
                                     "r_squared_upper",
                                     "residual_stddev",
                                     "rows",
                                     "step",
                                     "target",
                                     "usable_rows"}));
  const auto line = nlohmann::json::parse(whole_lines(*read("r")).back());
  for (const char* key : {"step", "rows", "epsilon", "delta", "neighbours", "chain"})
    EXPECT_EQ(summary[key], line[key]);
  EXPECT_EQ(summary["target"], "y");
  EXPECT_EQ(summary["level"], 0.95);
  const std::vector<std::string> names{"(intercept)", "x", "z", "kind=b", "kind=c"};
  ASSERT_EQ(summary["coefficients"].size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& c = summary["coefficients"][i];
    EXPECT_EQ(keys_of(c), (Names{"determined", "estimate", "lower", "naive_standard_error", "name", "p_value",
                                 "published", "standard_error", "upper"}));
    EXPECT_EQ(c["name"], names[i]);
    EXPECT_EQ(c["published"], i == 0 ? line["intercept"] : line["coefficients"][names[i]]);
    EXPECT_EQ(c["determined"], true);
    EXPECT_LT(c["lower"], c["upper"]);
    EXPECT_LE(c["naive_standard_error"], c["standard_error"]);
  }
  EXPECT_NEAR(summary["coefficients"][1]["estimate"].get<double>(), 2.0, 0.5);
  EXPECT_LT(json({"--level", "0.5"})["coefficients"][1]["upper"], summary["coefficients"][1]["upper"]);
}

// Against `predict --score`, which goes over the rows themselves. l2:0.1 keeps the model far from the estimates, whose
// R^2 is 1 for these rows without errors. At this level a false alarm has probability 1e-6.
TEST_F(SummaryCommand, RSquaredIsThatOfThePublishedCoefficientsAndNotOfTheEstimates) {
  std::ofstream(path("rows.csv")) << csv(3000);
  for (const char* constraint : {"l2:0.1", "l2:2"}) {
    for (const char* name : {"m", "r", "public"}) std::filesystem::remove(path(name));
    fit(fit_flags().with("--epsilon", "100").with("--constraint", constraint), 3000);
    const Outcome scored = run({"predict", path("public"), path("rows.csv"), "--score", "--json"});
    ASSERT_EQ(scored.exit_code, 0) << scored.err;
    const double truth = nlohmann::json::parse(scored.out)["r_squared"];
    const auto summary = json({"--level", "0.999999"});
    EXPECT_LE(summary["r_squared_lower"], truth) << constraint;
    EXPECT_GE(summary["r_squared_upper"], truth) << constraint;
    EXPECT_NEAR(summary["r_squared"].get<double>(), truth, 0.1) << constraint;
    EXPECT_GT(summary["estimate_r_squared"], 0.8) << constraint;
    EXPECT_EQ(summary["better_than_baseline"], truth > 0.0) << constraint;
    EXPECT_EQ(summary["baseline"], "mean");
    const bool tight = std::string(constraint) == "l2:0.1";
    EXPECT_EQ(truth < 0.0, tight) << "the case tests nothing";
    const std::string table = run({"summary", path("public")}).out;
    EXPECT_TRUE(holds(table, "R² of the model on the rows so far "));
    EXPECT_TRUE(
        holds(table, tight ? "): no better than the mean of the target." : "): better than the mean of the target."));
  }
}

TEST_F(SummaryCommand, TheTableShowsTheEstimateThatStandardErrorAndIntervalBelongTo) {
  fit(fit_flags().with("--epsilon", "100").with("--constraint", "l2:0.1"), 3000);
  const auto x = json()["coefficients"][1];
  EXPECT_GT(x["lower"], x["published"]) << "the case tests nothing";
  const auto lines = whole_lines(run({"summary", path("public")}).out);
  EXPECT_TRUE(holds(lines[2], "per unit        estimate   std. error"));
  std::istringstream line(lines[4]);
  std::string name;
  double published = 0.0;
  double estimate = 0.0;
  double standard_error = 0.0;
  double lower = 0.0;
  line >> name >> published >> estimate >> standard_error >> lower;
  EXPECT_EQ(name, "x");
  EXPECT_NEAR(published, x["published"], 1e-4 * std::abs(published));
  EXPECT_NEAR(estimate, x["estimate"], 1e-4 * std::abs(estimate));
  EXPECT_NEAR(standard_error, x["standard_error"], 1e-2 * standard_error);
  EXPECT_NEAR(lower, x["lower"], 1e-4 * std::abs(lower));
}

TEST_F(SummaryCommand, WhatIsNotDeterminedIsNull) {
  fit(fit_flags().without("--insecure-seed").with("--epsilon", "0.01"), 20);
  const auto summary = json();
  for (const auto& c : summary["coefficients"]) {
    EXPECT_EQ(c["determined"], false);
    EXPECT_TRUE(c["published"].is_number());
    EXPECT_TRUE(c["standard_error"].is_null());
    EXPECT_TRUE(c["lower"].is_null());
    EXPECT_TRUE(c["upper"].is_null());
  }
  EXPECT_TRUE(summary["residual_stddev"].is_null());
  EXPECT_TRUE(summary["r_squared"].is_null());
  EXPECT_TRUE(summary["better_than_baseline"].is_null());
  EXPECT_TRUE(holds(run({"summary", path("public")}).out, "R² of the model on the rows so far cannot be told yet"));
  EXPECT_TRUE(holds(run({"summary", path("public")}).out, "not determined yet"));
}

TEST_F(SummaryCommand, ThePapersProfileHasCoefficientsAndNoIntervals) {
  fit(fit_flags().without("--insecure-seed").with("--profile", "paper").with("--horizon", "32"), 300);
  const auto summary = json();
  EXPECT_FALSE(summary.contains("level"));
  EXPECT_FALSE(summary.contains("residual_stddev"));
  EXPECT_FALSE(summary.contains("r_squared"));
  EXPECT_TRUE(holds(summary["r_squared_not_known_because"].get<std::string>(), "sum of squared targets"));
  for (const auto& c : summary["coefficients"]) EXPECT_EQ(keys_of(c), (Names{"name", "published"}));
  const std::string table = run({"summary", path("public")}).out;
  EXPECT_TRUE(holds(table, "per unit"));
  EXPECT_TRUE(holds(table, "R² of the model is not known: profile `paper`"));
  EXPECT_TRUE(lacks(table, "interval"));
  EXPECT_TRUE(lacks(table, "not determined"));
}

TEST_F(SummaryCommand, NoiseThatAnyoneCanRemoveIsSaidToBe) {
  fit(fit_flags(), 50);
  EXPECT_EQ(json()["not_private"], true);
  EXPECT_TRUE(holds(run({"summary", path("public")}).out, "NOT PRIVATE"));
  EXPECT_TRUE(lacks(run({"summary", path("public")}).out, "differentially private"));
}

TEST_F(SummaryCommand, BadRequestsAreRefusedInOneLine) {
  fit(fit_flags(), 50);
  for (const auto& [more, message] :
       std::vector<std::pair<Arguments, std::string>>{{{"--at", "0"}, "at: 0"},
                                                      {{"--at", "6"}, "at: 6 is not out yet; accepted: 1 to 5"},
                                                      {{"--at", "18446744073709551616"}, "at: "},
                                                      {{"--level", "1"}, "level: \"1\""},
                                                      {{"--level", "95%"}, "level: \"95%\""},
                                                      {{"second"}, "\"second\": not expected here"}}) {
    Arguments arguments{"summary", path("m")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, message));
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
