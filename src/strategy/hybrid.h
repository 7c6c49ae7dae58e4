// The hybrid scheme (Chan, Shi & Song 2011): a tree after another, each as long as all before it together, so that no
// horizon need be known.
//
// Epoch 0 is step 1; epoch e >= 1 is the steps 2^(e-1)+1 .. 2^e, with a tree of its own over its 2^(e-1) leaves and e
// levels. Noise in epoch e has standard deviation sqrt(levels) so that every step, whatever its epoch, is protected
// alike: the strategy's column norm is 1.
#pragma once

#include <cstdint>
#include <memory>

#include "strategy/strategy.h"

namespace rivulet::strategy {

struct HybridPosition {
  unsigned epoch = 0;
  std::uint64_t step_in_epoch = 0;  // from 1
  unsigned levels = 0;              // of the epoch's tree
  bool closes_epoch = false;
};
HybridPosition hybrid_position(std::uint64_t step);

// Variance of the decoded prefix at a step for unit noise, and the largest of those over 1..steps.
double hybrid_prefix_variance(std::uint64_t step, TreeDecoding decoding);
double hybrid_max_prefix_variance(std::uint64_t steps, TreeDecoding decoding);

std::shared_ptr<const Strategy> make_hybrid_strategy(const Strategy::Options& options);

}  // namespace rivulet::strategy
