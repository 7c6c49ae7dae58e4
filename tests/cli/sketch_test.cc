// A stream of rows of many columns through a sketch: what comes out, and what can be done with it afterwards.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/sparse_fixture.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

class SketchedStream : public DurableTest {
 protected:
  void SetUp() override {
    DurableTest::SetUp();
    input_ = write("d.svm", libsvm(95));
    const Outcome outcome = run(durable(sketch_flags()).fit(input_));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    ASSERT_EQ(outcome.err, "");
    table_ = outcome.out;
    lines_ = json_lines(read("r").value_or(""));
    ASSERT_EQ(lines_.size(), 10u);
  }
  [[nodiscard]] Outcome on_model(const std::string& command, const Arguments& more = {}) const {
    Arguments arguments{command, path("m")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  std::string input_;
  std::string table_;
  std::vector<nlohmann::json> lines_;
};

TEST_F(SketchedStream, LinesListCoefficientsThatAreNotZeroAndSayHowManyFeaturesThereAre) {
  for (const auto& line : lines_) {
    EXPECT_EQ(keys_of(line), (Names{"chain", "coefficients", "delta", "epsilon", "features", "intercept", "neighbours",
                                    "noise", "not_private", "rows", "sketch", "step", "unlisted_coefficients"}));
    EXPECT_EQ(line["features"], 40);
    EXPECT_EQ(line["unlisted_coefficients"], 0);
    EXPECT_EQ(line["sketch"], 12);
    EXPECT_LT(line["coefficients"].size(), 40u);
    for (const auto& [name, value] : line["coefficients"].items()) EXPECT_NE(value.get<double>(), 0.0) << name;
  }
  expect_releases_are_the_models();
}

TEST_F(SketchedStream, InMemoryAndInAModelAreTheSame) {
  const Outcome outcome = run(sketch_flags().with("--releases", path("memory")).fit(input_));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, table_);
  auto memory = json_lines(read("memory").value_or(""));
  ASSERT_EQ(memory.size(), lines_.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    auto line = lines_[i];
    line.erase("chain");
    EXPECT_EQ(memory[i], line);
  }
}

TEST_F(SketchedStream, TwoInputsInTwoFormatsAreTheirConcatenationBitForBit) {
  const auto data = sparse_data(95);
  const std::vector<SparseData> first(data.begin(), data.begin() + 33);
  const std::vector<SparseData> second(data.begin() + 33, data.end());
  const Flags flags = sketch_flags().with("--model", path("two")).with("--releases", path("two.jsonl"));
  ASSERT_EQ(run(flags.bare("--whole-steps").fit(write("a.svm", libsvm(first)))).exit_code, 0);
  const Outcome next = run({"fit", "--model", path("two"), "--next-input", write("b.csv", block_csv(second))});
  ASSERT_EQ(next.exit_code, 0) << next.err;
  EXPECT_EQ(read("two.jsonl"), read("r"));
  EXPECT_EQ(run({"fit", "--model", path("two")}).exit_code, 0) << "the second format is remembered";
}

TEST_F(SketchedStream, GoesOnWhereItsInputWasLeftAndRefusesAChangedOne) {
  const auto lines = whole_lines(libsvm(95));
  const auto text_of = [&](std::size_t rows) {
    std::string text;
    for (std::size_t i = 0; i < rows; ++i) text += lines[i] + "\n";
    return text;
  };
  const std::string file = write("growing.svm", text_of(41));
  const Flags flags = sketch_flags().with("--model", path("g")).with("--releases", path("g.jsonl"));
  ASSERT_EQ(run(flags.bare("--whole-steps").fit(file)).exit_code, 0);
  write("growing.svm", text_of(70));
  ASSERT_EQ(run(flags.bare("--whole-steps").fit(file)).exit_code, 0) << "the same command goes on";
  write("growing.svm", text_of(95));
  ASSERT_EQ(run({"fit", "--model", path("g")}).exit_code, 0);
  EXPECT_EQ(read("g.jsonl"), read("r"));
  const Outcome none = run({"fit", "--model", path("g")});
  EXPECT_TRUE(holds(none.err, "no new rows"));
  std::string changed = text_of(95);
  changed[5] = changed[5] == '1' ? '2' : '1';
  write("growing.svm", changed);
  const Outcome refused = run({"fit", "--model", path("g")});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_TRUE(holds(refused.err, "are not those that were consumed"));
}

TEST_F(SketchedStream, RefittedWithoutFlagsIsWhatWasPublishedBitForBit) {
  const Outcome all = on_model("refit", {"--all"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const auto refitted = json_lines(all.out);
  ASSERT_EQ(refitted.size(), lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    EXPECT_EQ(refitted[i]["coefficients"], lines_[i]["coefficients"]) << i;
    EXPECT_EQ(refitted[i]["intercept"], lines_[i]["intercept"]) << i;
  }
  for (const std::size_t step : {1, 2, 7}) {
    const auto one = json_lines(on_model("refit", {"--json", "--at", std::to_string(step)}).out).at(0);
    EXPECT_EQ(one["coefficients"], lines_[step - 1]["coefficients"]);
  }
  const Outcome table = on_model("refit");
  EXPECT_TRUE(table.out.starts_with(table_.substr(0, table_.find("\n\nNOT"))));
}

TEST_F(SketchedStream, RefittedOverASmallerSetStaysInIt) {
  const auto line = json_lines(on_model("refit", {"--json", "--constraint", "l1:0.5"}).out).at(0);
  double sum = std::abs(line["intercept"].get<double>());
  for (const auto& [name, value] : line["coefficients"].items()) sum += std::abs(value.get<double>());
  EXPECT_LE(sum, 0.5 * (1 + 1e-9));
  EXPECT_NE(line["coefficients"], lines_.back()["coefficients"]);
}

TEST_F(SketchedStream, SomeOfItsFeaturesCannotBeRefitted) {
  const Outcome outcome = on_model("refit", {"--features", "x"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(holds(outcome.err, "features: "));
  EXPECT_TRUE(holds(outcome.err, "sketched rows"));
}

TEST_F(SketchedStream, PredictionsAreThoseOfThePublishedCoefficientsInEitherFormat) {
  const auto data = sparse_data(20, 77);
  const Outcome sparse = on_model("predict", {write("new.svm", libsvm(data))});
  const Outcome dense = on_model("predict", {write("new.csv", block_csv(data))});
  ASSERT_EQ(sparse.exit_code, 0) << sparse.err;
  EXPECT_EQ(sparse.out, dense.out);
  const auto& last = lines_.back();
  const auto lines = whole_lines(sparse.out);
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_EQ(lines[0], "prediction,lower,upper");
  for (std::size_t i = 0; i < data.size(); ++i) {
    double expected = last["intercept"].get<double>();
    for (const auto& [column, value] : data[i].values) {
      expected += value * last["coefficients"].value("x" + std::to_string(column), 0.0);
    }
    EXPECT_NEAR(std::stod(lines[i + 1]), expected, 1e-12);
    EXPECT_TRUE(lines[i + 1].ends_with(",,")) << "no intervals";
  }
  const Outcome unreadable = run({"predict", path("m"), "--format", "libsvm"}, "? 3:1\n1 0:1\n1:1\n");
  EXPECT_EQ(whole_lines(unreadable.out).size(), 4u);
  EXPECT_EQ(whole_lines(unreadable.out)[2], ",,");
  EXPECT_TRUE(holds(unreadable.err, "2 of 3 rows could not be read"));
}

TEST_F(SketchedStream, WithoutASketchPredictionsHaveTheSameIntervalsInEitherFormat) {
  const Flags flags = sparse_flags().with("--epsilon", "1000").with("--release-every", "4000");
  ASSERT_EQ(run(flags.with("--model", path("full")).fit(write("many.svm", libsvm(4000)))).exit_code, 0);
  const auto data = sparse_data(20, 77);
  const Outcome sparse = run({"predict", path("full"), write("new.svm", libsvm(data))});
  const Outcome dense = run({"predict", path("full"), write("new.csv", block_csv(data))});
  ASSERT_EQ(sparse.exit_code, 0) << sparse.err;
  EXPECT_EQ(sparse.out, dense.out);
  for (const std::string& line : whole_lines(sparse.out)) EXPECT_FALSE(line.ends_with(',')) << line;
}

TEST_F(SketchedStream, TheSummaryListsTheLargestCoefficientsAndSaysWhyThereAreNoIntervals) {
  const auto largest = [&] {
    std::pair<std::string, double> found{"", 0.0};
    for (const auto& [name, value] : lines_.back()["coefficients"].items()) {
      if (std::abs(value.get<double>()) > std::abs(found.second)) found = {name, value.get<double>()};
    }
    return found.first;
  }();
  const Outcome one = on_model("summary", {"--top", "1"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_TRUE(holds(one.out, "\n  " + largest + " "));
  EXPECT_TRUE(holds(one.out, "of 40 features; those of the others are 0"));
  EXPECT_TRUE(holds(one.out, "No standard errors and intervals"));
  std::size_t coefficients = 0;
  for (const std::string& line : whole_lines(one.out)) coefficients += line.starts_with("  x") ? 1 : 0;
  EXPECT_EQ(coefficients, 1u);
  EXPECT_EQ(on_model("summary").out, table_);
  EXPECT_EQ(on_model("summary", {"--top", "0"}).exit_code, 2);
  EXPECT_EQ(on_model("summary", {"--top", "3", "--json"}).exit_code, 2);
  const auto json = nlohmann::json::parse(on_model("summary", {"--json"}).out);
  EXPECT_EQ(json["features"], 40);
  EXPECT_EQ(json["coefficients"].size(), lines_.back()["coefficients"].size() + 1) << "and the intercept";
  EXPECT_EQ(keys_of(json["coefficients"][1]), (Names{"name", "published"}));
  EXPECT_FALSE(json.contains("r_squared"));
  EXPECT_TRUE(holds(json["r_squared_not_known_because"].get<std::string>(), "projected rows"));
}

TEST_F(SketchedStream, TwentyCoefficientsAreListedInOrderOfSizeUnlessSaidOtherwise) {
  const Outcome fitted = run(sketch_flags().with("--constraint", "l2:1").with("--model", path("dense")).fit(input_));
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const auto listed = [](const std::string& table) {
    std::vector<double> sizes;
    for (const std::string& line : whole_lines(table)) {
      if (line.starts_with("  x")) sizes.push_back(std::abs(std::stod(line.substr(line.find_last_of(' ')))));
    }
    return sizes;
  };
  EXPECT_EQ(listed(fitted.out).size(), 20u);
  EXPECT_TRUE(holds(fitted.out, "The 20 largest of 40 coefficients. --top N of rivulet summary shows more."));
  const auto all = listed(run({"summary", path("dense"), "--top", "1000"}).out);
  EXPECT_EQ(all.size(), 40u);
  EXPECT_TRUE(std::is_sorted(all.rbegin(), all.rend()));
  EXPECT_EQ(listed(run({"summary", path("dense")}).out), std::vector<double>(all.begin(), all.begin() + 20));
}

TEST_F(SketchedStream, WithoutASketchAllCoefficientsAreListedWithTheirIntervalsAndTheLargestOnRequest) {
  const Flags flags = sparse_flags().with("--epsilon", "1000").with("--release-every", "4000");
  ASSERT_EQ(run(flags.with("--model", path("full")).fit(write("many.svm", libsvm(4000)))).exit_code, 0);
  const std::string all = run({"summary", path("full")}).out;
  EXPECT_TRUE(holds(all, "\n  x1 "));
  EXPECT_TRUE(holds(all, "\n  x40 "));
  EXPECT_TRUE(holds(all, "95% interval"));
  EXPECT_TRUE(lacks(all, "not determined yet"));
  const std::string top = run({"summary", path("full"), "--top", "2"}).out;
  EXPECT_TRUE(holds(top, "The 2 largest of 40 coefficients"));
  for (const std::string& line : whole_lines(top)) {
    if (!line.starts_with("  x")) continue;
    EXPECT_TRUE(holds(all, line + "\n")) << "each with its own interval";
  }
}

TEST_F(SketchedStream, InspectShowsTheSketch) {
  const Outcome text = on_model("inspect");
  EXPECT_TRUE(holds(text.out, "12 dimensions for 41 coordinates; sparse-sign with 8 entries a column; seed 7"));
  EXPECT_TRUE(holds(text.out, "rows expected           dense"));
  EXPECT_TRUE(holds(text.out, "40 columns x1 to x40, each 0 to 1"));
  const auto json = nlohmann::json::parse(on_model("inspect", {"--json"}).out);
  EXPECT_EQ(json["dimension"], 41);
  EXPECT_EQ(json["row_set"], "dense");
  EXPECT_EQ(json["sketch"],
            (nlohmann::json{{"dimension", 12}, {"embedding", "sparse-sign"}, {"column_weight", 8}, {"seed", 7}}));
}

TEST_F(SketchedStream, AnExportPredictsAndRefitsLikeItsModel) {
  ASSERT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  EXPECT_EQ(run({"refit", path("public"), "--all"}).out, on_model("refit", {"--all"}).out);
  EXPECT_EQ(run({"predict", path("public"), input_}).out, on_model("predict", {input_}).out);
  EXPECT_EQ(run({"summary", path("public")}).out, on_model("summary").out);
}

// In one dimension every column of the sketch is +1 or -1, so about half of the rows with two values of like size
// nearly vanish, and of those with two equal ones nothing is left.
TEST_F(SketchedStream, RowsTheSketchDistortsAreCountedForTheOperatorAndExplained) {
  for (const auto& [second, note] : std::vector<std::pair<std::string, std::string>>{
           {":0.8\n", " of 780 rows came out of the sketch at less than half or more than twice"},
           {":1\n", " outside the conditions, or mapped to 0 by the sketch)"}}) {
    std::string text;
    for (std::size_t a = 1; a <= kColumns; ++a) {
      for (std::size_t b = a + 1; b <= kColumns; ++b)
        text += "0 " + std::to_string(a) + ":1 " + std::to_string(b) + second;
    }
    std::filesystem::remove(path("one"));
    const Flags flags = sparse_flags().with("--sketch", "1").with("--release-every", "1000").bare("--no-intercept");
    const Outcome outcome = run(flags.with("--model", path("one")).fit(write("one.svm", text)));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("operator only, do not publish: "));
    EXPECT_TRUE(holds(outcome.err, note));
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "one or the other";
    EXPECT_TRUE(run({"inspect", path("one")}).err.ends_with(outcome.err));
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
