// Requests about blocks, libsvm rows and sketches that cannot be honoured, and settings of a sketch that cannot change.
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "cli/bad_request.h"
#include "cli/sparse_fixture.h"
#include "rivulet/durable_regression.h"

namespace rivulet::cli_testing {
namespace {

class BadSketchRequest : public DurableTest, public ::testing::WithParamInterface<BadRequest> {};

TEST_P(BadSketchRequest, IsRefusedInOneLineWithNothingMade) {
  const std::string file = write("d.svm", libsvm(20));
  const auto before = everything();
  for (const Flags& flags : {GetParam().flags, GetParam().flags.with("--model", path("m"))}) {
    const Outcome outcome = run(flags.with("--releases", path("r")).fit(file));
    expect_one_line(outcome, GetParam().message);
    EXPECT_TRUE(lacks(outcome.err, "qid:")) << "a row is never shown";
    EXPECT_EQ(everything(), before);
  }
}

std::vector<BadRequest> bad_requests() {
  const Flags base = sketch_flags();
  const Flags full = sparse_flags();
  return {
      {"NoDimension",
       full.without("--dimension"),
       {"dimension: not given; libsvm rows have no header", "accepted: dimension=D"}},
      {"DimensionZero", full.with("--dimension", "0"), {"dimension: 0", "accepted: a positive whole number"}},
      {"DimensionAndBlockX", full.with("--block", "x:3"), {"dimension: is short for the block x"}},
      {"TooManyColumns", full.with("--dimension", "3000000000"), {"block x: 3000000000 columns; accepted: 1 to"}},
      {"TooManyForTheFullMatrix",
       full.with("--dimension", "100000"),
       {"mechanism: 100001 dimensions are too many", "accepted: 1 to 20000", "sketch=auto"}},
      {"BlockWithoutColumns", full.without("--dimension").with("--block", "x"), {"block: \"x\"", "name:columns"}},
      {"BlockWithoutName", full.without("--dimension").with("--block", ":7"), {"block: \":7\"", "name:columns"}},
      {"BlockOfText", full.without("--dimension").with("--block", "x:many"), {"block x: \"many\"", "positive whole"}},
      {"BlockTwice",
       full.without("--dimension").with("--block", "w:3").plus("--block", "w:4"),
       {"block w: declared twice"}},
      {"NoTarget", full.without("--dimension").with("--block", "x:40"), {"target: not given; accepted: target=NAME"}},
      {"NoBoundOfTheBlock",
       full.without("--bound", "x=0:1"),
       {"bounds x: not declared", "bounds x=LO:HI", "all columns of the block"}},
      {"NoBoundOfTheTarget", full.without("--bound", "y=-1:1"), {"bounds y: not declared", "bounds y=LO:HI"}},
      {"BoundWithoutZero",
       full.without("--bound", "x=0:1").plus("--bound", "x=1:2"),
       {"bound x: 1:2 does not hold 0", "lo <= 0 <= hi"}},
      {"LevelsOfABlock",
       full.with("--levels", "x=a|b").without("--bound", "x=0:1"),
       {"levels x: declared for a block", "bounds x=LO:HI"}},
      {"NoClipNorm",
       full.without("--clip-norm"),
       {"clip-norm: not given", "longer rows are shortened to it",
        "e.g. 1 for normalised rows (1.42 with an intercept)", "nonzeros<=K"}},
      {"OnlyATargetCondition", full.without("--clip-norm").with("--only-if", "y=0:1"), {"clip-norm: not given"}},
      {"OtherFeatures",
       full.with("--features", "z").plus("--bound", "z=0:1"),
       {"format: libsvm rows are the columns of one block"}},
      {"Delimiter", full.with("--delimiter", ";"), {"delimiter: libsvm rows have none; accepted: with CSV"}},
      {"UnknownFormat", full.with("--format", "xml"), {"format: \"xml\" is not accepted; accepted: csv, libsvm"}},
      {"LibsvmReadAsCsv",
       full.with("--format", "csv"),
       {"header: the first line of ", "is not shown", "--format libsvm"}},
      {"OtherUnit",
       full.with("--unit", "person").with("--max-rows-per-unit", "2"),
       {"unit: \"person\" is not in libsvm rows; accepted: qid"}},
      {"UnknownMechanism", full.with("--mechanism", "half"), {"mechanism: \"half\"", "accepted: full, sketch"}},
      {"FullAndSketch", base.with("--mechanism", "full"), {"mechanism: 'full' contradicts sketch"}},
      {"SketchZero", base.with("--sketch", "0"), {"sketch: 0", "e.g. 400, auto", "paper"}},
      {"SketchOfText", base.with("--sketch", "small"), {"sketch: \"small\"", "e.g. 400, auto", "paper"}},
      {"SketchAboveTheDimension", base.with("--sketch", "42"), {"sketch: dimension 42", "accepted: 1 to 41"}},
      {"EmbeddingAlone", full.with("--embedding", "gaussian"), {"embedding: has no meaning with mechanism 'full'", "with mechanism sketch"}},
      {"ColumnWeightAlone", full.with("--column-weight", "4"), {"column-weight: has no meaning with mechanism 'full'"}},
      {"SeedAlone", full.with("--sketch-seed", "4"), {"sketch-seed: has no meaning with mechanism 'full'"}},
      {"UnknownEmbedding", base.with("--embedding", "dense"), {"embedding: \"dense\"", "sparse-sign, gaussian"}},
      {"ColumnWeightZero", base.with("--column-weight", "0"), {"column-weight: 0", "from 1 to 64"}},
      {"ColumnWeightAboveM", base.with("--column-weight", "13"), {"column weight 13", "accepted: 1 to 12"}},
      {"ColumnWeightHuge", base.with("--column-weight", "4294967297"), {"column-weight: 4294967297", "from 1 to 64"}},
      {"SeedOfText", base.with("--sketch-seed", "-1"), {"sketch-seed: -1", "a whole number from 0 to"}},
      {"UnknownRowSet", base.with("--row-set", "few"), {"row-set: \"few\"", "sparse:K", "l1:R"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Sketch, BadSketchRequest, ::testing::ValuesIn(bad_requests()),
                         [](const auto& test) { return test.param.name; });

class SketchSetting : public DurableTest {};

TEST_F(SketchSetting, OfAModelCannotChange) {
  const std::string file = write("d.svm", libsvm(20));
  ASSERT_EQ(run(durable(sketch_flags().with("--sketch-seed", "5")).fit(file)).exit_code, 0);
  write("d.svm", libsvm(40));
  const auto before = everything();
  for (const auto& [flags, names] :
       std::vector<std::pair<Arguments, std::string>>{{{"--sketch", "13"}, "another sketch"},
                                                      {{"--sketch", "auto"}, "another sketch"},
                                                      {{"--mechanism", "full"}, "another sketch"},
                                                      {{"--embedding", "gaussian"}, "another sketch"},
                                                      {{"--column-weight", "4"}, "another sketch"},
                                                      {{"--sketch-seed", "6"}, "another sketch"},
                                                      {{"--row-set", "sparse:3"}, "another row-set"},
                                                      {{"--dimension", "41"}, "another features"},
                                                      {{"--block", "w:3", "--bound", "w=0:1"}, "another features"},
                                                      {{"--bound", "x=0:2"}, "another features"}}) {
    const Outcome outcome = run(go_on(flags));
    EXPECT_EQ(outcome.exit_code, 2) << flags[1];
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, names));
    EXPECT_EQ(everything(), before);
  }
  EXPECT_EQ(
      run(go_on({"--sketch", "12", "--sketch-seed", "5", "--mechanism", "sketch", "--dimension", "40"})).exit_code, 0);
  expect_releases_are_the_models();
}

TEST_F(SketchSetting, ThatWasChosenOrDrawnStaysWhenTheSameCommandGoesOn) {
  const Flags flags =
      durable(sketch_flags().without("--insecure-seed").with("--sketch", "auto").with("--row-set", "sparse:4"));
  const std::string file = write("d.svm", libsvm(20));
  ASSERT_EQ(run(flags.fit(file)).exit_code, 0);
  const auto before = nlohmann::json::parse(run({"inspect", path("m"), "--json"}).out)["sketch"];
  write("d.svm", libsvm(40));
  const Outcome again = run(flags.fit(file));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto after = nlohmann::json::parse(run({"inspect", path("m"), "--json"}).out);
  EXPECT_EQ(after["sketch"], before);
  EXPECT_EQ(after["rows"], 40);
  EXPECT_EQ(after["row_set"], "sparse:4");
  EXPECT_EQ(run(go_on()).exit_code, 0) << "what is not typed agrees";
}

TEST_F(SketchSetting, OfAModelWithoutOneCannotBeAdded) {
  ASSERT_EQ(run(durable(sparse_flags()).fit(write("d.svm", libsvm(20)))).exit_code, 0);
  for (const Arguments& flags : {Arguments{"--sketch", "12"}, Arguments{"--mechanism", "sketch"}}) {
    const Outcome outcome = run(go_on(flags));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(holds(outcome.err, "another sketch"));
  }
  EXPECT_EQ(run(go_on({"--mechanism", "full"})).exit_code, 0);
}

// Where a stream stands in its input, as the version before wrote it: without format, indices and distorted rows.
TEST_F(SketchSetting, AModelThatKnewOnlyCsvGoesOn) {
  const std::string file = write("d.csv", csv(25));
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(file)).exit_code, 0);
  {
    auto model = DurableRegression::open(path("m"));
    constexpr std::size_t kAdded = 3 * 8;
    ByteWriter older;
    older.u64(1);
    older.raw(std::string_view(model.source()).substr(8, model.source().size() - 8 - kAdded));
    model.close(older.take());
  }
  EXPECT_TRUE(holds(run({"inspect", path("m")}).err, "25 rows taken, from 1 input, the last " + file));
  write("d.csv", csv(40));
  const Outcome outcome = run(go_on());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(40)));
}

}  // namespace
}  // namespace rivulet::cli_testing
