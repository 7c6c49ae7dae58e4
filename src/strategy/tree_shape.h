// The binary trees of TreeMech and of the hybrid scheme: which nodes close at a step, and how well prefixes can be
// decoded.
//
// Steps are numbered from 1. The node of level j that ends at step t (2^j divides t) sums the steps t - 2^j + 1 .. t.
#pragma once

#include <bit>
#include <cstdint>

#include "rivulet/budget.h"

namespace rivulet::strategy {

// Levels of the tree over `steps` leaves: floor(log2 steps) + 1. A step's value enters at most that many nodes.
inline unsigned tree_levels(std::uint64_t steps) {
  return static_cast<unsigned>(std::bit_width(steps));
}

// The highest level that closes at step t, the paper's i <- min{j : Bin_j(t) != 0}; levels 0..i all close there.
inline unsigned highest_closing_level(std::uint64_t step) {
  return static_cast<unsigned>(std::countr_zero(step));
}

// Variance of the best estimate of one complete node of `level`, for unit noise on every node of its subtree:
// v_0 = 1, 1/v_j = 1 + 1/(2 v_{j-1}) (Honaker 2015). With TreeDecoding::paper it is 1.
double node_variance(unsigned level, TreeDecoding decoding);

// Variance of the decoded prefix at step t of one tree: the sum of the node variances over t's binary digits.
double tree_prefix_variance(std::uint64_t step, TreeDecoding decoding);
// The largest of those over 1..steps.
double tree_max_prefix_variance(std::uint64_t steps, TreeDecoding decoding);

// Hybrid scheme (Chan, Shi & Song 2011): epoch 0 is step 1; epoch e >= 1 is the steps 2^(e-1)+1 .. 2^e, with a tree of
// its own over its 2^(e-1) leaves and e levels. Noise in epoch e has standard deviation sqrt(levels) so that every
// step, whatever its epoch, is protected alike: the strategy's column norm is 1.
struct HybridPosition {
  unsigned epoch = 0;
  std::uint64_t step_in_epoch = 0;  // from 1
  unsigned levels = 0;              // of the epoch's tree
  bool closes_epoch = false;
};
HybridPosition hybrid_position(std::uint64_t step);

double hybrid_prefix_variance(std::uint64_t step, TreeDecoding decoding);
double hybrid_max_prefix_variance(std::uint64_t steps, TreeDecoding decoding);

}  // namespace rivulet::strategy
