#include "base/sha256.h"

#include <openssl/evp.h>

#include "rivulet/error.h"

namespace rivulet {
namespace {

void check(bool done) {
  if (!done) throw Error("SHA-256: OpenSSL could not compute it");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::Sha256(const Sha256& other) : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr);
  *this = other;
}

Sha256& Sha256::operator=(const Sha256& other) {
  if (this != &other) check(EVP_MD_CTX_copy_ex(context_.get(), other.context_.get()) == 1);
  return *this;
}

void Sha256::update(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Sha256Digest Sha256::digest() const {
  const Sha256 finished(*this);  // finishing ends a context
  Sha256Digest digest{};
  unsigned int length = 0;
  check(EVP_DigestFinal_ex(finished.context_.get(), digest.data(), &length) == 1 && length == digest.size());
  return digest;
}

}  // namespace rivulet
