// `rivulet predict` for classes, and `rivulet predict --score` against figures worked out here.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <sstream>

#include "cli/class_fixture.h"

namespace rivulet::cli_testing {
namespace {

class Score : public DurableTest {
 protected:
  void fit(const Flags& flags, const std::string& input) const {
    const Outcome outcome = run(flags.with("--model", path("m")).fit(), input);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  nlohmann::json score(const std::string& input, const Arguments& more = {}) const {
    Arguments arguments{"predict", path("m"), "--score", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "NOT PRIVATE"));
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
  // One column of the predictions, without its header.
  [[nodiscard]] std::vector<std::string> column(const std::string& input, std::size_t which) const {
    std::vector<std::string> cells;
    for (const std::string& line : whole_lines(run({"predict", path("m")}, input).out)) {
      std::istringstream stream(line);
      std::string cell;
      for (std::size_t i = 0; i <= which; ++i) std::getline(stream, cell, ',');
      cells.push_back(cell);
    }
    cells.erase(cells.begin());
    return cells;
  }
};

TEST_F(Score, LogisticPredictionsAreProbabilityScoreAndClass) {
  fit(class_flags(), class_csv(500));
  const std::string input = class_csv(50) + "1,,no\n";
  const Outcome outcome = run({"predict", path("m")}, input);
  EXPECT_EQ(outcome.exit_code, 0);
  const auto lines = whole_lines(outcome.out);
  ASSERT_EQ(lines.size(), 52u);
  EXPECT_EQ(lines[0], "probability,score,class");
  EXPECT_EQ(lines[51], ",,") << "a row that cannot be read";
  const auto probabilities = column(input, 0);
  const auto scores = column(input, 1);
  const auto classes = column(input, 2);
  for (std::size_t i = 0; i < 50; ++i) {
    const double score = std::stod(scores[i]);
    EXPECT_NEAR(std::stod(probabilities[i]), 1.0 / (1.0 + std::exp(-score)), 1e-15);
    EXPECT_EQ(classes[i], score > 0.0 ? "yes" : "no");
  }
  const std::string no_target = "z,x\n-5,10\n5,0\n";
  EXPECT_EQ(column(no_target, 2), (std::vector<std::string>{"yes", "no"})) << "the target is not needed";
}

TEST_F(Score, OtherLossesForClassesHaveScoreAndClassAndNumbersKeepTheirColumns) {
  fit(class_flags().with("--loss", "hinge").with("--classes", "a,b|yes, \"you\""), class_csv(200));
  const auto lines = whole_lines(run({"predict", path("m")}, "x,z\n10,-5\n0,5\n1,\n").out);
  EXPECT_EQ(lines[0], "score,class");
  EXPECT_EQ(lines[3], ",");
  std::filesystem::remove(path("m"));
  fit(number_flags("quantile:0.5"), csv(200));
  const auto numbers = whole_lines(run({"predict", path("m")}, csv(2)).out);
  EXPECT_EQ(numbers[0], "prediction,lower,upper");
  EXPECT_TRUE(numbers[1].ends_with(",,")) << "no interval: " << numbers[1];
}

TEST_F(Score, AClassWithACommaIsQuoted) {
  const auto data = class_rows(200);
  fit(class_flags().with("--classes", "no, \"sir\"|yes"), class_csv(data, "\"no, \"\"sir\"\"\"", "yes"));
  const auto lines = whole_lines(run({"predict", path("m")}, "x,z\n10,-5\n0,5\n").out);
  EXPECT_TRUE(lines[1].ends_with(",yes")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with(",\"no, \"\"sir\"\"\"")) << lines[2];
}

TEST_F(Score, OfClassesIsWhatTheirScoresSay) {
  fit(class_flags(), class_csv(500));
  // With ties: two rows of the same score, one of each class.
  auto data = class_rows(80, 5);
  data.push_back(data[0]);
  data.back().positive = !data[0].positive;
  const std::string input = class_csv(data) + "1,1,maybe\n1,,yes\n";
  const auto scores = column(input, 1);
  double right = 0.0;
  double log_loss = 0.0;
  double pairs = 0.0;
  double ordered = 0.0;
  double positives = 0.0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double score = std::stod(scores[i]);
    positives += data[i].positive ? 1.0 : 0.0;
    right += (score > 0.0) == data[i].positive ? 1.0 : 0.0;
    log_loss += std::log1p(std::exp(data[i].positive ? -score : score));
    for (std::size_t j = 0; j < data.size(); ++j) {
      if (!data[i].positive || data[j].positive) continue;
      const double other = std::stod(scores[j]);
      pairs += 1.0;
      ordered += score > other ? 1.0 : score == other ? 0.5 : 0.0;
    }
  }
  const double n = static_cast<double>(data.size());
  const auto json = score(input);
  EXPECT_EQ(json["rows"], data.size());
  EXPECT_EQ(json["unusable_rows"], 2);
  EXPECT_NEAR(json["accuracy"].get<double>(), right / n, 1e-12);
  EXPECT_NEAR(json["log_loss"].get<double>(), log_loss / n, 1e-12);
  EXPECT_NEAR(json["auc"].get<double>(), ordered / pairs, 1e-12);
  EXPECT_NEAR(json["positive_share"].get<double>(), positives / n, 1e-12);
  EXPECT_NEAR(json["majority_share"].get<double>(), std::max(positives, n - positives) / n, 1e-12);
  EXPECT_TRUE(json.contains("not_private"));
  EXPECT_GT(json["auc"].get<double>(), 0.8);
  const Outcome table = run({"predict", path("m"), "--score"}, input);
  for (const char* part : {"NOT PRIVATE", "rows used", "rows that cannot be used", "right answers", "log-loss",
                           "area under the ROC curve", "larger class"}) {
    EXPECT_TRUE(holds(table.out, part));
  }
}

TEST_F(Score, WhatIsNotDefinedIsNull) {
  fit(class_flags(), class_csv(200));
  auto one = class_rows(20);
  for (ClassRow& row : one) row.positive = true;
  const auto json = score(class_csv(one));
  EXPECT_TRUE(json["auc"].is_null());
  EXPECT_EQ(json["positive_share"], 1.0);
  EXPECT_TRUE(holds(run({"predict", path("m"), "--score"}, class_csv(one)).out, "not defined"));
  const auto none = score("x,z,bought\n1,1,perhaps\n");
  EXPECT_EQ(none["rows"], 0);
  EXPECT_EQ(none["unusable_rows"], 1);
  for (const char* key : {"accuracy", "log_loss", "auc", "positive_share", "majority_share"}) {
    EXPECT_TRUE(none.at(key).is_null()) << key;
  }
}

TEST_F(Score, OfTheTrivialModelIsTiesAlone) {
  fit(class_flags().without("--tau").with("--mechanism", "trivial"), class_csv(100));
  const auto json = score(class_csv(200));
  EXPECT_EQ(json["auc"], 0.5);
  EXPECT_NEAR(json["log_loss"].get<double>(), std::log(2.0), 1e-12);
}

TEST_F(Score, OfNumbersIsWhatTheirErrorsSay) {
  fit(fit_flags(), csv(500));
  const auto lines = data_lines(60, 9);
  const std::string input = csv(lines);
  const auto predictions = column(input, 0);
  double squares = 0.0;
  double absolute = 0.0;
  double sum = 0.0;
  double sum_squares = 0.0;
  double pinball = 0.0;
  double covered = 0.0;
  const auto work_out = [&](const std::vector<std::string>& predicted, double level) {
    squares = absolute = sum = sum_squares = pinball = covered = 0.0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double y = std::stod(lines[i].substr(lines[i].rfind(',') + 1));
      const double error = y - std::stod(predicted[i]);
      squares += error * error;
      absolute += std::abs(error);
      sum += y;
      sum_squares += y * y;
      pinball += error > 0.0 ? level * error : (level - 1.0) * error;
      covered += error <= 0.0 ? 1.0 : 0.0;
    }
  };
  const double n = static_cast<double>(lines.size());
  work_out(predictions, 0.5);
  const auto json = score(input);
  EXPECT_NEAR(json["rmse"].get<double>(), std::sqrt(squares / n), 1e-9);
  EXPECT_NEAR(json["mae"].get<double>(), absolute / n, 1e-9);
  EXPECT_NEAR(json["r_squared"].get<double>(), 1.0 - squares / (sum_squares - sum * sum / n), 1e-9);
  EXPECT_FALSE(json.contains("pinball_loss"));

  std::filesystem::remove(path("m"));
  fit(number_flags("quantile:0.9"), csv(500));
  work_out(column(input, 0), 0.9);
  const auto quantile = score(input);
  EXPECT_NEAR(quantile["pinball_loss"].get<double>(), pinball / n, 1e-9);
  EXPECT_NEAR(quantile["coverage"].get<double>(), covered / n, 1e-12);
  const auto constant = score(csv({lines[0], lines[0]}));
  EXPECT_TRUE(constant["r_squared"].is_null()) << "targets that do not vary";
}

TEST_F(Score, AtAnEarlierReleaseIsThatReleases) {
  fit(class_flags(), class_csv(500));
  const auto first = score(class_csv(100), {"--at", "1"});
  EXPECT_EQ(first["step"], 1);
  EXPECT_EQ(first["auc"], 0.5) << "nothing is learnt before the first call";
  EXPECT_EQ(score(class_csv(100))["step"], 10);
}

TEST_F(Score, BadRequestsPrintNothing) {
  fit(class_flags(), class_csv(100));
  const Outcome json = run({"predict", path("m"), "--json"}, class_csv(3));
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_TRUE(holds(json.err, "json: is for figures; accepted: together with --score"));
  const Outcome target = run({"predict", path("m"), "--score"}, "x,z\n1,2\n");
  EXPECT_EQ(target.exit_code, 2);
  EXPECT_EQ(target.out, "");
  EXPECT_TRUE(holds(target.err, "column bought: not found"));
  EXPECT_EQ(run({"predict", path("m"), "--score", path("none.csv")}).exit_code, 1);
  const Outcome full = run({"predict", path("m"), "--score", write("d.csv", class_csv(3))},
                           Wiring().with_out(Stream::file("/dev/full")));
  EXPECT_EQ(full.exit_code, 1);
}

// Values far outside tiny bounds: a score that is no number is no score, and nobody waits for it.
TEST_F(Score, RowsWhosePredictionIsNoNumberAreNotCounted) {
  std::string input = "x,z,bought\n";
  for (int i = 0; i < 40; ++i) input += i % 2 == 0 ? "1e-99,-1e-99,yes\n" : "-1e-99,1e-99,no\n";
  fit(class_flags()
          .without("--bound")
          .with("--bound", "x=-1e-99:1e-99")
          .plus("--bound", "z=-1e-99:1e-99")
          .with("--release-every", "40")
          .with("--tau", "1")
          .with("--horizon", "1")
          .bare("--no-intercept"),
      input);
  const auto json = score(input + "1e308,1e308,yes\n1e308,-1e308,no\n");
  EXPECT_EQ(json.at("rows").get<int>() + json.at("unusable_rows").get<int>(), 42);
  EXPECT_GE(json.at("unusable_rows").get<int>(), 1);
}

}  // namespace
}  // namespace rivulet::cli_testing
