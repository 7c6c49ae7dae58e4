// A published model applied to rows.
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <limits>

#include "cli/durable_fixture.h"
#include "rivulet/inference.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

struct Prediction {
  double value = std::numeric_limits<double>::quiet_NaN();
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
};

// Empty fields stay NaN.
std::vector<Prediction> predictions(const std::string& out) {
  std::vector<Prediction> result;
  for (const std::string& line : whole_lines(out)) {
    if (line == "prediction,lower,upper") {
      EXPECT_TRUE(result.empty());
      continue;
    }
    std::vector<std::string> cells(1);
    for (const char c : line) c == ',' ? cells.emplace_back() : cells.back() += c;
    EXPECT_EQ(cells.size(), 3U) << line;
    cells.resize(3);
    Prediction prediction;
    if (!cells[0].empty()) prediction.value = std::stod(cells[0]);
    if (!cells[1].empty()) prediction.lower = std::stod(cells[1]);
    if (!cells[2].empty()) prediction.upper = std::stod(cells[2]);
    result.push_back(prediction);
  }
  return result;
}

class PredictCommand : public DurableTest {
 protected:
  // Enough rows and budget for intervals.
  void fit(const Flags& flags = fit_flags().with("--epsilon", "100"), std::size_t rows = 3000) const {
    const Outcome outcome = run(durable(flags).fit(), csv(rows));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  static std::vector<double> values_of(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) c == ',' ? cells.emplace_back() : cells.back() += c;
    return {std::stod(cells[0]), std::stod(cells[1]), cells[2] == "b" ? 1.0 : 0.0, cells[2] == "c" ? 1.0 : 0.0};
  }
};

TEST_F(PredictCommand, GivesTheModelsOwnPredictionAndIntervalForEachRowInOrder) {
  fit();
  const auto lines = data_lines(40, 9);
  const ReleaseLog log(path("m"));
  for (const std::uint64_t step : {log.last_step(), std::uint64_t{150}}) {
    Arguments arguments{"predict", path("m"), write("new.csv", csv(lines))};
    if (step != log.last_step()) arguments.insert(arguments.end(), {"--at", "150"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    const auto predicted = predictions(outcome.out);
    ASSERT_EQ(predicted.size(), lines.size());
    const Release release = log.at(step);
    const Inference inference(log.options().schema, release.statistics);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto values = values_of(lines[i]);
      EXPECT_EQ(predicted[i].value, release.model.predict(values));
      const PredictionInterval interval = inference.predict(values);
      EXPECT_EQ(predicted[i].lower, interval.lower);
      EXPECT_EQ(predicted[i].upper, interval.upper);
      EXPECT_LT(predicted[i].lower, predicted[i].upper);
    }
  }
}

TEST_F(PredictCommand, AgreesWithTheReleaseLineThatWasPublished) {
  fit();
  const auto line = nlohmann::json::parse(whole_lines(*read("r")).back());
  const auto& c = line["coefficients"];
  const auto predicted = predictions(run({"predict", path("m")}, "x,z,kind\n4,-2,c\n").out);
  ASSERT_EQ(predicted.size(), 1U);
  const double expected =
      line["intercept"].get<double>() + 4 * c["x"].get<double>() - 2 * c["z"].get<double>() + c["kind=c"].get<double>();
  EXPECT_NEAR(predicted[0].value, expected, 1e-9);
  EXPECT_NEAR(predicted[0].value, 3 + 8 + 3 - 2, 3.0) << "the law of the data, through the noise";
}

TEST_F(PredictCommand, AFileAPipeAndGzipWithOrWithoutTheTargetAreTheSame) {
  fit();
  std::string bare = "kind,z,x\n";
  for (const std::string& line : data_lines(30, 9)) {
    const auto cells = [&] {
      std::vector<std::string> result(1);
      for (const char c : line) c == ',' ? result.emplace_back() : result.back() += c;
      return result;
    }();
    bare += cells[2] + "," + cells[1] + "," + cells[0] + "\n";
  }
  std::string tabs = bare;
  std::replace(tabs.begin(), tabs.end(), ',', '\t');
  const std::string expected = run({"predict", path("m")}, csv(data_lines(30, 9))).out;
  EXPECT_EQ(whole_lines(expected).size(), 31U);
  EXPECT_EQ(run({"predict", path("m")}, bare).out, expected);
  EXPECT_EQ(run({"predict", path("m"), "-"}, bare).out, expected);
  EXPECT_EQ(run({"predict", path("m"), write("b.csv", bare)}).out, expected);
  EXPECT_EQ(run({"predict", path("m"), write("b.gz", rivulet::testing::gzipped(bare))}).out, expected);
  EXPECT_EQ(run({"predict", path("m"), "--delimiter", "tab"}, tabs).out, expected);
  ASSERT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  EXPECT_EQ(run({"predict", path("public")}, bare).out, expected);
}

TEST_F(PredictCommand, ARowThatCannotBeReadHasEmptyFieldsAndKeepsItsPlace) {
  fit();
  const std::vector<std::string> rows{"1,1,a,1", "NA,1,a,1",     "1,what,a,1", "1,1,d,1",
                                      "1,1",     "\"1\"2,1,a,1", "2,2,b,NA"};
  const Outcome outcome = run({"predict", path("m")}, csv(rows));
  EXPECT_EQ(outcome.exit_code, 0);
  const auto lines = whole_lines(outcome.out);
  ASSERT_EQ(lines.size(), rows.size() + 1);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(lines[i + 1], ",,") << rows[i];
  EXPECT_NE(lines[1], ",,");
  EXPECT_NE(lines[7], ",,") << "the target is not looked at";
  EXPECT_EQ(outcome.err, "rivulet: 5 of 7 rows could not be read and have no prediction\n");
}

TEST_F(PredictCommand, AHigherLevelMakesAWiderInterval) {
  fit();
  double narrower = 0.0;
  for (const char* level : {"0.5", "0.8", "0.95", "0.999"}) {
    const auto predicted = predictions(run({"predict", path("m"), "--level", level}, csv(5)).out);
    ASSERT_EQ(predicted.size(), 5U);
    const double width = predicted[0].upper - predicted[0].lower;
    EXPECT_GT(width, narrower);
    narrower = width;
  }
}

TEST_F(PredictCommand, AnIntervalThatIsNotDeterminedIsEmpty) {
  fit(fit_flags().with("--epsilon", "0.01"), 20);
  for (const auto& prediction : predictions(run({"predict", path("m")}, csv(3)).out)) {
    EXPECT_TRUE(std::isfinite(prediction.value));
    EXPECT_TRUE(std::isnan(prediction.lower) && std::isnan(prediction.upper));
  }
  for (const char* name : {"m", "r"}) std::filesystem::remove(path(name));
  fit(fit_flags().with("--profile", "paper").with("--horizon", "16"), 100);
  for (const auto& prediction : predictions(run({"predict", path("m")}, csv(3)).out)) {
    EXPECT_TRUE(std::isfinite(prediction.value));
    EXPECT_TRUE(std::isnan(prediction.lower) && std::isnan(prediction.upper)) << "the paper's profile has none";
  }
}

TEST_F(PredictCommand, APredictionArrivesWhileThePipeIsIdle) {
  fit();
  Process process({"predict", path("m")});
  process.write("x,z,kind\n");
  for (std::size_t i = 1; i <= 5; ++i) {
    process.write("1,2,a\n");
    ASSERT_TRUE(
        process.wait_until([&] { return whole_lines(process.out()).size() == i + 1; }, std::chrono::seconds(2)));
  }
  process.close_output();
  process.write("1,2,a\n");
  const Outcome outcome = process.finish(std::chrono::seconds(5));  // the input stays open
  EXPECT_FALSE(outcome.timed_out) << "nobody reads what it waits for";
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(PredictCommand, ASignalEndsItWithWholeLines) {
  fit();
  Process process({"predict", path("m")});
  process.write("x,z,kind\n1,2,a\n3,");
  ASSERT_TRUE(process.wait_until([&] { return whole_lines(process.out()).size() == 2; }));
  process.send(SIGINT);
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_TRUE(outcome.out.ends_with('\n'));
  EXPECT_EQ(whole_lines(outcome.out).size(), 2U);
}

TEST_F(PredictCommand, AnInputThatBreaksHalfwayGivesWhatItsGoodPartGave) {
  fit();
  const std::string whole = rivulet::testing::gzipped(csv(5000));
  const Outcome outcome = run({"predict", path("m"), write("half.gz", whole.substr(0, whole.size() / 2))});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_GT(whole_lines(outcome.out).size(), 1000U);
  EXPECT_TRUE(run({"predict", path("m")}, csv(5000)).out.starts_with(outcome.out));
}

TEST_F(PredictCommand, BadRequestsPrintNothing) {
  fit();
  const std::vector<std::pair<Arguments, std::string>> cases{
      {{"--at", "0"}, "at: 0"},       {{"--at", "301"}, "at: 301 is not out yet; accepted: 1 to 300"},
      {{"--level", "2"}, "level: \"2\""}, {{"--delimiter", ";;"}, "delimiter: \";;\""},
      {{"--delimiter", ";"}, "column"},
  };
  for (const auto& [more, message] : cases) {
    Arguments arguments{"predict", path("m")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments, csv(3));
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, message));
  }
  const Outcome column = run({"predict", path("m")}, "x,z,w\n1,2,3\n");
  EXPECT_EQ(column.exit_code, 2);
  EXPECT_EQ(column.out, "");
  EXPECT_TRUE(holds(column.err, "column kind: not found"));
  EXPECT_EQ(run({"predict", path("m"), path("none.csv")}).exit_code, 1);
  EXPECT_EQ(
      run({"predict", path("m"), write("new.csv", csv(3))}, Wiring().with_out(Stream::file("/dev/full"))).exit_code, 1);
}

}  // namespace
}  // namespace rivulet::cli_testing
