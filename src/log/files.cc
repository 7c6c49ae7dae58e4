#include "log/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

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

}  // namespace rivulet::log
