#include "log/digest.h"

#include <openssl/evp.h>

#include "rivulet/error.h"

namespace rivulet::log {

struct Digest::Context {
  EVP_MD_CTX* state = EVP_MD_CTX_new();
  const EVP_MD* kind = EVP_sha256();

  Context() { restart(); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(state); }

  void restart() const {
    if (state == nullptr || EVP_DigestInit_ex(state, kind, nullptr) != 1) throw Error("digest: SHA-256 failed");
  }
};

Digest::Digest() : context_(std::make_unique<Context>()) {}
Digest::~Digest() = default;

Digest& Digest::add(std::string_view bytes) {
  if (EVP_DigestUpdate(context_->state, bytes.data(), bytes.size()) != 1) throw Error("digest: SHA-256 failed");
  return *this;
}

std::string Digest::finish() {
  std::string result(kDigestBytes, '\0');
  unsigned int length = 0;
  if (EVP_DigestFinal_ex(context_->state, reinterpret_cast<unsigned char*>(result.data()), &length) != 1 ||
      length != kDigestBytes) {
    throw Error("digest: SHA-256 failed");
  }
  context_->restart();
  return result;
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
