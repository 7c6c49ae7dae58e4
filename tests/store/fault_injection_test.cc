// Every single operation on the disk goes wrong once, in every way there is: creating, three commits, closing. Each
// time an exception tells, nothing is handed out that is not on disk, and opening the file again shows one of the
// commits, whole, and none older than the last one that returned.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "rivulet/error.h"
#include "store/content.h"
#include "store/faulty_disk.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

class FaultInjectionTest : public ModelFolder {
 protected:
  // Feeds what follows after `done` commits and commits it.
  std::vector<Release> commit_next(DurableRegression& regression, std::size_t done) const {
    const auto stream = rows(4 * commits_);
    for (std::size_t i = 4 * done; i < 4 * (done + 1); ++i) observe(regression, stream[i], i);
    const std::string source = "after " + std::to_string(done + 1);
    return done + 1 == commits_ ? regression.close(source) : regression.commit(source);
  }

  // The model after each commit, the first entry before any.
  void learn(const StreamOptions& wanted) {
    wanted_ = wanted;
    states_.clear();
    DurableRegression regression = DurableRegression::create(path("sound"), wanted);
    for (std::size_t done = 0; done <= commits_; ++done) {
      copy_model(path("sound"), path("copy"));
      states_.push_back(model_content(path("copy")));
      if (done < commits_) commit_next(regression, done);
    }
    remove_model(path("copy"));
  }

  // Runs until something throws. Counts the commits that returned, and keeps what they handed out.
  struct Outcome {
    bool created = false;
    std::size_t commits = 0;
    std::vector<std::string> published;
    std::string error;
  };
  Outcome run(const FaultyDisk& disk) {
    Outcome outcome;
    std::optional<DurableRegression> regression;
    try {
      regression.emplace(DurableRegression::create(path("m"), wanted_));
      outcome.created = true;
      while (outcome.commits < commits_) {
        for (const Release& release : commit_next(*regression, outcome.commits)) {
          outcome.published.push_back(bits_of(release));
        }
        ++outcome.commits;
        if (disk.fired()) ADD_FAILURE() << "a fault went unnoticed by commit " << outcome.commits;
      }
    } catch (const IoError& error) {
      outcome.error = error.what();
      if (outcome.created) {
        EXPECT_THROW(regression->observe(std::vector{0.0, 0.0}, 0.0), Error);
        EXPECT_THROW(regression->commit(""), Error);
        EXPECT_EQ(regression->source(), outcome.commits == 0 ? "" : "after " + std::to_string(outcome.commits));
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not an IoError: " << error.what();
    }
    return outcome;
  }

  // The commit the file shows.
  std::optional<std::size_t> state_of(const std::string& file) {
    copy_model(file, path("copy"));
    const LogContent log = log_content(path("copy"));
    const ModelContent content = model_content(path("copy"));
    remove_model(path("copy"));
    // A step that was kept and has no model yet is no release for readers; the next writer makes it one.
    EXPECT_LE(log.releases.size(), content.releases.size());
    for (std::size_t i = 0; i < log.releases.size(); ++i) EXPECT_EQ(log.releases[i], content.releases.at(i));
    for (std::size_t commit = 0; commit < states_.size(); ++commit) {
      if (states_[commit] == content) return commit;
    }
    return std::nullopt;
  }

  void check(const Outcome& outcome) {
    if (!std::filesystem::exists(path("m"))) {
      EXPECT_FALSE(outcome.created);
      return;
    }
    const auto shown = state_of(path("m"));
    ASSERT_TRUE(shown.has_value()) << "half a commit, or none that was ever made";
    EXPECT_GE(*shown, outcome.commits) << "a commit that returned is gone";
    EXPECT_LE(*shown, outcome.commits + 1);
    const std::vector<std::string>& releases = states_[*shown].releases;
    for (std::size_t i = 0; i < outcome.published.size(); ++i) EXPECT_EQ(outcome.published[i], releases.at(i));
    // And it goes on as if nothing had happened.
    DurableRegression regression = DurableRegression::open(path("m"));
    for (std::size_t done = *shown; done < commits_; ++done) commit_next(regression, done);
    std::vector<std::string> all;
    for (const Release& release : regression.committed(1, 1000)) all.push_back(bits_of(release));
    EXPECT_EQ(all, states_.back().releases);
  }

  // False when the scenario ended before its turn came.
  bool fail_one(Fault fault, std::uint64_t number, std::uint64_t seed) {
    SCOPED_TRACE(std::string(name_of(fault)) + " " + std::to_string(number) + " seed " + std::to_string(seed));
    FaultyDisk disk;
    disk.arm(fault, number, seed + 1000 * number);
    const Outcome outcome = run(disk);
    const bool fired = disk.fired();
    disk.recover();
    check(outcome);
    remove_model(path("m"));
    // A create that failed leaves nothing; one that lost its disk may leave its unfinished file.
    const bool lost_disk = fault == Fault::everything_fails || fault == Fault::power_fails;
    for (const auto& [name, bytes] : everything()) {
      if (!name.starts_with("m")) continue;
      EXPECT_TRUE(lost_disk) << name;
      std::filesystem::remove(path(name));
    }
    return fired;
  }

  // Fails operation 1, 2, 3, ... and returns how many there were.
  std::uint64_t fail_each(Fault fault, std::uint64_t seed = 1) {
    std::uint64_t number = 1;
    while (fail_one(fault, number, seed) && !HasFailure()) ++number;
    return number - 1;
  }

  std::size_t commits_ = 4;  // three, and the one that closes
  StreamOptions wanted_;
  std::vector<ModelContent> states_;
};

TEST_F(FaultInjectionTest, AWriteThatFailsLosesNothingThatWasHandedOut) {
  learn(with_units());
  EXPECT_GT(fail_each(Fault::write_fails), 50U);
}

TEST_F(FaultInjectionTest, AFullDiskLosesNothingThatWasHandedOut) {
  learn(with_units());
  EXPECT_GT(fail_each(Fault::disk_full), 50U);
}

TEST_F(FaultInjectionTest, ASyncThatFailsLosesNothingThatWasHandedOut) {
  learn(with_units());
  EXPECT_GE(fail_each(Fault::sync_fails), commits_);
}

TEST_F(FaultInjectionTest, ATruncationADeletionAndACreationThatFailLoseNothingThatWasHandedOut) {
  learn(with_strategy(StrategyKind::tree));
  fail_each(Fault::truncate_fails);
  EXPECT_GE(fail_each(Fault::delete_fails), 1U);
  EXPECT_GE(fail_each(Fault::create_fails), 1U);
}

TEST_F(FaultInjectionTest, ADiskThatGoesAwayLosesNothingThatWasHandedOut) {
  learn(with_strategy(StrategyKind::hybrid));
  EXPECT_GT(fail_each(Fault::everything_fails), 50U);
}

TEST_F(FaultInjectionTest, APowerFailureAtAnyMomentLosesNothingThatWasHandedOut) {
  learn(with_units());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) EXPECT_GT(fail_each(Fault::power_fails, seed), 50U);
}

TEST_F(FaultInjectionTest, AFullDiskAndAPowerFailureLoseNoRowThatIsKept) {
  learn(with_erm());
  EXPECT_GT(fail_each(Fault::disk_full), 50U);
  EXPECT_GT(fail_each(Fault::power_fails), 50U);
}

// Long enough that the log is moved into the file while the run goes on.
TEST_F(FaultInjectionTest, APowerFailureInALongRunLosesNothingThatWasHandedOut) {
  commits_ = 130;
  learn(options(2));
  std::mt19937_64 random(1);
  for (int i = 0; i < 15; ++i) {
    EXPECT_TRUE(fail_one(Fault::power_fails, 900 + random() % 500, static_cast<std::uint64_t>(i)));
  }
}

}  // namespace
}  // namespace rivulet::store_testing
