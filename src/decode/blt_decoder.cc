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

double BltDecoder::norm() const {
  return std::sqrt(variance_);
}

}  // namespace rivulet::decode
