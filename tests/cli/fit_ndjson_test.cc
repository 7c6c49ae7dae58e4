// NDJSON rows through the tool: the releases of the same rows in another format, bit for bit.
#include <gtest/gtest.h>

#include "cli/sparse_fixture.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

std::string ndjson(const std::vector<SparseData>& data) {
  std::ostringstream text;
  text << std::setprecision(17);
  for (const SparseData& row : data) {
    text << "{\"y\": " << row.target << ", \"qid\": " << row.unit;
    for (const auto& [column, value] : row.values) text << ", \"x" << column << "\": " << value;
    text << "}\n";
  }
  return text.str();
}

using FitNdjson = FitTest;

TEST_F(FitNdjson, TheSameRowsGiveTheSameReleasesAsLibsvmBitForBit) {
  const auto data = sparse_data(57);
  const std::string svm = write("d.svm", libsvm(data));
  const std::vector<std::string> files = {write("d.ndjson", ndjson(data)), write("d.jsonl", ndjson(data)),
                                          write("d.jsonl.gz", rivulet::testing::gzipped(ndjson(data)))};
  for (const Flags& flags :
       {sparse_flags(), sketch_flags(), sketch_flags().with("--unit", "qid").with("--max-rows-per-unit", "4")}) {
    const Outcome one = run(flags.with("--releases", path("svm")).fit(svm));
    ASSERT_EQ(one.exit_code, 0) << one.err;
    for (const std::string& file : files) {
      const Outcome other = run(flags.with("--releases", path("json")).fit(file));
      ASSERT_EQ(other.exit_code, 0) << other.err;
      EXPECT_EQ(read("svm"), read("json")) << file;
      EXPECT_EQ(one.out, other.out);
      std::filesystem::remove(path("json"));
    }
  }
}

TEST_F(FitNdjson, AModelFileGoesOnWhereItsLinesEnded) {
  const std::string text = ndjson(sparse_data(57));
  const std::size_t half = text.find("{", text.size() / 2);
  const Flags flags = sparse_flags().with("--format", "ndjson");
  const std::string file = write("rows", text.substr(0, half));
  ASSERT_EQ(
      run(flags.with("--model", path("m")).with("--releases", path("r")).bare("--whole-steps").fit(file)).exit_code, 0);
  write("rows", text);
  const Outcome went_on = run({"fit", "--model", path("m")});
  ASSERT_EQ(went_on.exit_code, 0) << went_on.err;
  ASSERT_EQ(run(flags.with("--model", path("m2")).with("--releases", path("r2")).fit(file)).exit_code, 0);
  EXPECT_EQ(read("r"), read("r2"));
  const Outcome predicted = run({"predict", path("m"), write("new.ndjson", "{\"x3\": 1}\nbroken\n{}\n")});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_EQ(whole_lines(predicted.out).size(), 4u) << predicted.out;
}

TEST_F(FitNdjson, LinesThatCannotBeReadCountAndNoneIsShown) {
  const Outcome outcome = run(
      sparse_flags()
          .with("--releases", path("r"))
          .fit(write("d.ndjson", ndjson(sparse_data(28)) + "{\"secret\": \n\n{\"x1\": 0.5, \"x1\": 0.5, \"y\": 0}\n")));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(json_lines(read("r").value_or("")).back()["rows"], 30);
  EXPECT_NE(outcome.err.find("operator only"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("secret"), std::string::npos);
}

TEST_F(FitNdjson, HelpNamesEveryFormat) {
  const std::string help = run({"fit", "--help"}).out;
  for (const char* word : {"'csv'", "'libsvm'", "'ndjson'", ".jsonl", ".svmlight"}) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
