
#include "cli/release_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "base/number_text.h"
#include "cli/report.h"
#include "plan/reports.h"
#include "request/settings.h"
#include "request/values.h"
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

void append_noise(const NoiseLevel& noise, std::string& out) {
  out += ",\"noise\":{\"gram_diagonal\":";
  append_number(out, noise.gram_diagonal);
  out += ",\"gram_offdiagonal\":";
  append_number(out, noise.gram_offdiagonal);
  out += ",\"cross\":";
  append_number(out, noise.cross);
  out += "},";
}

std::string constant_part(const StreamOptions& options) {
  std::string part = fmt::format("\"epsilon\":{},\"delta\":{},\"neighbours\":\"{}\"", options.budget.epsilon,
                                 options.budget.delta, to_string(options.neighbours));
  if (options.unit) {
    part +=
        fmt::format(",\"unit\":{},\"max_rows_per_unit\":{}", json_string(options.unit->name), options.unit->max_rows);
  }
  if (options.sketch) {
    part += fmt::format(",\"features\":{},\"unlisted_coefficients\":0,\"sketch\":{}", options.schema.row_width(),
                        *options.sketch->dimension);
  }
  if (options.schema.has_classes()) {
    const auto [negative, positive] = request::class_names(options.schema);
    part += fmt::format(",\"classes\":[{},{}]", json_string(negative), json_string(positive));
  }
  if (options.erm || options.loss != "squared" || options.schema.has_classes()) {
    part += fmt::format(",\"loss\":{},\"mechanism\":\"{}\"", json_string(options.loss),
                        request::to_string(*options.mechanism));
  }
  if (options.erm) part += fmt::format(",\"tau\":{}", *options.erm->tau);
  if (options.insecure_seed) {
    part += fmt::format(",\"not_private\":\"made with --insecure-seed {}\"", *options.insecure_seed);
  }
  return part;
}

}  // namespace

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ReleaseForm release_form(const StreamOptions& options, const fit::StreamPlan& plan) {
  ReleaseForm form{constant_part(options)};
  if (plan.erm() != nullptr) form.calls = *plan.erm();
  return form;
}

void ReleaseLine::append_calls(const Model& model, std::string& out) {
  const erm::ErmPlan& plan = *form_.calls;
  const std::uint64_t calls = plan::calls_until(plan.options(), model.step);
  if (calls != calls_) {
    calls_ = calls;
    const auto call = last_call(plan, model);
    call_noise_ = call ? plan.call_noise(*call) : std::numeric_limits<double>::quiet_NaN();
  }
  out += ",\"calls\":";
  append_number(out, calls);
  out += ",\"noise\":{\"call\":";
  if (calls == 0) {
    out += "null";
  } else {
    append_number(out, call_noise_);
  }
  out += "},";
}

ReleaseWriter::ReleaseWriter(const std::string& path, ReleaseForm form, bool prompt)
    : ReleaseWriter(path, std::move(form), prompt, O_TRUNC) {}

std::unique_ptr<ReleaseWriter> ReleaseWriter::appending(const std::string& path, ReleaseForm form, std::uint64_t keep,
                                                        std::uint64_t size) {
  std::unique_ptr<ReleaseWriter> writer(new ReleaseWriter(path, std::move(form), false, O_APPEND));
  if (writer->owns_descriptor_) writer->go_on_behind(keep, size);
  return writer;
}

void ReleaseWriter::go_on_behind(std::uint64_t keep, std::uint64_t size) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  // Given up with the descriptor, by a crash too. A file system that has no locks leaves it to the size.
  const bool in_use = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (in_use || fstat(descriptor_, &status) != 0 || static_cast<std::uint64_t>(status.st_size) != size) {
    throw ModelConflict("releases: '" + name_ +
                        "' is being written to by another process; accepted: a file for each model. Nothing was "
                        "published or changed");
  }
  // Only where there is something to cut off: some files may be appended to and nothing else.
  if (size > keep && ::ftruncate(descriptor_, static_cast<off_t>(keep)) != 0) {
    throw IoError("releases: cannot write '" + name_ + "': " + std::strerror(errno));
  }
}

ReleaseWriter::ReleaseWriter(const std::string& path, ReleaseForm form, bool prompt, int flags)
    : name_(path == "-" ? "standard output" : path),
      line_(std::move(form)),
      prompt_(prompt),
      last_flush_(std::chrono::steady_clock::now()) {
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  if (descriptor_ < 0) throw IoError("releases: cannot write '" + path + "': " + std::strerror(errno));
  owns_descriptor_ = true;
}

ReleaseWriter::~ReleaseWriter() {
  if (owns_descriptor_) close(descriptor_);
}

const std::string& ReleaseLine::json_key(const std::string& name) {
  const auto found = keys_.find(name);
  return found != keys_.end() ? found->second : keys_.emplace(name, json_string(name) + ":").first->second;
}

void ReleaseLine::append(const Model& model, std::string_view chain, std::string& out) {
  out += "{\"step\":";
  append_number(out, model.step);
  out += ",\"rows\":";
  append_number(out, model.rows);
  out += ",\"intercept\":";
  append_number(out, model.intercept);
  out += ",\"coefficients\":{";
  bool first = true;
  for (const Coefficient& coefficient : model.coefficients) {
    if (!first) out += ',';
    first = false;
    out += json_key(coefficient.name);
    append_number(out, coefficient.value);
  }
  out += '}';
  if (form_.calls) {
    append_calls(model, out);
  } else {
    append_noise(model.noise, out);
  }
  if (!chain.empty()) {
    out += "\"chain\":\"";
    out += chain;
    out += "\",";
  }
  out += form_.constant_part;
  out += "}\n";
}

bool ReleaseWriter::write(const Model& model, std::string_view chain) {
  line_.append(model, chain, buffer_);
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
