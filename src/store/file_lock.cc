#include "store/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "log/files.h"
#include "rivulet/error.h"

namespace rivulet::store {
namespace {

[[noreturn]] void refuse_second_writer(const std::string& path, const char* who) {
  throw ModelConflict("model: '" + path + "' is being written to by " + who +
                      "; one process at a time may publish from a model, so wait for it to end or stop it. Nothing was "
                      "read or changed");
}

int opened(const std::string& path) {
  // Another descriptor would take the locks of the first writer with it when it is closed.
  if (log::is_written_here(path)) refuse_second_writer(path, "this process already");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    throw IoError("model: cannot open '" + path + "' for writing: " + std::generic_category().message(errno));
  }
  return descriptor;
}

}  // namespace

FileLock::FileLock(const std::string& path) : descriptor_(opened(path)), process_(::getpid()) {
  struct stat status {};
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 || fstat(descriptor_, &status) != 0) {
    const int why = errno;
    log::close_in_time(descriptor_);
    if (why == EWOULDBLOCK) refuse_second_writer(path, "another process");
    throw IoError("model: cannot lock '" + path + "': " + std::generic_category().message(why));
  }
  if (status.st_nlink == 1) return;
  ::flock(descriptor_, LOCK_UN);
  log::close_in_time(descriptor_);
  // What a crash leaves beside the file goes by one of the names; under the other, commits would be missing.
  throw IoError("model: '" + path + "' is one of " + std::to_string(status.st_nlink) +
                " names of the same file (hard links); accepted: a file with one name. It was left untouched");
}

FileLock::~FileLock() {
  // In a fork the lock is still the parent's.
  if (::getpid() == process_) ::flock(descriptor_, LOCK_UN);
  log::close_in_time(descriptor_);
}

void FileLock::require_held(const std::string& path, const std::string& file) const {
  if (::getpid() != process_) {
    throw ModelConflict("model: '" + path +
                        "' was opened by the process that this one is a fork of; only that process "
                        "may go on. Nothing was written");
  }
  struct stat status {};
  const auto number = log::number_of(file);
  if (fstat(descriptor_, &status) != 0 || number != log::FileNumber(status.st_dev, status.st_ino)) {
    throw ModelConflict("model: '" + path +
                        "' was moved, removed or replaced while it was open; open it again where it is. Nothing was "
                        "written");
  }
}

}  // namespace rivulet::store
