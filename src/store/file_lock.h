// One writer at a time: an exclusive lock on the model file itself, held as long as this object lives and given up by
// the system when the process dies.
#pragma once

#include <sys/types.h>

#include <string>

namespace rivulet::store {

class FileLock {
 public:
  // Throws IoError when the file cannot be opened for writing or has a second name, ModelConflict when it is open for
  // writing already, here or in another process.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Throws ModelConflict when `file` no longer is the file that is locked, or this process is a fork of the one that
  // locked it. `path` is for the message.
  void require_held(const std::string& path, const std::string& file) const;

 private:
  int descriptor_ = -1;
  pid_t process_;
};

}  // namespace rivulet::store
