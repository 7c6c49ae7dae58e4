// A file that collects the releases of a durable model. It knows what it has seen: its last line carries the step and
// the chain value, which is how an older copy of the model is recognised.
#pragma once

#include <cstdint>
#include <string>

namespace rivulet::cli {

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
