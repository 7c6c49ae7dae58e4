// The process's own three streams. Results go through print(), words to the operator through tell().
#pragma once

#include <string_view>

namespace rivulet::cli {

// Occupies descriptors 0 to 2 where the caller left them closed, so that no file opened later is taken for one of them.
// Using such a stream fails as it would if it were closed.
void reserve_standard_streams();

// Writes all of `text` to standard output. False when its reader has gone; throws IoError when it cannot be written.
bool print(std::string_view text);

// Writes to standard error, as far as that goes: a lost message never stops a stream.
void tell(std::string_view text);

}  // namespace rivulet::cli
