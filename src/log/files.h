// What SQLite leaves to us about files: which one a path means, what stands beside it, and which ones this process has
// open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace rivulet::log {

// Without symbolic links, as SQLite resolves it: the names of what stands beside a file are made from this one. The
// path itself when there is no such file.
std::string resolved(const std::string& path);

// Whether there is such a file and anything in it.
bool has_content(const std::string& path);

// The write-ahead log of the file that `path` means.
std::string log_of(const std::string& path);

// Device and number: the same for two names of one file.
using FileNumber = std::pair<std::uint64_t, std::uint64_t>;
std::optional<FileNumber> number_of(const std::string& path);

// What changes when another process begins to write to a file: its log at the latest, before the file itself.
struct FileStamp {
  std::optional<FileNumber> file;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  bool has_log = false;
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::string& resolved_path);

// While one exists, SQLite has the file open in this process. POSIX gives up all locks of a process on a file as soon
// as the process closes any descriptor of it, also one that had nothing to do with the locks; so nobody else in this
// process may open and close such a file.
class OpenFile {
 public:
  OpenFile(const std::string& path, bool writing);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

 private:
  std::optional<FileNumber> file_;
  bool writing_;
};

bool is_open_here(const std::string& path);
bool is_written_here(const std::string& path);

// Closes a descriptor of our own, now or when the last connection of this process to its file ends.
void close_in_time(int descriptor);


// A file that appears complete or not at all: written beside its final place, brought to disk, and only then named.

class UnfinishedFile {
 public:
  // An empty file with a name of its own beside `path`. `what` begins the messages. Throws IoError when it cannot be
  // made, when there is a file of the name `path` already, or what another database left beside it under this name.
  UnfinishedFile(const std::string& path, unsigned permissions, std::string what);
  // Removes it unless it was finished. A process that is killed leaves it behind, under the name it has until then.
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Waits for the disk, then gives the file its name. Throws IoError when there is a file of that name by now.
  void finish();

 private:
  std::string final_path_;
  std::string path_;
  std::string what_;
  bool finished_ = false;
};

}  // namespace rivulet::log
