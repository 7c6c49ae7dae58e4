// Circumstances that a process inherits from the test that starts it. Each holds for what is started while it exists.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace rivulet::cli_testing {

// No file can grow beyond this; what would is told so by write(), not by a signal.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

// Someone to whom permissions apply: root does as it likes.
class AsNobody {
 public:
  static constexpr uid_t kNobody = 65534;

  AsNobody() : was_root_(::geteuid() == 0) {
    if (was_root_ && (::setegid(kNobody) != 0 || ::seteuid(kNobody) != 0)) ADD_FAILURE() << "cannot become nobody";
  }
  ~AsNobody() {
    if (was_root_ && (::seteuid(0) != 0 || ::setegid(0) != 0)) std::abort();
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

  // A file or folder of its own, with these permissions.
  static void give(const std::string& path, unsigned permissions) {
    const bool is_given = ::geteuid() != 0 || ::chown(path.c_str(), kNobody, kNobody) == 0;
    EXPECT_TRUE(is_given) << path;
    std::filesystem::permissions(path, std::filesystem::perms(permissions));
  }

 private:
  bool was_root_;
};

// A disk that is soon full, seen by this process and those it starts alone. Not everybody may mount one.
class SmallDisk {
 public:
  SmallDisk(std::string folder, const std::string& size) : folder_(std::move(folder)) {
    std::filesystem::create_directory(folder_);
    static const bool apart =
        ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    mounted_ = apart && ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool is_mounted() const { return mounted_; }
  void grow(const std::string& size) const {
    EXPECT_EQ(::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()), 0);
  }

 private:
  std::string folder_;
  bool mounted_ = false;
};

}  // namespace rivulet::cli_testing
