#include "decode/decoder.h"

#include "decode/blt_decoder.h"
#include "decode/tree_decoder.h"
#include "rivulet/error.h"

namespace rivulet::decode {

void Decoder::absorb(const NoisyStep& step) {
  if (step.step != step_ + 1) {
    throw Error("decoder: step " + std::to_string(step.step) + " came after step " + std::to_string(step_));
  }
  for (const NoisyVector& vector : step.vectors) {
    if (vector.values.size() != coordinates()) throw Error("decoder: a released vector has the wrong length");
  }
  decode(step);
  step_ = step.step;
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
