#include "log/digest.h"

namespace rivulet::log {

Digest& Digest::add(std::string_view bytes) {
  hash_.update(bytes);
  return *this;
}

std::string Digest::finish() {
  const Sha256Digest digest = hash_.digest();
  hash_ = Sha256();
  return {digest.begin(), digest.end()};
}

std::string hexadecimal(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

}  // namespace rivulet::log
