// A published model as a table and as JSON.
#include <gtest/gtest.h>

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
  EXPECT_EQ(keys_of(summary),
            (Names{"chain", "coefficients", "delta", "epsilon", "level", "loss", "mechanism", "neighbours", "r_squared",
                   "r_squared_stddev", "residual_stddev", "rows", "step", "target", "usable_rows"}));
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
  EXPECT_TRUE(holds(run({"summary", path("public")}).out, "not determined yet"));
}

TEST_F(SummaryCommand, ThePapersProfileHasCoefficientsAndNoIntervals) {
  fit(fit_flags().without("--insecure-seed").with("--profile", "paper").with("--horizon", "32"), 300);
  const auto summary = json();
  EXPECT_FALSE(summary.contains("level"));
  EXPECT_FALSE(summary.contains("residual_stddev"));
  for (const auto& c : summary["coefficients"]) EXPECT_EQ(keys_of(c), (Names{"name", "published"}));
  const std::string table = run({"summary", path("public")}).out;
  EXPECT_TRUE(holds(table, "per unit"));
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
       std::vector<std::pair<Arguments, std::string>>{{{"--at", "0"}, "at: \"0\""},
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
