#include "decode/blt_decoder.h"

#include <cmath>

namespace rivulet::decode {

BltDecoder::BltDecoder(const strategy::BltParameters& parameters, std::size_t coordinates)
    : Decoder(coordinates), parameters_(parameters), filter_(parameters, coordinates), values_(coordinates) {}

void BltDecoder::decode(const NoisyStep& step) {
  values_ = step.vectors.at(0).values;
  filter_.decode(values_);
  for (std::size_t i = 0; i < values_.size(); ++i) whole_[i] += values_[i];

  constexpr std::uint64_t kAfresh = 4096;
  if (step.step % kAfresh == 0) {
    variance_ = parameters_.prefix_variance(step.step);
  } else {
    const double entry = parameters_.decoder_entry(step.step - 1);
    variance_ += entry * entry;
  }
}

void BltDecoder::save_more(ByteWriter& out) const {
  filter_.save(out);
  out.f64(variance_);
}

void BltDecoder::restore_more(std::uint64_t step, ByteReader& in) {
  filter_.restore(in);
  variance_ = in.f64();
  const double expected = step == 0 ? 0.0 : parameters_.prefix_variance(step);
  if (!(std::abs(variance_ - expected) <= 1e-6 * expected)) in.damaged("its noise level does not fit its step");
}

double BltDecoder::norm() const {
  return std::sqrt(variance_);
}

}  // namespace rivulet::decode
