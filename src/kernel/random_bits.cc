#include "kernel/random_bits.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "kernel/erasure.h"
#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

constexpr std::size_t kKeyAndCounter = 48;
constexpr std::size_t kBlock = 32768;

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

struct RandomBits::State {
  bool seeded = false;  // false again where the kernel wiped the state
  std::array<std::byte, kKeyAndCounter> key{};
  std::size_t position = kBlock;
  std::array<std::byte, kBlock> buffer{};
};

std::unique_ptr<RandomBits::State, RandomBits::Release> RandomBits::make_state(bool deterministic) {
  // A copy of the process goes on with seeded bits as the process does, and there may be a generator a step.
  if (deterministic) return {new State, Release{.on_pages = false}};
  // Populated: all of it is written to at the first draw.
  void* pages = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_WIPEONFORK
  // A kernel that cannot do it refuses, and the process mark alone tells a copy.
  static_cast<void>(madvise(pages, sizeof(State), MADV_WIPEONFORK));
#endif
  return {new (pages) State, Release{.on_pages = true}};
}

void RandomBits::Release::operator()(State* state) const {
  OPENSSL_cleanse(state, sizeof(State));
  if (on_pages) {
    munmap(state, sizeof(State));
  } else {
    delete state;
  }
}

RandomBits::RandomBits(bool deterministic)
    : deterministic_(deterministic), state_(make_state(deterministic)), cipher_(std::make_unique<Cipher>()) {
  if (cipher_->context == nullptr) throw Error("random bits: OpenSSL could not allocate a cipher");
}

RandomBits::RandomBits(RandomBits&&) noexcept = default;
RandomBits& RandomBits::operator=(RandomBits&&) noexcept = default;
RandomBits::~RandomBits() = default;

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
  if (EVP_Digest(start.data(), sizeof start, raw(bits.state_->key.data()), &written, EVP_sha256(), nullptr) != 1 ||
      written != 32) {
    throw Error("random bits: SHA-256 failed");
  }
  return bits;
}

RandomBits RandomBits::derived(std::string_view secret, std::string_view question) {
  RandomBits bits(true);
  unsigned int written = 0;
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(question.data()), question.size(), raw(bits.state_->key.data()),
           &written) == nullptr ||
      written != 32) {
    throw Error("random bits: HMAC-SHA-256 failed");
  }
  return bits;
}

void RandomBits::reseed() {
  State& state = *state_;
  state.seeded = false;
  std::size_t done = 0;
  while (done < state.key.size()) {
    const ssize_t got = getrandom(state.key.data() + done, state.key.size() - done, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw Error(std::string("random bits: the operating system gave no randomness: ") + std::strerror(errno));
    }
    done += static_cast<std::size_t>(got);
  }
  // What is left of bits that another process may hand out.
  if (state.position < kBlock) OPENSSL_cleanse(state.buffer.data(), kBlock);
  state.position = kBlock;
  state.seeded = true;
  process_ = ProcessMark();
}

void RandomBits::refill() {
  State& state = *state_;
  state.buffer.fill(std::byte{0});
  std::array<std::byte, kKeyAndCounter> next{};
  const ErasedAtEnd erased{std::span(next)};
  int written = 0;
  const bool ok = EVP_EncryptInit_ex(cipher_->context, EVP_aes_256_ctr(), nullptr, raw(state.key.data()),
                                     raw(state.key.data() + 32)) == 1 &&
                  EVP_EncryptUpdate(cipher_->context, raw(next.data()), &written, raw(next.data()),
                                    static_cast<int>(next.size())) == 1 &&
                  EVP_EncryptUpdate(cipher_->context, raw(state.buffer.data()), &written, raw(state.buffer.data()),
                                    static_cast<int>(kBlock)) == 1;
  EVP_CIPHER_CTX_reset(cipher_->context);  // the context holds the key schedule of the bits just made
  if (!ok) throw Error("random bits: AES-256-CTR failed");
  state.key = next;
  state.position = 0;
}

void RandomBits::fill(std::span<std::byte> out) {
  if (!deterministic_ && !(state_->seeded && process_.is_of_this_process())) reseed();
  State& state = *state_;
  while (!out.empty()) {
    if (state.position == kBlock) refill();
    const std::size_t count = std::min(out.size(), kBlock - state.position);
    std::memcpy(out.data(), state.buffer.data() + state.position, count);
    std::memset(state.buffer.data() + state.position, 0, count);
    state.position += count;
    out = out.subspan(count);
  }
}

std::uint64_t RandomBits::next64() {
  std::uint64_t word = 0;
  const ErasedAtEnd erased{std::span(&word, 1)};
  fill(std::as_writable_bytes(std::span(&word, 1)));
  return word;
}

}  // namespace rivulet::kernel
