#include "input/source_position.h"

#include <algorithm>
#include <vector>

namespace rivulet::input {

bool starts_with(ByteSource& source, const SourcePosition& position) {
  constexpr std::size_t kBlock = std::size_t{1} << 18;
  std::vector<char> block(kBlock);
  Sha256 hash;
  for (std::uint64_t left = position.bytes; left > 0;) {
    const std::size_t length =
        source.read({block.data(), static_cast<std::size_t>(std::min<std::uint64_t>(left, kBlock))});
    if (length == 0) return false;
    hash.update({block.data(), length});
    left -= length;
  }
  return hash.digest() == position.digest;
}

}  // namespace rivulet::input
