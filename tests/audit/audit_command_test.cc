#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_process.h"

namespace rivulet::cli_testing {
namespace {

constexpr std::chrono::seconds kLong{500};

Outcome audit(Arguments arguments) {
  arguments.insert(arguments.begin(), "audit");
  Process process(arguments);
  process.close_input_when_delivered();
  return process.finish(kLong);
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The promise of the whole product, attacked for half a minute. Fails for a sound program with probability below 1e-6.
TEST(Audit, TheFastOneFindsNoViolationAndIsNotToothless) {
  const Outcome outcome = audit({"--fast", "--json", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report.at("violations"), 0);
  EXPECT_EQ(report.at("finished"), report.at("planned"));
  EXPECT_GE(report.at("finished").get<int>(), 30);
  double tightest = 0.0;
  double black_box = 0.0;
  for (const nlohmann::json& finding : report.at("findings")) {
    EXPECT_FALSE(finding.at("violation").get<bool>());
    const double share = finding.at("gaussian_epsilon_at_least").get<double>() / finding.at("epsilon").get<double>();
    const bool white_box = finding.at("looks_at") == "kernel" || finding.at("looks_at") == "gradients";
    double& best = white_box ? tightest : black_box;
    best = std::max(best, share);
  }
  EXPECT_GT(tightest, 0.8);
  EXPECT_GT(black_box, 0.25);
}

TEST(Audit, OwnSettingsAreAttackedAtEveryPlaceWithEveryPair) {
  const Outcome outcome = audit({"--dim", "2", "--epsilon", "8", "--delta", "1e-5", "--horizon", "4", "--strategy",
                                 "tree", "--neighbours", "zero-out", "--trials", "500", "--fast"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "looks at"));
  EXPECT_TRUE(holds(outcome.out, "out of bounds"));
  EXPECT_TRUE(holds(outcome.out, "chosen, adaptive"));
  EXPECT_TRUE(holds(outcome.out, "No violation in 15 configurations."));
  EXPECT_TRUE(holds(outcome.out, "Rows were made up"));
}

TEST(Audit, UnitsAreAttackedWithMoreRowsThanCount) {
  const Outcome outcome = audit({"--dim", "1", "--epsilon", "8", "--delta", "1e-6", "--horizon", "2",
                                 "--max-rows-per-unit", "2", "--release-every", "5", "--trials", "300", "--csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "looks_at,strategy,profile,neighbours,epsilon"));
  EXPECT_TRUE(holds(outcome.out, "kernel,blt,tight,replace,8.0,1e-06,1,2,2,2,"));
}

TEST(Audit, ListsWithoutRunning) {
  const Outcome all = audit({"--list"});
  const Outcome fast = audit({"--list", "--fast"});
  const Outcome trees = audit({"--list", "--strategy", "tree", "--epsilon", "3"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_GE(lines_in(all.out), 100U);
  EXPECT_GE(lines_in(fast.out), 30U);
  EXPECT_LT(lines_in(fast.out), lines_in(all.out));
  EXPECT_TRUE(lacks(trees.out, "hybrid"));
  EXPECT_TRUE(holds(trees.out, "tree"));
}

TEST(Audit, AnInterruptionPrintsWhatIsFinished) {
  Process process({"audit", "--dim", "1", "--epsilon", "8", "--delta", "1e-6", "--horizon", "2", "--trials", "20000"});
  process.close_input_when_delivered();
  ASSERT_TRUE(process.wait_until([&] { return lines_in(process.out()) >= 2; }));
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_TRUE(holds(outcome.out, "Interrupted: "));
  EXPECT_TRUE(holds(outcome.out, "No violation in "));
}

TEST(Audit, RefusesWhatMakesNoSense) {
  const std::vector<std::pair<Arguments, const char*>> requests = {
      {{"--epsilon", "-1"}, "epsilon"},
      {{"--epsilon", "x"}, "epsilon"},
      {{"--delta", "2"}, "delta"},
      {{"--strategy", "bush"}, "strategy"},
      {{"--neighbours", "far"}, "neighbours"},
      {{"--trials", "5"}, "trials"},
      {{"--confidence", "1"}, "confidence"},
      {{"--confidence", "0"}, "confidence"},
      {{"--horizon", "5"}, "horizon"},
      {{"--json", "--csv"}, "csv"},
      {{"--dim", "2", "--delta", "1e-6"}, "epsilon"},
      {{"--dim", "2", "--epsilon", "1"}, "delta"},
      {{"--dim", "0", "--epsilon", "1", "--delta", "1e-6"}, "dim"},
      {{"--dim", "2", "--epsilon", "1", "--delta", "1e-6", "--strategy", "tree"}, "horizon"},
      {{"--dim", "2", "--epsilon", "1", "--delta", "1e-6", "--strategy", "blt", "--strategy", "tree"}, "strategy"},
      {{"--dim", "2", "--epsilon", "1", "--delta", "1e-6", "--max-rows-per-unit", "4"}, "release-every"},
  };
  for (const auto& [arguments, field] : requests) {
    const Outcome outcome = audit(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << field;
    EXPECT_TRUE(holds(outcome.err, field));
    EXPECT_EQ(lines_in(outcome.err), 1U) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Audit, HelpTeaches) {
  const Outcome outcome = audit({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part :
       {"Usage: rivulet audit [OPTIONS]", "--fast", "--epsilon E", "--trials N", "--confidence P", "--list", "--json",
        "--csv", "-d,--dim D", "--steps N", "COLUMNS", "EXAMPLES", "EXIT CODES", "no data is read"}) {
    EXPECT_TRUE(holds(outcome.out, part));
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
