
#include "log/files.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "log/statistics_bytes.h"
#include "rivulet/error.h"

namespace rivulet::log {

namespace {

struct Users {
  int connections = 0;
  int writers = 0;
  std::vector<int> descriptors;  // to be closed after the last connection
};

struct OpenFiles {
  std::mutex mutex;
  std::map<FileNumber, Users> users;
};

OpenFiles& open_files() {
  static OpenFiles files;
  return files;
}

}  // namespace

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? path : std::string(real.get());
}

bool has_content(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

std::string log_of(const std::string& path) {
  return resolved(path) + "-wal";
}

std::optional<FileNumber> number_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileNumber(status.st_dev, status.st_ino);
}

FileStamp stamp_of(const std::string& resolved_path) {
  struct stat status {};
  if (stat(resolved_path.c_str(), &status) != 0) return {};
  return {FileNumber(status.st_dev, status.st_ino), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
          has_content(resolved_path + "-wal")};
}

OpenFile::OpenFile(const std::string& path, bool writing) : file_(number_of(path)), writing_(writing) {
  if (!file_) return;
  const std::lock_guard lock(open_files().mutex);
  Users& users = open_files().users[*file_];
  ++users.connections;
  users.writers += writing ? 1 : 0;
}

OpenFile::~OpenFile() {
  if (!file_) return;
  const std::lock_guard lock(open_files().mutex);
  const auto found = open_files().users.find(*file_);
  found->second.writers -= writing_ ? 1 : 0;
  if (--found->second.connections > 0) return;
  for (const int descriptor : found->second.descriptors) ::close(descriptor);
  open_files().users.erase(found);
}

bool is_open_here(const std::string& path) {
  const auto number = number_of(path);
  const std::lock_guard lock(open_files().mutex);
  return number && open_files().users.contains(*number);
}

bool is_written_here(const std::string& path) {
  const auto number = number_of(path);
  const std::lock_guard lock(open_files().mutex);
  if (!number) return false;
  const auto found = open_files().users.find(*number);
  return found != open_files().users.end() && found->second.writers > 0;
}

void close_in_time(int descriptor) {
  struct stat status {};
  const std::lock_guard lock(open_files().mutex);
  if (fstat(descriptor, &status) == 0) {
    const auto found = open_files().users.find(FileNumber(status.st_dev, status.st_ino));
    if (found != open_files().users.end()) {
      found->second.descriptors.push_back(descriptor);
      return;
    }
  }
  ::close(descriptor);
}

namespace {

[[noreturn]] void cannot_create(const std::string& what, const std::string& path, int why) {
  throw IoError(what + ": cannot create '" + path + "': " + std::generic_category().message(why) +
                (why == EEXIST ? "; it was left untouched" : ""));
}

void refuse_leftover(const std::string& what, const std::string& path, const std::string& leftover) {
  if (!has_content(leftover)) return;
  throw IoError(what + ": cannot create '" + path + "': there is a file '" + leftover +
                "', left by another model of this name, which would be taken for a part of this one; it was left "
                "untouched");
}

std::string random_suffix() {
  std::array<char, 6> bytes{};
  (void)::getrandom(bytes.data(), bytes.size(), 0);  // a name that is taken is tried again
  return hexadecimal({bytes.data(), bytes.size()});
}

// Zero, or what went wrong.
int bring_to_disk(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (file < 0) return errno;
  const int why = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  return why;
}

// A new name, never in place of another file. Zero, or what went wrong.
int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot: two names for a moment, then one.
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path, unsigned permissions, std::string what)
    : final_path_(path), what_(std::move(what)) {
  if (::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) cannot_create(what_, path, EEXIST);
  for (const char* ending : {"-wal", "-journal"}) refuse_leftover(what_, path, std::string(path).append(ending));
  int file = -1;
  do {
    path_ = path + "." + random_suffix();
    file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
  } while (file < 0 && errno == EEXIST);
  if (file < 0) cannot_create(what_, path, errno);
  ::close(file);
}

UnfinishedFile::~UnfinishedFile() {
  if (finished_) return;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) ::unlink((path_ + ending).c_str());
}

void UnfinishedFile::finish() {
  if (const int why = bring_to_disk(path_, 0); why != 0) cannot_create(what_, final_path_, why);
  if (const int why = rename_to_new(path_, final_path_); why != 0) cannot_create(what_, final_path_, why);
  finished_ = true;
  const std::size_t slash = final_path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : final_path_.substr(0, slash + 1);
  const int why = bring_to_disk(folder, O_DIRECTORY);
  // Not every folder may be read, and not every file system knows how; then its own care must do.
  if (why == 0 || why == EACCES || why == EINVAL) return;
  ::unlink(final_path_.c_str());
  cannot_create(what_, final_path_, why);
}

}  // namespace rivulet::log
