#include "cli/release_sink.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/shown.h"
#include "request/values.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

// From the start of the last complete line to the end of the file, and where in the file that is.
struct LastPart {
  std::uint64_t begin = 0;
  std::string bytes;
};

LastPart last_part(std::ifstream& file, std::uint64_t size) {
  LastPart part{size, {}};
  constexpr std::uint64_t kBlock = 1 << 16;
  while (part.begin > 0) {
    const std::uint64_t length = std::min(kBlock, part.begin);
    part.begin -= length;
    std::string block(length, '\0');
    file.seekg(static_cast<std::streamoff>(part.begin));
    if (!file.read(block.data(), static_cast<std::streamsize>(length))) break;
    part.bytes.insert(0, block);
    // Two line ends: the one of the last complete line and the one before it.
    const std::size_t last = part.bytes.rfind('\n');
    if (last == std::string::npos || last == 0) continue;
    const std::size_t before = part.bytes.rfind('\n', last - 1);
    if (before == std::string::npos) continue;
    part.begin += before + 1;
    part.bytes.erase(0, before + 1);
    break;
  }
  return part;
}

// How the very first line begins; a crash may have cut it off anywhere.
bool is_cut_off_first_line(std::string_view bytes) {
  constexpr std::string_view kBegin = "{\"step\":1,";
  return bytes.find('\n') == std::string_view::npos && bytes.substr(0, kBegin.size()) == kBegin.substr(0, bytes.size());
}

// Without symbolic links, as far as there is something to follow.
std::filesystem::path place_of(const std::string& path) {
  std::error_code fault;
  const auto absolute = std::filesystem::absolute(path);
  const auto resolved = std::filesystem::weakly_canonical(absolute, fault);
  return fault ? absolute.lexically_normal() : resolved;
}

}  // namespace

Seen parse_seen(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.size() - colon - 1 < 16) {
    throw RequestError("seen", shown(text) +
                                   " is not accepted; accepted: STEP:CHAIN, the two as they stand in the last release "
                                   "line that arrived, e.g. 120:9f3a61c0d2b4e857...");
  }
  return {request::Given{text.substr(0, colon), "seen"}.positive_whole(), text.substr(colon + 1)};
}

void refuse_model_as_sink(const std::string& path, const std::string& model) {
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    if (place_of(path) != place_of(model).concat(ending)) continue;
    throw RequestError("releases", "'" + path + "' is the model itself, or a part of it; accepted: another file");
  }
}

bool remembers_releases(const std::string& path) {
  if (path == "-") return false;
  struct stat status {};
  return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

SinkTail tail_of(const std::string& path) {
  SinkTail tail;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || status.st_size == 0) return tail;
  tail.all_bytes = static_cast<std::uint64_t>(status.st_size);
  std::ifstream file(path, std::ios::binary);
  const LastPart part = last_part(file, tail.all_bytes);
  if (!file) throw IoError("releases: cannot read '" + path + "'");
  if (is_cut_off_first_line(part.bytes)) return tail;
  const std::size_t end = part.bytes.find('\n');
  const auto line = nlohmann::json::parse(part.bytes.substr(0, end), nullptr, false);
  if (end == std::string::npos || !line.is_object() || !line.contains("step") || !line["step"].is_number_unsigned() ||
      !line.contains("chain") || !line["chain"].is_string()) {
    throw RequestError("releases", "'" + path +
                                       "' exists and does not end with a release of a model; accepted: a new file, or "
                                       "the one this model's releases went to; it was left untouched");
  }
  tail.step = line["step"].get<std::uint64_t>();
  tail.chain = line["chain"].get<std::string>();
  tail.complete_bytes = part.begin + end + 1;
  return tail;
}

}  // namespace rivulet::cli
