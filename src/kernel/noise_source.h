// Where noise comes from. The product has one source; tests have a zero-noise double in a header of their own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/int128.h"
#include "kernel/discrete_gaussian.h"
#include "kernel/random_bits.h"

namespace rivulet::kernel {

class NoiseSource {
 public:
  virtual ~NoiseSource() = default;
  // Called once before the draws of a step.
  virtual void begin_step(std::uint64_t /*step*/) {}
  // What decides the draws of a call of PrivIncERM together with its question, which is all that its sums depend on
  // besides the draws. Empty where there is no such thing: then begin_step() is called instead of begin_call(), once
  // before the draws of the call. Sensitive. take_up_secret() throws Error unless it has the length of one.
  [[nodiscard]] virtual std::string_view call_secret() const { return {}; }
  virtual void take_up_secret(std::string_view /*secret*/) {}
  virtual void renew_secret() {}
  virtual void begin_call(std::string_view /*question*/) {}
  // Adds one fresh independent draw of standard deviation `sigma` (lattice units) to every value.
  virtual void add(std::span<Int128> values, double sigma) = 0;
};

// Exact discrete Gaussian noise.
class DiscreteGaussianNoise final : public NoiseSource {
 public:
  static constexpr std::size_t kSecretBytes = 32;

  explicit DiscreteGaussianNoise(RandomBits bits) : bits_(std::move(bits)) {}
  ~DiscreteGaussianNoise() override;
  DiscreteGaussianNoise(const DiscreteGaussianNoise&) = delete;
  DiscreteGaussianNoise& operator=(const DiscreteGaussianNoise&) = delete;
  // Secure unless there is a seed.
  static std::unique_ptr<DiscreteGaussianNoise> seeded_or_secure(const std::optional<std::uint64_t>& insecure_seed);
  // Deterministic: step t's draws depend on the seed and t alone, so that a stream that was interrupted and taken up
  // again publishes what an uninterrupted one would. For tests and experiments; gives no privacy whatever.
  static std::unique_ptr<DiscreteGaussianNoise> insecure(std::uint64_t seed);
  // As seeded_or_secure(), but secure draws of a call are decided by a secret and the call's question: a call that is
  // begun again, e.g. after a crash, draws what it drew the first time.
  static std::unique_ptr<DiscreteGaussianNoise> of_calls(const std::optional<std::uint64_t>& insecure_seed);

  void begin_step(std::uint64_t step) override;
  [[nodiscard]] std::string_view call_secret() const override { return secret_; }
  void take_up_secret(std::string_view secret) override;
  void renew_secret() override;
  void begin_call(std::string_view question) override;
  void add(std::span<Int128> values, double sigma) override;

 private:
  const DiscreteGaussian& sampler(double sigma);

  RandomBits bits_;
  std::optional<std::uint64_t> insecure_seed_;
  std::string secret_;                           // of calls; none with a seed
  std::map<double, DiscreteGaussian> samplers_;  // one per distinct sigma in use
  std::vector<std::int64_t> draws_;
};

}  // namespace rivulet::kernel
