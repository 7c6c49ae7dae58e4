// Releases as JSON lines, in the order they happen.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "rivulet/model.h"

namespace rivulet::cli {

class ReleaseWriter {
 public:
  // A path (truncated), or "-" for standard output. `constant_part` is appended to every line: JSON members, e.g.
  // "\"epsilon\":1". With `prompt`, every release is handed on at once; otherwise at least every 50 ms of work.
  // Throws IoError when the file cannot be created.
  ReleaseWriter(const std::string& path, std::string constant_part, bool prompt);
  ~ReleaseWriter();
  ReleaseWriter(const ReleaseWriter&) = delete;
  ReleaseWriter& operator=(const ReleaseWriter&) = delete;

  // False when the reader of a pipe has gone: nothing more can be delivered. Throws IoError when the disk refuses.
  bool write(const Model& model);
  bool flush();
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void append(const Model& model);

  // "name": as it stands in every line; made once per column.
  const std::string& json_key(const std::string& name);

  std::map<std::string, std::string, std::less<>> keys_;
  std::string name_;
  std::string constant_part_;
  bool prompt_;
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  std::string buffer_;
  std::chrono::steady_clock::time_point last_flush_;
};

// A string as a JSON string, quotes included.
std::string json_string(const std::string& text);

}  // namespace rivulet::cli
