// Other models from what is already public.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class RefitCommand : public DurableTest {
 protected:
  void fit(const Flags& flags, const std::string& input) const {
    const Outcome outcome = run(durable(flags).fit(), input);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    ASSERT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  }
  [[nodiscard]] Outcome refit(const Arguments& more, const char* file = "public") const {
    Arguments arguments{"refit", path(file)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

// As it is written, from the intercept to the last coefficient.
std::string model_text(const std::string& line) {
  const std::size_t begin = line.find("\"intercept\":");
  return line.substr(begin, line.find("},\"noise\"") - begin);
}

TEST_F(RefitCommand, WithoutFlagsItIsThePublishedModelBitForBitAtEveryStep) {
  const Flags secure = fit_flags().without("--insecure-seed");
  for (const Flags& flags :
       {secure, secure.with("--constraint", "l1:0.7"), secure.bare("--no-intercept"), secure.with("--epsilon", "50"),
        secure.with("--profile", "paper").with("--horizon", "64"),
        secure.with("--strategy", "tree").with("--horizon", "64"), secure.with("--clip-norm", "0.5")}) {
    for (const char* name : {"m", "r", "public"}) std::filesystem::remove(path(name));
    fit(flags, csv(405));
    const auto published = whole_lines(*read("r"));
    ASSERT_EQ(published.size(), 41U);
    for (const char* file : {"public", "m"}) {
      const Outcome all = refit({"--all"}, file);
      EXPECT_EQ(all.exit_code, 0);
      EXPECT_EQ(all.err, "");
      const auto refitted = whole_lines(all.out);
      ASSERT_EQ(refitted.size(), published.size());
      for (std::size_t i = 0; i < published.size(); ++i) {
        EXPECT_EQ(model_text(refitted[i]), model_text(published[i])) << i;
        EXPECT_EQ(nlohmann::json::parse(refitted[i])["rows"], nlohmann::json::parse(published[i])["rows"]);
      }
      EXPECT_EQ(refit({"--json"}, file).out, refitted.back() + "\n");
      EXPECT_EQ(refit({"--json", "--at", "17"}, file).out, refitted[16] + "\n");
    }
  }
}

TEST_F(RefitCommand, ItsTableIsTheSummarysWhenNothingIsAskedFor) {
  fit(fit_flags().with("--epsilon", "100"), csv(3000));
  EXPECT_EQ(refit({}).out, run({"summary", path("public")}).out);
  EXPECT_EQ(refit({"--at", "100", "--level", "0.5"}).out,
            run({"summary", path("public"), "--at", "100", "--level", "0.5"}).out);
}

TEST_F(RefitCommand, AnotherConstraintIsKeptTo) {
  fit(fit_flags().with("--epsilon", "50"), csv(3000));
  for (const double radius : {0.1, 0.25, 0.4}) {
    const Outcome outcome = refit({"--all", "--constraint", "l1:" + std::to_string(radius)});
    double largest = 0.0;
    for (const auto& line : json_lines(outcome.out)) {
      // In halves of the declared ranges: 5 for x and z, 1 for a category, 50 for y.
      const auto& c = line["coefficients"];
      const double norm = std::abs(c["x"].get<double>()) / 10 + std::abs(c["z"].get<double>()) / 10 +
                          (std::abs(c["kind=b"].get<double>()) + std::abs(c["kind=c"].get<double>())) / 100;
      EXPECT_LE(norm, radius * (1 + 1e-9));
      largest = std::max(largest, norm);
    }
    EXPECT_GT(largest, 0.5 * radius) << "as far as it is allowed to";
  }
}

TEST_F(RefitCommand, FewerFeaturesMakeASmallerModelWhateverTheirOrder) {
  fit(fit_flags().with("--epsilon", "100"), csv(3000));
  const auto smaller = json_lines(refit({"--json", "--features", "z,x"}).out);
  ASSERT_EQ(smaller.size(), 1U);
  EXPECT_EQ(keys_of(smaller[0]["coefficients"]), (Names{"x", "z"}));
  EXPECT_EQ(refit({"--json", "--features", "x", "--features", "z"}).out, refit({"--json", "--features", "z,x"}).out);
  const Outcome table = refit({"--features", "kind"});
  EXPECT_TRUE(holds(table.out, "kind=b"));
  EXPECT_TRUE(lacks(table.out, "\n  x "));
}

TEST_F(RefitCommand, RegularisationAndSolverDoWhatTheySay) {
  fit(fit_flags().with("--horizon", "500"), csv(3000));
  const auto plain = json_lines(refit({"--json"}).out)[0];
  EXPECT_EQ(json_lines(refit({"--json", "--regularise", "auto"}).out)[0], plain);
  EXPECT_EQ(json_lines(refit({"--json", "--solver", "fast"}).out)[0], plain);
  EXPECT_NE(json_lines(refit({"--json", "--regularise", "none"}).out)[0], plain);
  const auto flat = json_lines(refit({"--json", "--regularise", "ridge:1e12"}).out)[0];
  for (const auto& [name, value] : flat["coefficients"].items()) EXPECT_NEAR(value.get<double>(), 0.0, 1e-3) << name;
  EXPECT_NE(json_lines(refit({"--json", "--solver", "noisy-proj-grad"}).out)[0], plain);
}

TEST_F(RefitCommand, BadRequestsAreRefusedInOneLine) {
  fit(fit_flags(), csv(50));
  const std::vector<std::pair<Arguments, std::string>> cases{
      {{"--features", "x,w"}, "w"},
      {{"--features", ""}, "features"},
      {{"--features", "y"}, "y"},
      {{"--features", "x,x"}, "x"},
      {{"--at", "0"}, "at: 0"},
      {{"--at", "6"}, "at: 6 is not out yet; accepted: 1 to 5"},
      {{"--at", "last"}, "at: \"last\""},
      {{"--at", "3", "--all"}, "all: contradicts --at"},
      {{"--constraint", "l3:1"}, "constraint: 'l3:1'"},
      {{"--constraint", "l1:0"}, "constraint: 'l1:0'"},
      {{"--regularise", "lasso"}, "regularise"},
      {{"--regularise", "ridge:-1"}, "regularise"},
      {{"--regularise", "ridge:"}, "regularise"},
      {{"--solver", "slow"}, "solver: \"slow\" is not accepted; accepted: fast, noisy-proj-grad"},
      {{"--solver", "noisy-proj-grad"}, "horizon"},
      {{"--level", "1"}, "level: \"1\""},
      {{"--level", "0"}, "level: 0"},
      {{"--level", "nan"}, "level: \"nan\""},
      {{"--bogus"}, "--bogus: unknown flag"},
      {{"more"}, "\"more\": not expected here"},
  };
  for (const auto& [more, message] : cases) {
    const Outcome outcome = refit(more);
    EXPECT_EQ(outcome.exit_code, 2) << message << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, message));
  }
}

TEST_F(RefitCommand, WorksOnAModelThatIsBeingWritten) {
  Process writer(durable(fit_flags().with("--release-every", "2")).fit());
  writer.write(std::string(kHeader) + "\n");
  std::size_t sent = 0;
  for (const std::string& line : data_lines(40)) {
    writer.write(line + "\n");
    if (++sent % 10 != 0) continue;
    ASSERT_TRUE(writer.wait_until([&] { return whole_lines(read("r").value_or("")).size() == sent / 2; }));
    const Outcome outcome = refit({"--all"}, "m");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto lines = whole_lines(outcome.out);
    ASSERT_EQ(lines.size(), sent / 2);
    EXPECT_EQ(model_text(lines.back()), model_text(whole_lines(*read("r")).back()));
  }
  writer.close_input_when_delivered();
  EXPECT_EQ(writer.finish().exit_code, 0);
  expect_releases_are_the_models();
}

TEST_F(RefitCommand, AReaderWhoLeavesIsNoFailureAndAFullDiskIs) {
  fit(fit_flags().with("--release-every", "1"), csv(1000));
  Process left({"refit", path("public"), "--all"});
  left.close_output();
  EXPECT_EQ(left.finish().exit_code, 0);
  const Outcome full = run({"refit", path("public"), "--all"}, Wiring().with_out(Stream::file("/dev/full")));
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_TRUE(is_one_line(full.err));
}

TEST_F(RefitCommand, AThousandPastStepsAtTenCoordinatesTakeNoTimeWorthMentioning) {
  std::string text = "f1,f2,f3,f4,f5,f6,f7,f8,f9,y\n";
  std::mt19937_64 random(3);
  for (int row = 0; row < 1000; ++row) {
    double sum = 0.0;
    for (int i = 0; i < 9; ++i) {
      const double value = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
      sum += value / (i + 2);
      text += std::to_string(value) + ",";
    }
    text += std::to_string(sum) + "\n";
  }
  Flags flags{{"--target", "y"},
              {"--features", "f1,f2,f3,f4,f5,f6,f7,f8,f9"},
              {"--bound", "y=-3:3"},
              {"--epsilon", "2"},
              {"--delta", "1e-6"}};
  for (int i = 1; i < 10; ++i) flags = flags.plus("--bound", "f" + std::to_string(i) + "=-1:1");
  fit(flags, text);
  for (const Arguments& more : {Arguments{"--all"},
                                {"--all", "--constraint", "l1:0.5"},
                                {"--all", "--regularise", "none", "--features", "f1,f2,f3"}}) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = refit(more);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(whole_lines(outcome.out).size(), 1000U);
    std::cout << "  refit of 1000 steps (" << (more.size() > 1 ? more[1] + " " + more[2] : "as published")
              << "): " << time.count() << " s\n";
    EXPECT_LT(time.count(), 5.0);
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
