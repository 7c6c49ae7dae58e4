// Talking to whoever started the tool: standard streams, exit codes, a stop that was asked for.
#pragma once

#include <string_view>
#include <algorithm>
#include <cctype>
#include <string>
#include <atomic>

namespace rivulet::cli {


// The process's own three streams. Results go through print(), words to the operator through tell().

// Occupies descriptors 0 to 2 where the caller left them closed, so that no file opened later is taken for one of them.
// Using such a stream fails as it would if it were closed.
void reserve_standard_streams();

// Writes all of `text` to standard output. False when its reader has gone; throws IoError when it cannot be written.
bool print(std::string_view text);

// Writes to standard error, as far as that goes: a lost message never stops a stream.
void tell(std::string_view text);


// What the process tells its caller.

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;      // a file or stream could not be read or written; what was published stays valid
inline constexpr int kBadRequest = 2;  // no row was read and nothing published
inline constexpr int kHorizonExceeded = 3;  // what was published stays valid
// The model is in use, damaged, or behind what was published, or its input is not the one it was made of. Nothing was
// read, published or changed.
inline constexpr int kRefused = 4;
inline constexpr int kViolation = 5;      // an audit proved that more is told than was promised
inline constexpr int kInterrupted = 130;  // Ctrl-C or SIGTERM; what was published stays valid


// A command line that is shown to be typed.

// As one word of a shell, quoted where it has to be.
inline std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_./+,:@%=-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}


// Ctrl-C and SIGTERM ask for a stop; reading ends at the next row and everything published is flushed.

// Installs the handlers on first use. A second signal ends the process at once.
const std::atomic<bool>& stop_flag();

}  // namespace rivulet::cli
