// Decoders: from noisy vectors back to estimates of the prefix sums. Post-processing; several may listen to one stream.
// Strategy::make_decoder() makes them.
//
// An estimate is kept as an exact integer plus a floating-point correction that depends on noise alone, so with zero
// noise every decoder returns the exact prefix sum, whatever its size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/int128.h"
#include "wall/noisy_step.h"

namespace rivulet::strategy {

class Decoder {
 public:
  virtual ~Decoder() = default;

  // What is needed to go on later; made of noisy numbers alone, so as public as they are. restore() is for a decoder
  // that has absorbed nothing; throws DamagedFile when the state is not one of this kind of decoder, which is then of
  // no further use: it absorbs nothing.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

  // Steps must come in order from 1; throws Error otherwise, leaving the state as it was.
  void absorb(const NoisyStep& step);

  [[nodiscard]] std::uint64_t step() const { return step_; }
  // The estimate of coordinate i's prefix sum, in noise-lattice units.
  [[nodiscard]] double prefix(std::size_t i) const {
    return static_cast<double>(whole_[i]) + (correction_.empty() ? 0.0 : correction_[i]);
  }
  [[nodiscard]] std::size_t coordinates() const { return whole_.size(); }
  // The exact integer part (the whole estimate when there is no noise).
  [[nodiscard]] std::span<const Int128> whole() const { return whole_; }
  // Standard deviation of every coordinate's estimate in units of that coordinate's sigma.
  [[nodiscard]] virtual double norm() const = 0;

 protected:
  explicit Decoder(std::size_t coordinates) : whole_(coordinates, 0) {}
  virtual void decode(const NoisyStep& step) = 0;
  // Beyond step and estimate.
  virtual void save_more(ByteWriter& out) const = 0;
  virtual void restore_more(std::uint64_t step, ByteReader& in) = 0;

  std::vector<Int128> whole_;
  std::vector<double> correction_;  // empty: none

 private:
  std::uint64_t step_ = 0;
  bool unusable_ = false;  // a restore() failed half-way
};

// Estimates of sums stay far below this many bits (mechanism_plan.cc counts 100, noise fewer), and a sum of 64 of them
// fits its integer.
inline constexpr unsigned kEstimateBits = 120;

// A floating-point correction: one finite number per coordinate, or none at all.
void restore_correction(ByteReader& in, std::size_t coordinates, std::vector<double>& correction);

}  // namespace rivulet::strategy
