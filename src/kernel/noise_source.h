// Where noise comes from. The product has one source; tests have a zero-noise double in a header of their own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
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
  // Adds one fresh independent draw of standard deviation `sigma` (lattice units) to every value.
  virtual void add(std::span<Int128> values, double sigma) = 0;
};

// Exact discrete Gaussian noise.
class DiscreteGaussianNoise final : public NoiseSource {
 public:
  explicit DiscreteGaussianNoise(RandomBits bits) : bits_(std::move(bits)) {}
  // Secure unless there is a seed.
  static std::unique_ptr<DiscreteGaussianNoise> seeded_or_secure(const std::optional<std::uint64_t>& insecure_seed);
  // Deterministic: step t's draws depend on the seed and t alone, so that a stream that was interrupted and taken up
  // again publishes what an uninterrupted one would. For tests and experiments; gives no privacy whatever.
  static std::unique_ptr<DiscreteGaussianNoise> insecure(std::uint64_t seed);

  void begin_step(std::uint64_t step) override;
  void add(std::span<Int128> values, double sigma) override;

 private:
  const DiscreteGaussian& sampler(double sigma);

  RandomBits bits_;
  std::optional<std::uint64_t> insecure_seed_;
  std::map<double, DiscreteGaussian> samplers_;  // one per distinct sigma in use
  std::vector<std::int64_t> draws_;
};

}  // namespace rivulet::kernel
