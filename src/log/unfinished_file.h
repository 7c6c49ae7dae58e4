// A file that appears complete or not at all: written beside its final place, brought to disk, and only then named.
#pragma once

#include <string>

namespace rivulet::log {

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
