#include "kernel/random_bits.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

std::atomic<std::uint64_t> forks_seen{0};

std::uint64_t fork_generation() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks_seen.fetch_add(1); });
  if (registered != 0) throw Error("random bits: cannot register the fork handler");
  return forks_seen.load(std::memory_order_relaxed);
}

unsigned char* raw(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}

}  // namespace

struct RandomBits::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  Cipher() = default;
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;
  ~Cipher() { EVP_CIPHER_CTX_free(context); }
};

RandomBits::RandomBits(bool deterministic)
    : deterministic_(deterministic),
      fork_generation_(fork_generation()),
      buffer_(kBlock),
      position_(kBlock),
      cipher_(std::make_unique<Cipher>()) {
  if (cipher_->context == nullptr) throw Error("random bits: OpenSSL could not allocate a cipher");
}

RandomBits::RandomBits(RandomBits&&) noexcept = default;
RandomBits& RandomBits::operator=(RandomBits&&) noexcept = default;

RandomBits::~RandomBits() {
  OPENSSL_cleanse(key_.data(), key_.size());
  if (!buffer_.empty()) OPENSSL_cleanse(buffer_.data(), buffer_.size());
}

RandomBits RandomBits::secure() {
  RandomBits bits(false);
  bits.reseed();
  return bits;
}

RandomBits RandomBits::insecure(std::uint64_t seed) {
  return insecure(seed, 0);
}

RandomBits RandomBits::insecure(std::uint64_t seed, std::uint64_t stream) {
  RandomBits bits(true);
  unsigned int written = 0;
  // The digest of both is the key; the counter starts at zero.
  const std::array<std::uint64_t, 2> start{seed, stream};
  if (EVP_Digest(start.data(), sizeof start, raw(bits.key_.data()), &written, EVP_sha256(), nullptr) != 1 ||
      written != 32) {
    throw Error("random bits: SHA-256 failed");
  }
  return bits;
}

void RandomBits::reseed() {
  std::size_t done = 0;
  while (done < key_.size()) {
    const ssize_t got = getrandom(key_.data() + done, key_.size() - done, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw Error(std::string("random bits: the operating system gave no randomness: ") + std::strerror(errno));
    }
    done += static_cast<std::size_t>(got);
  }
  position_ = kBlock;
}

void RandomBits::refill() {
  std::fill(buffer_.begin(), buffer_.end(), std::byte{0});
  std::array<std::byte, kKeyAndCounter> next{};
  int written = 0;
  const bool ok =
      EVP_EncryptInit_ex(cipher_->context, EVP_aes_256_ctr(), nullptr, raw(key_.data()), raw(key_.data() + 32)) == 1 &&
      EVP_EncryptUpdate(cipher_->context, raw(next.data()), &written, raw(next.data()),
                        static_cast<int>(next.size())) == 1 &&
      EVP_EncryptUpdate(cipher_->context, raw(buffer_.data()), &written, raw(buffer_.data()),
                        static_cast<int>(kBlock)) == 1;
  EVP_CIPHER_CTX_reset(cipher_->context);  // the context holds the key schedule of the bits just made
  if (!ok) throw Error("random bits: AES-256-CTR failed");
  key_ = next;
  OPENSSL_cleanse(next.data(), next.size());
  position_ = 0;
}

void RandomBits::fill(std::span<std::byte> out) {
  if (fork_generation_ != forks_seen.load(std::memory_order_relaxed) && !deterministic_) {
    fork_generation_ = forks_seen.load(std::memory_order_relaxed);
    reseed();
  }
  while (!out.empty()) {
    if (position_ == kBlock) refill();
    const std::size_t count = std::min(out.size(), kBlock - position_);
    std::memcpy(out.data(), buffer_.data() + position_, count);
    std::memset(buffer_.data() + position_, 0, count);
    position_ += count;
    out = out.subspan(count);
  }
}

std::uint64_t RandomBits::next64() {
  std::uint64_t word = 0;
  fill(std::as_writable_bytes(std::span(&word, 1)));
  return word;
}

}  // namespace rivulet::kernel
