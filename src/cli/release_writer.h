// Releases as JSON lines, in the order they happen.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "erm/erm_plan.h"
#include "fit/mechanism.h"
#include "rivulet/incremental_regression.h"
#include "rivulet/model.h"

namespace rivulet::cli {

// A string as a JSON string, quotes included.
std::string json_string(const std::string& text);

// What the lines of a request's releases have beside their models.
struct ReleaseForm {
  std::string constant_part;            // JSON members that every line has, e.g. "\"epsilon\":1"
  std::optional<erm::ErmPlan> calls{};  // of PrivIncERM: which call a model is of, and its noise
};
// The options must have their defaults filled in.
ReleaseForm release_form(const StreamOptions& options, const fit::StreamPlan& plan);

// A release as a JSON line.
class ReleaseLine {
 public:
  explicit ReleaseLine(ReleaseForm form) : form_(std::move(form)) {}
  // With `chain`, the line carries it.
  void append(const Model& model, std::string_view chain, std::string& out);

 private:
  // "name": as it stands in every line; made once per column.
  const std::string& json_key(const std::string& name);
  void append_calls(const Model& model, std::string& out);

  std::map<std::string, std::string, std::less<>> keys_;
  ReleaseForm form_;
  std::uint64_t calls_ = 0;  // of the line before
  double call_noise_ = 0.0;  // of the last of them
};

class ReleaseWriter {
 public:
  // A path (truncated), or "-" for standard output. With `prompt`, every release is handed on at once; otherwise at
  // least every 50 ms of work. Throws IoError when the file cannot be created.
  ReleaseWriter(const std::string& path, ReleaseForm form, bool prompt);
  ~ReleaseWriter();
  ReleaseWriter(const ReleaseWriter&) = delete;
  ReleaseWriter& operator=(const ReleaseWriter&) = delete;

  // Goes on behind the first `keep` bytes of a file that had `size` when it was looked at; what follows them is cut
  // off. The only one to do so for as long as it lives: throws ModelConflict, changing nothing, when another process
  // writes there or has written there meanwhile.
  static std::unique_ptr<ReleaseWriter> appending(const std::string& path, ReleaseForm form, std::uint64_t keep,
                                                  std::uint64_t size);

  // False when the reader of a pipe has gone: nothing more can be delivered. Throws IoError when the disk refuses.
  bool write(const Model& model, std::string_view chain = {});
  bool flush();
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  ReleaseWriter(const std::string& path, ReleaseForm form, bool prompt, int flags);
  void go_on_behind(std::uint64_t keep, std::uint64_t size);

  std::string name_;
  ReleaseLine line_;
  bool prompt_;
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  std::string buffer_;
  std::chrono::steady_clock::time_point last_flush_;
};

// A file that collects the releases of a durable model. It knows what it has seen: its last line carries the step and
// the chain value, which is how an older copy of the model is recognised.

// The last release that has arrived somewhere; step 0 when there is none.
struct Seen {
  std::uint64_t step = 0;
  std::string chain;
};

struct SinkTail : Seen {             // of the last complete line
  std::uint64_t complete_bytes = 0;  // up to the end of that line; what follows was cut off by a crash
  std::uint64_t all_bytes = 0;
};

// "STEP:CHAIN", what a reader that cannot be asked says for itself. Throws RequestError.
Seen parse_seen(const std::string& text);

// Of a regular file; an absent or empty one has seen nothing. Throws RequestError when the last line is not a release
// of a durable model (it was left untouched), IoError when the file cannot be read.
SinkTail tail_of(const std::string& path);

// Whether releases are kept there, so that it can be asked: a regular file, or nothing yet. A pipe, a terminal or a
// device cannot.
bool remembers_releases(const std::string& path);

// The model, or a file that SQLite keeps beside it, whether it exists yet or not: throws RequestError.
void refuse_model_as_sink(const std::string& path, const std::string& model);

}  // namespace rivulet::cli
