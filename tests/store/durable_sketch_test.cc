// Model files of streams with a sketch.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fit/mechanism.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/durable_regression.h"
#include "rivulet/error.h"
#include "rivulet/priv_inc_reg2.h"
#include "rivulet/refit.h"
#include "sketch/embedding.h"
#include "store/model_folder.h"
#include "store/plain_sqlite.h"
#include "store/reseal.h"

namespace rivulet {
namespace {

class DurableSketchTest : public store_testing::ModelFolder {};

constexpr std::size_t kColumns = 3000;

StreamOptions sketch_options(const std::string& constraint = "l1:2") {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema.block("word", kColumns, {0.0, 1.0}).target("y", {-1.0, 1.0}).clip_norm(1.5);
  options.constraint = constraint;
  options.sketch = Sketch{.dimension = 30};
  options.release_every = 20;
  options.only_if = {"nonzeros<=4"};
  options.input_set = "sparse:3";
  options.insecure_seed = 5;
  return options;
}

struct WordRow {
  std::vector<std::uint32_t> positions;
  std::vector<double> values;
  double y = 0.0;
  [[nodiscard]] SparseRow view() const { return {positions, values}; }
};

std::vector<WordRow> word_rows(int count) {
  std::mt19937_64 random(9);
  std::vector<WordRow> rows;
  for (int i = 0; i < count; ++i) {
    WordRow row;
    row.positions = {static_cast<std::uint32_t>(random() % 50), static_cast<std::uint32_t>(50 + random() % 2950)};
    row.values = {1.0, 0.5};
    row.y = row.positions[0] < 10 ? 0.8 : -0.2;
    rows.push_back(row);
  }
  return rows;
}

TEST_F(DurableSketchTest, InterruptedAfterEveryFewRowsItPublishesWhatAnUninterruptedStreamWould) {
  const std::vector<WordRow> stream = word_rows(200);
  const std::string file = path("sketch");
  std::vector<Release> published;
  DurableRegression::create(file, sketch_options());
  for (std::size_t i = 0; i < stream.size();) {
    DurableRegression regression = DurableRegression::open(file);
    for (std::size_t k = 0; k < 7 && i < stream.size(); ++k, ++i) regression.observe(stream[i].view(), stream[i].y);
    for (Release& release : regression.commit(std::to_string(i))) published.push_back(std::move(release));
  }
  PrivIncReg2 uninterrupted(sketch_options());
  std::size_t step = 0;
  for (const WordRow& row : stream) {
    if (!uninterrupted.observe(row.view(), row.y)) continue;
    ASSERT_LT(step, published.size());
    EXPECT_EQ(published[step].statistics.gram, uninterrupted.statistics().gram);
    const Model model = uninterrupted.model();
    EXPECT_EQ(published[step].model.theta, model.theta);
    EXPECT_EQ(published[step].model.coefficients.size(), model.coefficients.size());
    ++step;
  }
  EXPECT_EQ(step, published.size());
  EXPECT_EQ(step, 10U);
}

TEST_F(DurableSketchTest, RemembersTheSketchAndTheSetOfRows) {
  const std::string file = path("sketch");
  const StreamOptions made = DurableRegression::create(file, sketch_options()).options();
  const ReleaseLog log(file);
  ASSERT_TRUE(log.options().sketch.has_value());
  EXPECT_EQ(log.options().sketch->dimension, made.sketch->dimension);
  EXPECT_EQ(log.options().sketch->seed, made.sketch->seed);
  EXPECT_EQ(log.options().sketch->embedding, made.sketch->embedding);
  EXPECT_EQ(log.options().sketch->column_weight, made.sketch->column_weight);
  EXPECT_EQ(log.options().input_set, "sparse:3");
  EXPECT_EQ(std::get<Block>(log.options().schema.features()[0].domain).columns, kColumns);
  EXPECT_EQ(log.plan().moments().layout().dimension, 30U);
}

TEST_F(DurableSketchTest, CanBeFittedAgainBitForBitFromAnExport) {
  const std::string file = path("sketch");
  {
    DurableRegression regression = DurableRegression::create(file, sketch_options());
    for (const WordRow& row : word_rows(100)) regression.observe(row.view(), row.y);
    regression.close("");
  }
  ReleaseLog(file).export_to(path("public"));
  const ReleaseLog log(path("public"));
  log.verify();
  Refit refit(log.options(), Refit::settings_of(log.options()), log.plan());
  std::vector<double> before;
  for (std::uint64_t step = 1; step <= log.last_step(); ++step) {
    const Release release = log.at(step);
    EXPECT_EQ(refit.fit(release.statistics, before).theta, release.model.theta) << step;
    before = release.model.theta;
  }
  EXPECT_EQ(log.last_step(), 5U);
}

TEST_F(DurableSketchTest, KeepsASolutionOfManyZerosInFewBytesAndADenseOneWhole) {
  const auto bytes_a_release = [&](const std::string& constraint) {
    const std::string file = path(constraint.substr(0, 2));
    DurableRegression regression = DurableRegression::create(file, sketch_options(constraint));
    for (const WordRow& row : word_rows(400)) regression.observe(row.view(), row.y);
    regression.close("");
    const Release last = ReleaseLog(file).at(20);
    const auto zeros = std::count(last.model.theta.begin(), last.model.theta.end(), 0.0);
    EXPECT_EQ(zeros > 2500, constraint == "l1:2");
    ReleaseLog(file).export_to(file + ".public");
    return std::filesystem::file_size(file + ".public") / 20;
  };
  EXPECT_LT(bytes_a_release("l1:2"), 10000U);
  EXPECT_GT(bytes_a_release("l2:2"), 8 * kColumns);
}

TEST_F(DurableSketchTest, CountsRowsThatWereAimedAtTheSketchThroughARestart) {
  StreamOptions options = sketch_options();
  options.schema.intercept(false);
  options.sketch = Sketch{.dimension = 30, .column_weight = 1, .seed = 1};
  // Columns that coincide: what is left of such a row is a tenth of its length.
  const auto map = sketch::make_embedding({EmbeddingKind::sparse_sign, 30, kColumns, 1, 1});
  std::vector<double> first(30, 0.0);
  map->add_column(0, 1.0, first);
  std::uint32_t partner = 1;
  while (map->column_dot(partner, first) > -0.5) ++partner;
  const std::vector<std::uint32_t> positions{0, partner};
  const std::vector<double> values{1.0, 0.9};
  const std::string file = path("sketch");
  DurableRegression::create(file, options);
  for (std::uint64_t run = 0; run < 3; ++run) {
    DurableRegression regression = DurableRegression::open(file);
    EXPECT_EQ(regression.distorted_rows_for_operator(), 13 * run);
    for (int i = 0; i < 13; ++i) regression.observe(SparseRow{positions, values}, 0.0);
    regression.close("");
  }
}

// How a file grows tells nothing about what was drawn.
TEST_F(DurableSketchTest, EveryReleaseTakesTheSameRoomWhateverNoiseWasDrawn) {
  std::set<std::string> sizes;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string file = path("m" + std::to_string(seed));
    StreamOptions options = sketch_options();
    options.sketch->seed = 1;
    options.insecure_seed = seed;
    DurableRegression regression = DurableRegression::create(file, options);
    for (const WordRow& row : word_rows(60)) regression.observe(row.view(), row.y);
    regression.close("");
    for (const auto& row : store_testing::PlainSqlite(file).rows("SELECT length(theta) FROM public_release")) {
      sizes.insert(row[0]);
    }
  }
  EXPECT_EQ(sizes.size(), 1U) << ::testing::PrintToString(sizes);
}

// Two classes stay two classes: what a row of neither is, and which of them is the positive one.
TEST_F(DurableSketchTest, RemembersClasses) {
  for (const bool intercept : {false, true}) {
    StreamOptions options;
    options.schema.block("word", 10, {0.0, 1.0}).classes("y", 3.0, 1.0).intercept(intercept);
    options.schema.clip_norm(options.schema.norm_limit());
    options.loss = "squared";
    options.constraint = "l2:1";
    options.release_every = 4;
    options.insecure_seed = 5;
    options.budget = {1e5, 1e-6};
    const std::string file = path(intercept ? "with" : "without");
    DurableRegression regression = DurableRegression::create(file, options);
    IncrementalRegression uninterrupted(options);
    EXPECT_TRUE(regression.options().schema.has_classes());
    const std::vector<std::uint32_t> positions{1, 4};
    const std::vector<double> values{1.0, 0.5};
    for (const double target : {3.0, 1.0, 2.0, 1.0}) {
      regression.observe(SparseRow{positions, values}, target);
      uninterrupted.observe(SparseRow{positions, values}, target);
    }
    EXPECT_EQ(regression.unusable_rows_for_operator(), 1U);
    const std::vector<Release> published = regression.close("");
    ASSERT_EQ(published.size(), 1U);
    EXPECT_EQ(published[0].statistics.cross, uninterrupted.statistics().cross);
    EXPECT_EQ(published[0].model.theta, uninterrupted.model().theta);
    EXPECT_EQ(ReleaseLog(file).options().schema.target_scale().half_range, options.schema.target_scale().half_range);
  }
}

// The sums are those of one Phi and of no other, whatever the digests say.
TEST_F(DurableSketchTest, IsNotTakenUpWithAnotherSketch) {
  StreamOptions options = sketch_options();
  options.sketch->seed = 77;
  options.sketch->column_weight = 6;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{R"("seed":77)", R"("seed":78)"},
                                 {R"("column-weight":6)", R"("column-weight":7)"},
                                 {R"("embedding":"sparse-sign")", R"("embedding":"gaussian")"},
                                 {R"("dimension":30)", R"("dimension":29)"},
                                 {R"("columns":3000)", R"("columns":2999)"}}) {
    const std::string file = path(std::to_string(std::hash<std::string>()(to)));
    {
      // Before the first release: nothing but the state knows the sketch.
      DurableRegression regression = DurableRegression::create(file, options);
      for (const WordRow& row : word_rows(10)) regression.observe(row.view(), row.y);
      regression.close("");
    }
    {
      store_testing::Alteration altered(file);
      std::string request = altered.database().value("SELECT value FROM public_meta WHERE key = 'request'");
      const std::size_t at = request.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      request.replace(at, from.size(), to);
      altered.database().rows("UPDATE public_meta SET value = ? WHERE key = 'request'", {request});
      store_testing::reseal(altered.database());
    }
    EXPECT_THROW(DurableRegression::open(file), DamagedFile) << to;
  }
}

}  // namespace
}  // namespace rivulet
