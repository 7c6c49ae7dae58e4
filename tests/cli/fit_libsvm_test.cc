// libsvm rows and blocks of columns, without a model file.
#include <gtest/gtest.h>

#include "cli/sparse_fixture.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

class FitLibsvm : public FitTest {
 protected:
  // The release lines of a run that must succeed.
  [[nodiscard]] std::string releases_of(const Flags& flags, const std::string& file) const {
    const Outcome outcome = run(flags.with("--releases", path("r")).fit(file));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return read("r").value_or("");
  }
};

TEST_F(FitLibsvm, TheSameRowsAsABlockOfCsvGiveTheSameReleasesBitForBit) {
  const auto data = sparse_data(57);
  const std::string sparse = write("d.svm", libsvm(data));
  const std::string dense = write("d.csv", block_csv(data));
  for (const Flags& flags :
       {sparse_flags(), sparse_flags().bare("--no-intercept"), sketch_flags(), sketch_flags().bare("--no-intercept"),
        sketch_flags().with("--embedding", "gaussian"), sketch_flags().with("--only-if", "nonzeros<=2"),
        sparse_flags().with("--only-if", "x3=0:0.5"),
        sketch_flags().without("--bound", "x=0:1").plus("--bound", "x=0:0.5"),
        sketch_flags().with("--unit", "qid").with("--max-rows-per-unit", "4")}) {
    const Outcome one = run(flags.with("--releases", path("sparse")).fit(sparse));
    const Outcome other = run(flags.with("--releases", path("dense")).fit(dense));
    ASSERT_EQ(one.exit_code, 0) << one.err;
    ASSERT_EQ(other.exit_code, 0) << other.err;
    EXPECT_EQ(read("sparse"), read("dense"));
    EXPECT_EQ(one.out, other.out);
    EXPECT_EQ(one.err, other.err);
    EXPECT_EQ(json_lines(read("sparse").value_or("")).size(), 6u);
  }
}

TEST_F(FitLibsvm, IsKnownByTheNameOfTheFileOrByTheFlag) {
  const std::string text = libsvm(30);
  const std::string expected = releases_of(sparse_flags(), write("d.svm", text));
  for (const char* name : {"d.libsvm", "d.svmlight"})
    EXPECT_EQ(releases_of(sparse_flags(), write(name, text)), expected);
  for (const char* name : {"d.svm.gz", "d.libsvm.gz", "d.svmlight.gz"}) {
    EXPECT_EQ(releases_of(sparse_flags(), write(name, rivulet::testing::gzipped(text))), expected);
  }
  EXPECT_EQ(releases_of(sparse_flags().with("--format", "libsvm"), write("d.txt", text)), expected);
  const Outcome piped = run(sparse_flags().with("--format", "libsvm").with("--releases", "-").fit(), text);
  EXPECT_EQ(piped.out, expected);
  EXPECT_EQ(releases_of(sparse_flags().with("--format", "csv"), write("d.svm", block_csv(sparse_data(30)))), expected);
  EXPECT_EQ(run(sparse_flags().fit(write("rows", text))).exit_code, 2) << "any other name is CSV";
}

TEST_F(FitLibsvm, SettingsMayStandInAFile) {
  const std::string input = write("d.svm", libsvm(30));
  const std::string expected = releases_of(sketch_flags().with("--sketch-seed", "9"), input);
  EXPECT_NE(expected, releases_of(sketch_flags(), input)) << "another sketch";
  const std::string config =
      write("c.toml", "input = \"" + path("rows") +
                          "\"\nformat = \"libsvm\"\nblock = \"x:40\"\ntarget = \"y\"\nclip-norm = 1\n"
                          "epsilon = 1\ndelta = 1e-6\nrelease-every = 10\nconstraint = \"l1:2\"\n"
                          "mechanism = \"sketch\"\nsketch = 12\nembedding = \"sparse-sign\"\n"
                          "column-weight = 8\nsketch-seed = 9\n[bounds]\nx = [0, 1]\ny = [-1, 1]\n");
  write("rows", libsvm(30));
  const Outcome outcome = run({"fit", "--config", config, "--insecure-seed", "7", "--releases", "-"});
  EXPECT_EQ(outcome.out, expected);
  const Outcome full =
      run({"fit", "--config", config, "--insecure-seed", "7", "--releases", "-", "--mechanism", "full"});
  EXPECT_EQ(full.out, releases_of(sparse_flags(), input)) << "flags win";
}

TEST_F(FitLibsvm, RowsThatCannotBeUsedAreZeroRowsAndCountedForTheOperatorAlone) {
  const std::vector<std::string> faulty = {"1 0:1", "1 41:1", "1 5:1 4:1", "1 1:x", "1:1", "1 x"};
  std::string with_faults;
  std::string with_zeros;
  for (const std::string& line : whole_lines(libsvm(24))) {
    with_faults += line + "\n# a comment\n";
    with_zeros += line + "\n";
  }
  for (const std::string& line : faulty) {
    with_faults += line + "\n\n";
    with_zeros += "NA 1:1\n";
  }
  const Outcome outcome = run(sketch_flags().with("--releases", path("r")).fit(write("d.svm", with_faults)));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err,
            "operator only, do not publish: 6 of 30 rows could not be used and counted as zero rows (1 with a missing "
            "value, 1 with something that is not a number, 3 with an index that is 0, above the dimension or out of "
            "order, 1 not readable)\n");
  const std::string releases = read("r").value_or("");
  ASSERT_EQ(run(sketch_flags().with("--releases", path("z")).fit(write("z.svm", with_zeros))).exit_code, 0);
  EXPECT_EQ(read("z"), releases);
}

TEST_F(FitLibsvm, AnEmptyFileIsAStreamWithoutRows) {
  const Outcome outcome = run(sparse_flags().fit(write("d.svm", "# nothing\n")));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "rivulet: no step was completed, so nothing was published\n");
}

TEST_F(FitLibsvm, TheClipNormFollowsFromAConditionOnHowManyValuesAreNotZero) {
  const std::string file = write("d.svm", libsvm(40));
  const Flags base = sparse_flags().without("--clip-norm").with("--only-if", "nonzeros<=3");
  EXPECT_EQ(releases_of(base, file), releases_of(base.with("--clip-norm", "2"), file)) << "3 and the intercept";
  EXPECT_EQ(releases_of(base.bare("--no-intercept"), file),
            releases_of(base.bare("--no-intercept").with("--clip-norm", "1.7320508075688772"), file));
  EXPECT_EQ(releases_of(base.plus("--only-if", "nonzeros<=8"), file),
            releases_of(base.plus("--only-if", "nonzeros<=8").with("--clip-norm", "2"), file))
      << "the smallest of several";
}

// With an intercept the middle of a numeric feature's bounds is scaled to 0, not its 0.
TEST_F(FitLibsvm, ANumericFeatureBesideABlockAddsToTheClipNorm) {
  std::string text = "age,w1,w2,y\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(20 + i) + (i % 2 == 0 ? ",1,0,0.5\n" : ",0,1,0.1\n");
  const std::string file = write("d.csv", text);
  const Flags flags{{"--features", "age"},        {"--block", "w:2"},      {"--target", "y"},
                    {"--bound", "age=0:100"},     {"--bound", "w=0:1"},    {"--bound", "y=0:1"},
                    {"--only-if", "nonzeros<=2"}, {"--epsilon", "1"},      {"--delta", "1e-6"},
                    {"--release-every", "5"},     {"--insecure-seed", "1"}};
  EXPECT_EQ(releases_of(flags, file), releases_of(flags.with("--clip-norm", "2"), file)) << "2, the intercept and age";
  const auto line = json_lines(releases_of(flags, file)).back();
  EXPECT_EQ(keys_of(line["coefficients"]), (Names{"age", "w1", "w2"}));
}

TEST_F(FitLibsvm, ABlockMayStandAmongTheFeatures) {
  const std::string file = write("d.csv", "w2,age,w1,y\n0,40,1,0.5\n1,30,0,0.25\n");
  const Flags flags{{"--features", "w,age"}, {"--block", "w:2"},      {"--target", "y"},    {"--bound", "age=0:100"},
                    {"--bound", "w=0:1"},    {"--bound", "y=0:1"},    {"--clip-norm", "1"}, {"--epsilon", "1"},
                    {"--delta", "1e-6"},     {"--insecure-seed", "1"}};
  const std::string text = releases_of(flags, file);
  EXPECT_LT(text.find("\"w2\""), text.find("\"age\""));
  EXPECT_GT(releases_of(flags.with("--features", "age"), file).find("\"w1\""),
            releases_of(flags.with("--features", "age"), file).find("\"age\""))
      << "after those listed otherwise";
}

}  // namespace
}  // namespace rivulet::cli_testing
