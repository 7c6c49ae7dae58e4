// A search for a model that fails, or takes the process with it, must not have another draw made in place of the one it
// failed for: whether it fails may depend on what was drawn. All noise here is secure.
//
// The solvers are watched from outside: this program is linked so that calls of them arrive here first (--wrap, see
// CMakeLists.txt).
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <span>

#include "erm/batch_solver.h"
#include "fit/model_fitter.h"
#include "rivulet/error.h"
#include "rivulet/refit.h"
#include "store/child.h"
#include "store/content.h"
#include "store/model_folder.h"

namespace rivulet {
namespace {

std::function<void(const Statistics&)> before_fit;
std::function<void(const std::vector<double>&)> after_call;  // of PrivIncERM

}  // namespace

#define RIVULET_FIT "_ZN7rivulet3fit11ModelFitter3fitERKNS_10StatisticsESt4spanIKdLm18446744073709551615EE"
#define RIVULET_CALL                                                                      \
  "_ZN7rivulet3erm11solve_batchERKNS0_12BatchProblemERKNS0_13BatchSettingsEdRNS0_14Gradi" \
  "entSourceESt4spanIKdLm18446744073709551615EE"

Model real_fit(fit::ModelFitter* fitter, const Statistics& statistics,
               std::span<const double> start) asm("__real_" RIVULET_FIT);
Model watched_fit(fit::ModelFitter* fitter, const Statistics& statistics,
                  std::span<const double> start) asm("__wrap_" RIVULET_FIT);
std::vector<double> real_call(const erm::BatchProblem& problem, const erm::BatchSettings& settings, double mu,
                              erm::GradientSource& source, std::span<const double> start) asm("__real_" RIVULET_CALL);
std::vector<double> watched_call(const erm::BatchProblem& problem, const erm::BatchSettings& settings, double mu,
                                 erm::GradientSource& source,
                                 std::span<const double> start) asm("__wrap_" RIVULET_CALL);

Model watched_fit(fit::ModelFitter* fitter, const Statistics& statistics, std::span<const double> start) {
  if (before_fit) before_fit(statistics);
  return real_fit(fitter, statistics, start);
}

std::vector<double> watched_call(const erm::BatchProblem& problem, const erm::BatchSettings& settings, double mu,
                                 erm::GradientSource& source, std::span<const double> start) {
  std::vector<double> found = real_call(problem, settings, mu, source, start);
  if (after_call) after_call(found);
  return found;
}

namespace store_testing {
namespace {

constexpr std::size_t kRows = 24;

StreamOptions secure(StreamOptions options) {
  options.insecure_seed.reset();
  return options;
}

StreamOptions sketched() {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema.block("x", 40, {-1.0, 1.0}).target("y", {-1.0, 1.0});
  options.schema.clip_norm(options.schema.norm_limit());
  options.constraint = "l1:2";
  options.sketch = Sketch{.dimension = 8};
  options.release_every = 3;
  return options;
}

class SolverFailureTest : public ModelFolder {
 protected:
  void TearDown() override {
    before_fit = nullptr;
    after_call = nullptr;
    ModelFolder::TearDown();
  }

  // From wherever the model is to the end of the stream, as any program that reads rows from a file would.
  void go_on(std::size_t rows_a_commit = 3) const {
    DurableRegression regression = DurableRegression::open(path("m"));
    const std::vector<Row> stream = rows(kRows, regression.options().schema.row_width());
    std::size_t next = regression.source().empty() ? 0 : std::stoul(regression.source());
    while (next < kRows) {
      for (std::size_t i = 0; i < rows_a_commit && next < kRows; ++i, ++next) observe(regression, stream[next], next);
      (void)regression.commit(std::to_string(next));
    }
  }
  [[nodiscard]] std::string released(std::uint64_t step) const {
    return bits_of(ReleaseLog(path("m")).at(step).statistics);
  }
  // Every model is the one its statistics give, with a sketch searched for from the one before.
  void expect_models_of_their_statistics() const {
    const ReleaseLog log(path("m"));
    log.verify();
    ASSERT_EQ(log.last_step(), kRows / 3);
    Refit refit(log.options(), Refit::settings_of(log.options()), log.plan());
    std::vector<double> before;
    log.for_each(1, 1000, [&](const Release& release) {
      EXPECT_EQ(refit.fit(release.statistics, before).theta, release.model.theta) << release.model.step;
      if (log.options().sketch) before = release.model.theta;
    });
  }
};

TEST_F(SolverFailureTest, AModelThatCannotBeFoundHasNoOtherDrawMadeInItsPlace) {
  for (const StreamOptions& wanted : {options(), with_strategy(StrategyKind::tree), with_units(), sketched()}) {
    DurableRegression::create(path("m"), secure(wanted));
    std::string drawn;
    before_fit = [&](const Statistics& statistics) {
      if (statistics.step != 3) return;
      drawn = bits_of(statistics);
      throw std::bad_alloc();
    };
    EXPECT_THROW(go_on(), std::bad_alloc);
    ASSERT_FALSE(drawn.empty());
    EXPECT_EQ(ReleaseLog(path("m")).last_step(), 2U) << "readers see whole releases";
    EXPECT_THROW(go_on(), std::bad_alloc) << "and a file that stays as it is, however often it fails";
    before_fit = nullptr;
    go_on();
    EXPECT_EQ(released(3), drawn);
    expect_models_of_their_statistics();
    remove_model(path("m"));
  }
}

TEST_F(SolverFailureTest, AProcessKilledWhileItSearchesPublishesWhatItHadDrawn) {
  for (const StreamOptions& wanted : {options(), sketched()}) {
    DurableRegression::create(path("m"), secure(wanted));
    Child child([&] {
      before_fit = [&](const Statistics& statistics) {
        if (statistics.step != 4) return;
        write_bytes(path("drawn"), bits_of(statistics));
        ::kill(::getpid(), SIGKILL);
      };
      go_on();
    });
    ASSERT_EQ(child.wait(), -SIGKILL);
    ASSERT_FALSE(bytes_of(path("drawn")).empty());
    go_on();
    EXPECT_EQ(released(4), bytes_of(path("drawn")));
    expect_models_of_their_statistics();
    remove_model(path("m"));
  }
}

TEST_F(SolverFailureTest, OfManyStepsInOneCommitEachStaysAsItWasDrawn) {
  DurableRegression::create(path("m"), secure(options()));
  std::vector<std::string> first;
  before_fit = [&](const Statistics& statistics) {
    first.push_back(bits_of(statistics));
    if (statistics.step == 5) throw std::bad_alloc();
  };
  EXPECT_THROW(go_on(kRows), std::bad_alloc);
  ASSERT_EQ(first.size(), 5U);
  EXPECT_EQ(ReleaseLog(path("m")).last_step(), 0U);
  ReleaseLog(path("m")).export_to(path("public"));
  EXPECT_EQ(ReleaseLog(path("public")).last_step(), 0U);
  before_fit = nullptr;
  {
    const DurableRegression regression = DurableRegression::open(path("m"));
    EXPECT_EQ(regression.source(), std::to_string(kRows)) << "its rows were counted";
    EXPECT_EQ(regression.committed_step(), kRows / 3);
    EXPECT_EQ(regression.waiting_releases(), 0U);
  }
  for (std::uint64_t step = 1; step <= 5; ++step) EXPECT_EQ(released(step), first[step - 1]) << step;
  expect_models_of_their_statistics();
}

// PrivIncERM draws while it solves: what it draws is decided before.
TEST_F(SolverFailureTest, ACallThatIsInterruptedIsMadeAgainWithTheSameDraws) {
  for (const bool killed : {false, true}) {
    for (const std::size_t rows_a_commit : {std::size_t{1}, std::size_t{3}, kRows}) {
      DurableRegression::create(path("m"), secure(with_erm()));
      constexpr int kFailing = 3;
      const auto interrupted = [&] {
        int calls = 0;
        after_call = [&](const std::vector<double>& found) {
          if (++calls != kFailing) return;
          write_bytes(path("found"), ::testing::PrintToString(found));
          if (killed) ::kill(::getpid(), SIGKILL);
          throw std::bad_alloc();
        };
        go_on(rows_a_commit);
      };
      if (killed) {
        Child child(interrupted);
        ASSERT_EQ(child.wait(), -SIGKILL);
      } else {
        EXPECT_THROW(interrupted(), std::bad_alloc);
      }
      std::vector<std::string> again;
      after_call = [&](const std::vector<double>& found) { again.push_back(::testing::PrintToString(found)); };
      go_on(rows_a_commit);
      const bool from_the_first = rows_a_commit == kRows;  // all calls of a commit are made again
      ASSERT_FALSE(again.empty());
      EXPECT_EQ(again[from_the_first ? kFailing - 1 : 0], bytes_of(path("found"))) << killed << rows_a_commit;
      EXPECT_EQ(ReleaseLog(path("m")).last_step(), kRows / 3);
      ReleaseLog(path("m")).verify();
      remove_model(path("m"));
    }
  }
}

TEST_F(SolverFailureTest, TwoModelsOfTheSameRowsDrawDifferently) {
  std::vector<std::vector<double>> found;
  after_call = [&](const std::vector<double>& theta) { found.push_back(theta); };
  for (int i = 0; i < 2; ++i) {
    DurableRegression::create(path("m"), secure(with_erm()));
    go_on();
    remove_model(path("m"));
  }
  ASSERT_EQ(found.size(), 8U);
  EXPECT_NE(found[0], found[4]);
}

}  // namespace
}  // namespace store_testing
}  // namespace rivulet
