#include "decode/decoder.h"

#include <cmath>

#include "decode/blt_decoder.h"
#include "decode/tree_decoder.h"
#include "rivulet/error.h"

namespace rivulet::decode {

void Decoder::absorb(const NoisyStep& step) {
  if (unusable_) throw Error("decoder: it met a damaged state and cannot go on");
  if (step.step != step_ + 1) {
    throw Error("decoder: step " + std::to_string(step.step) + " came after step " + std::to_string(step_));
  }
  for (const NoisyVector& vector : step.vectors) {
    if (vector.values.size() != coordinates()) throw Error("decoder: a released vector has the wrong length");
  }
  decode(step);
  step_ = step.step;
}

void Decoder::save(ByteWriter& out) const {
  out.u64(step_);
  out.all(whole_);
  out.all(correction_);
  save_more(out);
}

void Decoder::restore(ByteReader& in) {
  if (step_ != 0 || unusable_) throw Error("decoder: only a new decoder can take up an earlier one's state");
  unusable_ = true;  // until all of it is there
  const std::uint64_t step = in.u64();
  in.all(whole_, whole_.size(), kEstimateBits);
  restore_correction(in, coordinates(), correction_);
  restore_more(step, in);
  step_ = step;
  unusable_ = false;
}

void restore_correction(ByteReader& in, std::size_t coordinates, std::vector<double>& correction) {
  ByteReader ahead = in;
  const bool none = ahead.u64() == 0;
  in.all(correction, none ? 0 : coordinates);
  for (const double value : correction) {
    if (!std::isfinite(value)) in.damaged("a correction is not a number");
  }
}

std::unique_ptr<Decoder> make_decoder(const strategy::Strategy& strategy, std::size_t coordinates) {
  switch (strategy.kind()) {
    case StrategyKind::blt:
      return std::make_unique<BltDecoder>(strategy.blt(), coordinates);
    case StrategyKind::tree:
      return std::make_unique<TreeDecoder>(coordinates, strategy.tree_decoding());
    case StrategyKind::hybrid:
      return std::make_unique<HybridDecoder>(coordinates, strategy.tree_decoding());
  }
  return nullptr;
}

}  // namespace rivulet::decode
