// What `rivulet fit` makes of its input: forms of CSV, unusable rows, and that nothing of a row shows anywhere.
#include <gtest/gtest.h>

#include "cli/fit_fixture.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

using rivulet::testing::gzipped;

class FitInput : public FitTest {
 protected:
  static Outcome fit(const std::string& input) { return run(fit_flags().with("--releases", "-").fit(), input); }
};

TEST_F(FitInput, AFileAPipeAndARedirectionGiveTheSameBytes) {
  const std::string file = write("d.csv", csv(50));
  const Flags flags = fit_flags().with("--releases", "-");
  const Outcome piped = run(flags.fit(), csv(50));
  EXPECT_EQ(run(flags.fit(file)).out, piped.out);
  EXPECT_EQ(run(flags.arguments("fit"), csv(50)).out, piped.out) << "no FILE means standard input";
  EXPECT_EQ(run(flags.fit(), Wiring().with_in(Stream::file(file))).out, piped.out);
}

TEST_F(FitInput, GzipInputGivesTheBytesOfThePlainFile) {
  const std::string compressed = gzipped(csv(500));
  const Outcome plain = fit(csv(500));
  const Outcome file = run(fit_flags().with("--releases", "-").fit(write("d.csv.gz", compressed)));
  EXPECT_EQ(json_lines(plain.out).size(), 50u);
  EXPECT_EQ(file.out, plain.out);
  EXPECT_EQ(file.err, plain.err);
  EXPECT_EQ(fit(compressed).out, plain.out);
}

TEST_F(FitInput, LineEndsQuotesAndAByteOrderMarkChangeNothing) {
  const auto lines = data_lines(40);
  const Outcome plain = fit(csv(lines));
  ASSERT_EQ(plain.exit_code, 0);
  EXPECT_EQ(fit(csv(lines, "\r\n")).out, plain.out);
  EXPECT_EQ(fit("\xEF\xBB\xBF" + csv(lines)).out, plain.out);
  EXPECT_EQ(fit(csv(lines, "\n\n")).out, plain.out) << "empty lines are not rows";
  std::string text = csv(lines);
  text.pop_back();
  EXPECT_EQ(fit(text).out, plain.out) << "the last line end may be missing";

  auto quoted = lines;
  for (std::string& line : quoted) {
    std::string cells = "\"";
    for (const char c : line) cells += c == ',' ? std::string("\",\"") : std::string(1, c);
    line = cells + "\"";
  }
  const Outcome outcome = fit(csv(quoted));
  EXPECT_EQ(outcome.out, plain.out);
  EXPECT_EQ(outcome.err, plain.err);
}

TEST_F(FitInput, AQuotedLineEndBelongsToItsRow) {
  std::string plain = "note," + std::string(kHeader) + "\n";
  std::string broken = plain;
  for (const std::string& line : data_lines(20)) {
    plain += "hello," + line + "\n";
    broken += "\"first line\nsecond, \"\"line\"\"\r\nthird\"," + line + "\n";
  }
  EXPECT_EQ(fit(broken).out, fit(plain).out);
  EXPECT_EQ(json_lines(fit(broken).out).back()["rows"], 20);
}

TEST_F(FitInput, ColumnsAreFoundByNameWhereverTheyStand) {
  std::string moved = "unused,y,kind,z,x\n";
  for (const std::string& line : data_lines(20)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    moved += "0," + cells[3] + "," + cells[2] + "," + cells[1] + "," + cells[0] + "\n";
  }
  EXPECT_EQ(fit(moved).out, fit(csv(20)).out);
}

TEST_F(FitInput, AnEmptyInputIsAFailureNotABadRequest) {
  for (const std::string& input : {std::string(), std::string("\n\n"), std::string("\xEF\xBB\xBF")}) {
    const Outcome outcome = run(fit_flags().with("--releases", path("r")).fit(), input);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "rivulet: standard input: is empty; accepted: CSV with a header line\n");
    EXPECT_FALSE(read("r").has_value());
  }
}

TEST_F(FitInput, AHeaderWithoutRowsPublishesNothingAndSaysSo) {
  const Outcome outcome = run(fit_flags().with("--releases", path("r")).fit(), csv(0));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "rivulet: no step was completed, so nothing was published\n");
  EXPECT_EQ(read("r"), "");
}

// Every way a row can be unusable, at the same place.
const std::vector<std::string>& unusable_rows() {
  static const std::vector<std::string> rows{
      "NA,NA,NA,NA", ",,,",     "nan,1,a,2", "1,NaN,b,3", "inf,1,a,2",  "1,-inf,a,2", "1e400,0,b,1",  "1,2,a,-1e999",
      "one,2,a,3",   "1,2,d,3", "1,2,,3",    "1,2,a",     "1",          "1,2,a,3,4",  "\"1\"x,2,a,3", "0x10,2,a,3",
      "1,2,a,\"3",   "1,2,A,3", "1 2,2,a,3", "--1,2,a,3", "null,2,a,3", "1,2,a,N/A",  "1,2,a,",       "1,2,a,1e",
  };
  return rows;
}

TEST_F(FitInput, AnUnusableRowCountsAndThePublishedSideCannotTellWhy) {
  auto lines = data_lines(30);
  // At the end, where an open quote has nothing to swallow.
  lines.back() = "NA,NA,NA,NA";
  const Outcome missing = fit(csv(lines));
  EXPECT_EQ(json_lines(missing.out).back()["rows"], 30);
  for (const std::string& row : unusable_rows()) {
    lines.back() = row;
    const Outcome outcome = fit(csv(lines));
    EXPECT_EQ(outcome.exit_code, 0) << row;
    EXPECT_EQ(outcome.out, missing.out) << row;
    EXPECT_TRUE(holds(outcome.err, "operator only, do not publish: 1 of 30 rows could not be used")) << row;
    EXPECT_TRUE(lacks(outcome.out, "operator")) << row;
  }
}

TEST_F(FitInput, TheTableOnStandardOutputHoldsNoCountOfUnusableRows) {
  auto lines = data_lines(30);
  lines[4] = "NA,NA,NA,NA";
  const std::string releases = path("r");
  const Outcome missing = run(fit_flags().with("--releases", releases).fit(), csv(lines));
  const auto missing_releases = read("r");
  lines[4] = "1,2,a";
  const Outcome ragged = run(fit_flags().with("--releases", releases).fit(), csv(lines));
  EXPECT_EQ(ragged.out, missing.out);
  EXPECT_EQ(read("r"), missing_releases);
  EXPECT_TRUE(holds(missing.err, "1 with a missing value"));
  EXPECT_TRUE(holds(ragged.err, "1 with too few or too many fields"));
}

TEST_F(FitInput, AnUnusableRowIsNotAnOrdinaryRow) {
  auto lines = data_lines(30);
  const Outcome usable = fit(csv(lines));
  lines[4] = "NA,NA,NA,NA";
  EXPECT_NE(fit(csv(lines)).out, usable.out);
  lines.erase(lines.begin() + 4);
  EXPECT_EQ(json_lines(fit(csv(lines)).out).back()["rows"], 29);
}

TEST_F(FitInput, EveryReasonHasItsOwnTallyForTheOperator) {
  auto lines = data_lines(30);
  lines[3] = "NA,1,a,1";
  lines[4] = "what,1,a,1";
  lines[5] = "inf,1,a,1";
  lines[6] = "1,1,d,1";
  lines[7] = "1,1";
  lines[8] = "1,1,a,1,1";
  lines[9] = "\"1\"2,1,a,1";
  const Outcome outcome = fit(csv(lines));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(
      holds(outcome.err,
            "operator only, do not publish: 7 of 30 rows could not be used and counted as zero rows "
            "(1 with a missing value, 2 with something that is not a number, 1 with an undeclared category or class, "
            "2 with too few or too many fields, 1 not readable)\n"));
}

TEST_F(FitInput, AStreamOfNothingButUnusableRowsIsStillPublished) {
  std::vector<std::string> lines;
  for (int i = 0; i < 5; ++i) lines.insert(lines.end(), unusable_rows().begin(), unusable_rows().begin() + 16);
  const Outcome outcome = fit(csv(lines));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(json_lines(outcome.out).back()["rows"], 80);
  EXPECT_TRUE(holds(outcome.err, "80 of 80 rows"));
}

const char* const kSecret = "s3cr3tc4nary";

TEST_F(FitInput, NoCellEverShowsAnywhere) {
  const std::string secret = kSecret;
  std::string text = std::string(kHeader) + ",note\n";
  for (const std::string& line : data_lines(30)) text += line + "," + secret + "\n";
  for (const std::string& row :
       {secret + ",1,a,1,n", "1," + secret + ",a,1,n", "1,1," + secret + ",1,n", "1,1,a," + secret + ",n",
        "1,1,a,1," + secret + ",more", secret, "\"" + secret + "\"" + secret + ",1,a,1,n",
        "1,1,\"" + secret + "\n\",1,n", std::string(2000000, 'x') + secret + ",1,a,1,n"}) {
    text += row + "\n";
  }
  const std::string unclosed = text + "1,1,a,1,\"" + secret + "\n";
  const std::string compressed = gzipped(unclosed);

  struct Case {
    std::string what;
    std::string input;
    Flags flags;
  };
  const Flags flags = fit_flags().with("--releases", path("r"));
  const std::vector<Case> cases{
      {"plain", text, flags},
      {"a quote never closed", unclosed, flags},
      {"horizon", text, flags.with("--horizon", "2")},
      {"truncated gzip", compressed.substr(0, compressed.size() - 8), flags},
      {"damaged gzip", compressed.substr(0, compressed.size() / 2) + secret + compressed.substr(compressed.size() / 2),
       flags},
      {"missing column", text, flags.with("--features", "x,z,kind,w").plus("--bound", "w=0:1")},
      {"another delimiter", text, flags.with("--delimiter", ";")},
      {"no header", text.substr(text.find('\n') + 1), flags},
  };
  for (const Case& c : cases) {
    std::filesystem::remove(path("r"));
    const Outcome outcome = run(c.flags.fit(), c.input);
    EXPECT_EQ(outcome.signal, 0) << c.what;
    EXPECT_FALSE(outcome.timed_out) << c.what;
    EXPECT_TRUE(lacks(outcome.out + outcome.err + read("r").value_or(""), secret)) << c.what;
  }
}

TEST_F(FitInput, MissingAndDuplicateColumnsStopBeforeAnythingIsPublished) {
  struct Case {
    std::string header;
    std::string message;
  };
  for (const Case& c :
       {Case{"x,z,other,y", "column kind: not found in standard input; the header has \"x\", \"z\", \"other\", \"y\""},
        Case{"x,z,kind,z,y", "column z: stands more than once in the header of standard input"},
        Case{"x,z,kind", "column y: not found"}, Case{"1,2,a,3", "column x: not found"}}) {
    write("r", "older");
    const Outcome outcome = run(fit_flags().with("--releases", path("r")).fit(), c.header + "\n1,2,a,3\n");
    EXPECT_EQ(outcome.exit_code, 2) << c.header;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(holds(outcome.err, "rivulet: " + c.message));
    EXPECT_EQ(read("r"), "older") << "left untouched";
  }
}

TEST_F(FitInput, AnUnusedColumnMayStandTwiceInTheHeader) {
  const Outcome outcome = run(fit_flags().fit(), "n,x,z,kind,y,n\n0,1,2,a,3,0\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

}  // namespace
}  // namespace rivulet::cli_testing
