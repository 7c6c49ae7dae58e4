// Disks as the system lets them fail: a limit on the size of files, a file system that is full, files and folders that
// may not be written to.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <functional>
#include <set>
#include <stdexcept>

#include "rivulet/error.h"
#include "rivulet/priv_inc_reg1.h"
#include "store/child.h"
#include "store/content.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

constexpr int kNotPermitted = 77;

void require(bool condition, const std::string& text) {
  if (!condition) throw std::runtime_error(text);
}

template <typename Expected, typename Call>
void require_throws(Call call, const std::string& text) {
  try {
    call();
  } catch (const Expected&) {
    return;
  } catch (const std::exception& error) {
    throw std::runtime_error(text + ": " + error.what());
  }
  throw std::runtime_error(text + ": accepted");
}

class WriteFailureTest : public ModelFolder {
 protected:
  // One release a commit until the disk refuses; then looks at what is left, through the open model and after
  // `make_room`.
  static void fill_until_refused(const std::string& file, const std::function<void()>& make_room) {
    const auto stream = rows(3000);
    std::vector<std::string> published;
    std::size_t next = 0;
    {
      DurableRegression regression = DurableRegression::open(file);
      for (const Release& release : regression.committed(1, 1'000'000)) published.push_back(bits_of(release));
      next = published.size();
      bool refused = false;
      while (!refused) {
        require(next < stream.size(), "the disk never refused");
        observe(regression, stream[next], next);
        try {
          for (const Release& release : regression.commit(std::to_string(next + 1))) {
            published.push_back(bits_of(release));
          }
          ++next;
        } catch (const IoError&) {
          refused = true;
        }
      }
      require(next > 0, "not a single commit went through");
      require_throws<Error>([&] { regression.commit("again"); }, "a second commit");
      require_throws<Error>([&] { regression.observe(stream[0].values, 0.0); }, "another row");
      require_throws<Error>([&] { regression.flush(); }, "a flush");
      require_throws<Error>([&] { regression.close("end"); }, "a close");
      require(regression.committed_step() == next, "the last commit is not the last that returned");
      require(regression.source() == std::to_string(next), "the source moved on without a commit");
    }
    make_room();
    DurableRegression regression = DurableRegression::open(file);
    // A commit that was refused may have reached the disk all the same: then it is there, whole.
    const std::uint64_t step = regression.committed_step();
    require(step == next || step == next + 1, "open() shows another commit");
    require(regression.source() == std::to_string(step), "the source is of another commit than the releases");
    for (std::size_t i = step; i < step + 10; ++i) observe(regression, stream[i], i);
    regression.close(std::to_string(step + 10));
    PrivIncReg1 uninterrupted(regression.options());
    const ReleaseLog log(file);
    log.verify();
    std::size_t i = 0;
    log.for_each(1, 1'000'000, [&](const Release& release) {
      uninterrupted.observe(stream[i].values, stream[i].target);
      require(bits_of(release.statistics) == bits_of(uninterrupted.statistics()), "a release is not what it should be");
      require(i >= published.size() || published[i] == bits_of(release),
              "what was published is not what is in the log");
      ++i;
    });
    require(i == step + 10, "releases are missing");
  }

  // 0, or kNotPermitted when the system does not let the test do what it wants to try.
  template <typename Work>
  void in_child(Work work) {
    Child child(work);
    const int code = child.wait();
    if (code == kNotPermitted) GTEST_SKIP() << "needs root and a mount namespace";
    EXPECT_EQ(code, 0);
  }

  // As a user who owns nothing else here.
  static void become_nobody() {
    if (::geteuid() != 0) return;
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(kNotPermitted);
  }
  void give_to_nobody(const std::string& name, mode_t mode) const {
    if (::geteuid() == 0) {
      ASSERT_EQ(::chown(path(name).c_str(), 65534, 65534), 0);
    }
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  }
  void make_closed(const std::string& name) const {
    DurableRegression regression = DurableRegression::create(path(name), options(1));
    const auto stream = rows(5);
    for (std::size_t i = 0; i < 5; ++i) observe(regression, stream[i], i);
    regression.close("5");
  }
};

TEST_F(WriteFailureTest, AFileThatMayNotGrowLosesNothingThatWasHandedOut) {
  for (const rlim_t limit : {rlim_t{60'000}, rlim_t{150'000}, rlim_t{420'001}}) {
    const std::string file = path("m" + std::to_string(limit));
    in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      DurableRegression::create(file, options(1)).close("0");
      rlimit sizes{};
      ::getrlimit(RLIMIT_FSIZE, &sizes);
      const rlim_t before = sizes.rlim_cur;
      sizes.rlim_cur = limit;
      ::setrlimit(RLIMIT_FSIZE, &sizes);
      fill_until_refused(file, [&] {
        sizes.rlim_cur = before;
        ::setrlimit(RLIMIT_FSIZE, &sizes);
      });
    });
  }
}

TEST_F(WriteFailureTest, AFullFileSystemLosesNothingThatWasHandedOut) {
  const std::string place = path("small");
  std::filesystem::create_directory(place);
  in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=512k") != 0) {
      ::_exit(kNotPermitted);
    }
    const std::string file = place + "/m";
    DurableRegression::create(file, options(1)).close("0");
    write_bytes(place + "/filler", std::string(200'000, 'x'));
    fill_until_refused(file, [&] { std::filesystem::remove(place + "/filler"); });

    // Nothing is left of what could not be made.
    std::ofstream(place + "/filler") << std::string(600'000, 'x');
    std::set<std::string> before;
    for (const auto& entry : std::filesystem::directory_iterator(place)) before.insert(entry.path());
    require_throws<IoError>([&] { DurableRegression::create(place + "/second", options(1)); }, "a new model");
    require_throws<IoError>([&] { ReleaseLog(file).export_to(place + "/export"); }, "an export");
    std::set<std::string> after;
    for (const auto& entry : std::filesystem::directory_iterator(place)) after.insert(entry.path());
    require(after == before, "something was left behind");
  });
}

TEST_F(WriteFailureTest, AModelThatMayNotBeWrittenIsRefusedBeforeAnythingChanges) {
  make_closed("m");
  give_to_nobody("m", 0444);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  const auto before = everything();
  in_child([&] {
    become_nobody();
    require_throws<IoError>([&] { DurableRegression::open(path("m")); }, "a read-only model");
    ReleaseLog(path("m")).verify();
  });
  EXPECT_EQ(everything(), before);
  give_to_nobody("m", 0000);
  in_child([&] {
    become_nobody();
    require_throws<IoError>([&] { DurableRegression::open(path("m")); }, "an unreadable model");
    require_throws<IoError>([&] { ReleaseLog log(path("m")); }, "reading an unreadable model");
  });
}

TEST_F(WriteFailureTest, AFolderThatMayNotBeWrittenIsEnoughToReadAndNotToWrite) {
  make_closed("m");
  give_to_nobody("m", 0600);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  const auto before = everything();
  in_child([&] {
    become_nobody();
    require_throws<IoError>([&] { DurableRegression::open(path("m")); }, "a model in a read-only folder");
    require_throws<IoError>([&] { DurableRegression::create(path("n"), options(1)); }, "a new model there");
    const ReleaseLog log(path("m"));
    log.verify();
    require(log.last_step() == 5 && log.at(5).statistics.rows == 5, "not all of it can be read");
    require(DurableRegression::source_of(path("m")) == "5", "the source cannot be read");
    require_throws<IoError>([&] { log.export_to(path("export")); }, "an export there");
    const std::string elsewhere = (place_for_folders() / ("rivulet_export_" + std::to_string(::getpid()))).string();
    log.export_to(elsewhere);
    const bool complete = ReleaseLog(elsewhere).last_step() == 5;
    std::filesystem::remove(elsewhere);
    require(complete, "the export is not complete");
  });
  EXPECT_EQ(everything(), before);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
}

TEST_F(WriteFailureTest, WhatAKilledWriterLeftCanBeReadInAFolderThatMayNotBeWritten) {
  Child writer([&] {
    DurableRegression regression = DurableRegression::create(path("m"), options(1));
    for (int i = 0; i < 5; ++i) regression.observe(std::vector{0.1, 0.2}, 0.3);
    regression.commit("5");
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_EQ(writer.wait(), -SIGKILL);
  for (const char* name : {"m", "m-wal", "m-shm"}) give_to_nobody(name, 0600);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  in_child([&] {
    become_nobody();
    const ReleaseLog log(path("m"));
    log.verify();
    require(log.last_step() == 5, "the commits in the log are missing");
  });
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
}

TEST_F(WriteFailureTest, AFileThatIsReplacedWhileItIsOpenIsNotWrittenToAnyMore) {
  make_closed("m");
  make_closed("other");
  DurableRegression regression = DurableRegression::open(path("m"));
  regression.observe(std::vector{0.1, 0.2}, 0.3);
  std::filesystem::rename(path("m"), path("moved"));
  EXPECT_THROW(regression.commit("6"), ModelConflict);
  std::filesystem::rename(path("other"), path("m"));
  EXPECT_THROW(regression.commit("6"), Error);
  EXPECT_EQ(ReleaseLog(path("m")).last_step(), 5U);
}

}  // namespace
}  // namespace rivulet::store_testing
