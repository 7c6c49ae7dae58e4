// SHA-256, as the glue of the release log: a damaged or exchanged entry no longer fits the next one.
#pragma once

#include <string>
#include <string_view>

#include "base/sha256.h"

namespace rivulet::log {

inline constexpr std::size_t kDigestBytes = 32;

class Digest {
 public:
  Digest& add(std::string_view bytes);
  // The digest of everything added, 32 bytes; the object is empty again afterwards.
  std::string finish();

 private:
  Sha256 hash_;
};

// Lower-case hexadecimal.
std::string hexadecimal(std::string_view bytes);

}  // namespace rivulet::log
