// The inverse of the BLT filter, and running sums of what it returns.
#pragma once

#include "decode/decoder.h"
#include "strategy/blt_filter.h"

namespace rivulet::decode {

class BltDecoder final : public Decoder {
 public:
  BltDecoder(const strategy::BltParameters& parameters, std::size_t coordinates);
  [[nodiscard]] double norm() const override;

 protected:
  void decode(const NoisyStep& step) override;
  void save_more(ByteWriter& out) const override;
  void restore_more(std::uint64_t step, ByteReader& in) override;

 private:
  strategy::BltParameters parameters_;
  strategy::BltFilter filter_;
  std::vector<Int128> values_;
  // Variance so far: advanced by one term b_i^2 a step, taken afresh from the closed form now and then.
  double variance_ = 0.0;
};

}  // namespace rivulet::decode
