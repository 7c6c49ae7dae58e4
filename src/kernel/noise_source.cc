#include "kernel/noise_source.h"

#include <openssl/crypto.h>

#include "kernel/erasure.h"
#include "rivulet/error.h"

namespace rivulet::kernel {

std::unique_ptr<DiscreteGaussianNoise> DiscreteGaussianNoise::seeded_or_secure(
    const std::optional<std::uint64_t>& insecure_seed) {
  return insecure_seed ? insecure(*insecure_seed) : std::make_unique<DiscreteGaussianNoise>(RandomBits::secure());
}

std::unique_ptr<DiscreteGaussianNoise> DiscreteGaussianNoise::insecure(std::uint64_t seed) {
  auto noise = std::make_unique<DiscreteGaussianNoise>(RandomBits::insecure(seed));
  noise->insecure_seed_ = seed;
  return noise;
}

std::unique_ptr<DiscreteGaussianNoise> DiscreteGaussianNoise::of_calls(
    const std::optional<std::uint64_t>& insecure_seed) {
  auto noise = seeded_or_secure(insecure_seed);
  if (insecure_seed) return noise;
  noise->secret_.resize(kSecretBytes);
  noise->renew_secret();
  return noise;
}

void DiscreteGaussianNoise::renew_secret() {
  if (secret_.empty()) return;
  bits_ = RandomBits::secure();
  bits_.fill(std::as_writable_bytes(std::span(secret_)));
}

DiscreteGaussianNoise::~DiscreteGaussianNoise() {
  OPENSSL_cleanse(secret_.data(), secret_.size());
}

void DiscreteGaussianNoise::begin_call(std::string_view question) {
  bits_ = RandomBits::derived(secret_, question);
}

void DiscreteGaussianNoise::take_up_secret(std::string_view secret) {
  if (secret.size() != secret_.size()) throw Error("kernel: what decides its noise is not what it should be");
  secret_.assign(secret);
}

void DiscreteGaussianNoise::begin_step(std::uint64_t step) {
  if (insecure_seed_) bits_ = RandomBits::insecure(*insecure_seed_, step);
}

const DiscreteGaussian& DiscreteGaussianNoise::sampler(double sigma) {
  constexpr std::size_t kMostSamplers = 8;  // the hybrid scheme moves on to new sigmas; old tables are not kept
  auto found = samplers_.find(sigma);
  if (found == samplers_.end()) {
    if (samplers_.size() == kMostSamplers) samplers_.clear();
    found = samplers_.emplace(sigma, DiscreteGaussian(sigma)).first;
  }
  return found->second;
}

void DiscreteGaussianNoise::add(std::span<Int128> values, double sigma) {
  draws_.resize(values.size());
  // The draws would undo the noise: they do not outlive it.
  const ErasedAtEnd erased{std::span(draws_)};
  sampler(sigma).sample(bits_, draws_);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += draws_[i];
}

}  // namespace rivulet::kernel
