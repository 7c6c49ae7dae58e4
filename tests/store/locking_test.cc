// One writer at a time, whoever it is; any number of readers, at any time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <chrono>
#include <set>
#include <thread>

#include "rivulet/error.h"
#include "store/child.h"
#include "store/content.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

class LockingTest : public ModelFolder {
 protected:
  static void commit_one(DurableRegression& regression) {
    regression.observe(std::vector{0.1, 0.2}, 0.3);
    regression.commit("there");
  }
  // Whether this process, which has no business there, sees a lock of another one on the file.
  [[nodiscard]] bool is_locked_for(const std::string& file) const {
    Child other([&] {
      const int descriptor = ::open(file.c_str(), O_RDWR);
      struct flock lock {};
      lock.l_type = F_WRLCK;
      lock.l_whence = SEEK_SET;
      ::fcntl(descriptor, F_GETLK, &lock);
      ::_exit(lock.l_type == F_UNLCK ? 1 : 2);
    });
    return other.wait() == 2;
  }
};

TEST_F(LockingTest, ASecondProcessIsRefusedWhileTheFirstLivesAndAcceptedRightAfterItWasKilled) {
  Bell ready;
  Child first([&] {
    DurableRegression regression = DurableRegression::create(path("m"), options(1));
    commit_one(regression);
    ready.ring();
    for (;;) ::pause();
  });
  ready.await();
  const std::string before = bytes_of(path("m"));
  try {
    DurableRegression::open(path("m"));
    ADD_FAILURE() << "two writers";
  } catch (const ModelConflict& error) {
    EXPECT_NE(std::string(error.what()).find("'" + path("m") + "' is being written to by another process"),
              std::string::npos);
  }
  EXPECT_THROW(DurableRegression::create(path("m"), options(1)), IoError);
  EXPECT_EQ(ReleaseLog(path("m")).last_step(), 1U);
  EXPECT_EQ(DurableRegression::source_of(path("m")), "there");
  EXPECT_EQ(bytes_of(path("m")), before);
  EXPECT_EQ(first.kill(), -SIGKILL);
  EXPECT_EQ(DurableRegression::open(path("m")).committed_step(), 1U);
}

TEST_F(LockingTest, ARefusedSecondWriterTakesNoLockOfTheFirstWithIt) {
  DurableRegression first = DurableRegression::create(path("m"), options(1));
  commit_one(first);
  ASSERT_TRUE(is_locked_for(path("m")));
  EXPECT_THROW(DurableRegression::open(path("m")), ModelConflict);
  EXPECT_TRUE(is_locked_for(path("m")));
  { ReleaseLog(path("m")).verify(); }
  EXPECT_TRUE(is_locked_for(path("m")));
  (void)DurableRegression::source_of(path("m"));
  EXPECT_TRUE(is_locked_for(path("m")));
  commit_one(first);
  EXPECT_EQ(ReleaseLog(path("m")).last_step(), 2U);
}

TEST_F(LockingTest, AWriterThatEndsTakesNoLockOfAReaderInTheSameProcessWithIt) {
  DurableRegression::create(path("m"), options(1)).close("");
  auto writer = std::make_unique<DurableRegression>(DurableRegression::open(path("m")));
  commit_one(*writer);
  const ReleaseLog reader(path("m"));
  EXPECT_EQ(reader.last_step(), 1U);
  writer.reset();
  EXPECT_TRUE(is_locked_for(path("m")));
  EXPECT_EQ(reader.last_step(), 1U);
  EXPECT_NO_THROW(DurableRegression::open(path("m")));
}

TEST_F(LockingTest, AForkOfTheWriterCannotCommitAndTakesNothingWithIt) {
  DurableRegression first = DurableRegression::create(path("m"), options(1));
  commit_one(first);
  Child fork([&] {
    DurableRegression mine = std::move(first);
    bool refused = false;
    try {
      commit_one(mine);
    } catch (const ModelConflict&) {
      refused = true;
    }
    if (!refused) ::_exit(1);
    // Its copy ends here, in the fork.
  });
  EXPECT_EQ(fork.wait(), 0);
  EXPECT_TRUE(is_locked_for(path("m")));
  Child second([&] {
    const int descriptor = ::open(path("m").c_str(), O_RDWR);
    ::_exit(::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 1 : 2);
  });
  EXPECT_EQ(second.wait(), 2) << "the lock was lost";
  commit_one(first);
  first.close("end");
  EXPECT_EQ(ReleaseLog(path("m")).last_step(), 2U);
}

TEST_F(LockingTest, AReaderSeesAWriterThatCameLater) {
  {
    DurableRegression regression = DurableRegression::create(path("m"), options(1));
    commit_one(regression);
  }
  const ReleaseLog reader(path("m"));
  EXPECT_EQ(reader.last_step(), 1U);
  for (std::uint64_t step = 2; step < 40; ++step) {
    // Opened, written to and closed again: every time the file itself changes under the reader.
    DurableRegression regression = DurableRegression::open(path("m"));
    commit_one(regression);
    EXPECT_EQ(reader.last_step(), step);
    if (step % 3 == 0) regression.close("");
    EXPECT_EQ(reader.at(step).statistics.step, step);
    EXPECT_NO_THROW(reader.verify());
  }
}

TEST_F(LockingTest, AReaderDuringHeavyCommitsAlwaysSeesAConsistentLog) {
  DurableRegression::create(path("m"), options(1)).close("");
  Bell ready;
  Child writer([&] {
    // Runs of different lengths, so that readers meet every stage of a file: with and without a log.
    ready.ring();
    for (int run = 0;; ++run) {
      DurableRegression regression = DurableRegression::open(path("m"));
      for (int i = 0; i < run % 7 * 5; ++i) commit_one(regression);
      if (run % 2 == 0) regression.close("");
    }
  });
  ready.await();
  const ReleaseLog patient(path("m"));
  std::uint64_t last = 0;
  std::set<std::uint64_t> seen;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_NO_THROW(patient.verify());
    const std::uint64_t step = patient.last_step();
    ASSERT_GE(step, last) << "a release that was there is gone";
    last = step;
    seen.insert(step);
    const ReleaseLog impatient(path("m"));
    ASSERT_NO_THROW(impatient.verify());
    ASSERT_GE(impatient.last_step(), last);
    std::uint64_t count = 0;
    ASSERT_NO_THROW(impatient.for_each(1, last, [&](const Release&) { ++count; }));
    ASSERT_EQ(count, last);
    ASSERT_NO_THROW((void)DurableRegression::source_of(path("m")));
  }
  EXPECT_GT(seen.size(), 3U);
  EXPECT_EQ(writer.kill(), -SIGKILL);
  EXPECT_NO_THROW(ReleaseLog(path("m")).verify());
}

TEST_F(LockingTest, OpeningAndCommittingNothingLeavesNoTrace) {
  DurableRegression::create(path("m"), options(1)).close("there");
  const auto before = everything();
  { DurableRegression::open(path("m")); }
  { ReleaseLog(path("m")).verify(); }
  (void)DurableRegression::source_of(path("m"));
  EXPECT_EQ(everything(), before);
}

TEST_F(LockingTest, TheLogOfALongRunIsMovedIntoTheFileAgainAndAgain) {
  DurableRegression regression = DurableRegression::create(path("m"), options(1));
  DurableRegression::create(path("new"), options(1)).close("");
  std::uintmax_t longest = 0;
  for (int i = 0; i < 400; ++i) {
    commit_one(regression);
    longest = std::max(longest, std::filesystem::file_size(path("m-wal")));
  }
  EXPECT_GT(longest, 1000U * 4096);
  EXPECT_LT(longest, 1100U * 4120);
  EXPECT_GT(std::filesystem::file_size(path("m")), std::filesystem::file_size(path("new")) + 20'000);
}

}  // namespace
}  // namespace rivulet::store_testing
