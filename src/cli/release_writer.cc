#include "cli/release_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

template <typename Number>
void append_number(std::string& out, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    // A coefficient can leave the range of a double when the declared bounds are extreme; JSON has no word for that.
    if (!std::isfinite(value)) {
      out += "null";
      return;
    }
  }
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  out.append(text, result.ptr);
}

}  // namespace

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ReleaseWriter::ReleaseWriter(const std::string& path, std::string constant_part, bool prompt)
    : name_(path == "-" ? "standard output" : path),
      constant_part_(std::move(constant_part)),
      prompt_(prompt),
      last_flush_(std::chrono::steady_clock::now()) {
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw IoError("releases: cannot write '" + path + "': " + std::strerror(errno));
  owns_descriptor_ = true;
}

ReleaseWriter::~ReleaseWriter() {
  if (owns_descriptor_) close(descriptor_);
}

const std::string& ReleaseWriter::json_key(const std::string& name) {
  const auto found = keys_.find(name);
  return found != keys_.end() ? found->second : keys_.emplace(name, json_string(name) + ":").first->second;
}

void ReleaseWriter::append(const Model& model) {
  buffer_ += "{\"step\":";
  append_number(buffer_, model.step);
  buffer_ += ",\"rows\":";
  append_number(buffer_, model.rows);
  buffer_ += ",\"intercept\":";
  append_number(buffer_, model.intercept);
  buffer_ += ",\"coefficients\":{";
  bool first = true;
  for (const Coefficient& coefficient : model.coefficients) {
    if (!first) buffer_ += ',';
    first = false;
    buffer_ += json_key(coefficient.name);
    append_number(buffer_, coefficient.value);
  }
  buffer_ += "},\"noise\":{\"gram_diagonal\":";
  append_number(buffer_, model.noise.gram_diagonal);
  buffer_ += ",\"gram_offdiagonal\":";
  append_number(buffer_, model.noise.gram_offdiagonal);
  buffer_ += ",\"cross\":";
  append_number(buffer_, model.noise.cross);
  buffer_ += "},";
  buffer_ += constant_part_;
  buffer_ += "}\n";
}

bool ReleaseWriter::write(const Model& model) {
  append(model);
  constexpr std::size_t kMostBuffered = 1 << 16;
  const auto now = std::chrono::steady_clock::now();
  if (prompt_ || buffer_.size() >= kMostBuffered || now - last_flush_ > std::chrono::milliseconds(50)) {
    last_flush_ = now;
    return flush();
  }
  return true;
}

bool ReleaseWriter::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t written = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      const int reason = errno;
      buffer_.erase(0, done);
      if (reason == EPIPE) return false;
      throw IoError("releases: cannot write to " + name_ + ": " + std::strerror(reason));
    }
    done += static_cast<std::size_t>(written);
  }
  buffer_.clear();
  return true;
}

}  // namespace rivulet::cli
