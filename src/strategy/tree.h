// TreeMech's binary tree: which nodes close at a step, how well prefixes can be decoded, and the decoding.
//
// Steps are numbered from 1. The node of level j that ends at step t (2^j divides t) sums the steps t - 2^j + 1 .. t.
//
// TreeDecoding::paper adds the noisy nodes of t's binary expansion, as TreeMech is written. TreeDecoding::optimal first
// replaces every complete node by its minimum-variance estimate from its whole subtree (Honaker 2015): with children
// estimates l, r of variance v_{j-1} each and the node's own noisy value b,
//   estimate = b + (1 - v_j) ((l + r) - b),   v_j = 1 / (1 + 1/(2 v_{j-1})).
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "strategy/strategy.h"

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
// v_0 = 1, 1/v_j = 1 + 1/(2 v_{j-1}). With TreeDecoding::paper it is 1.
double node_variance(unsigned level, TreeDecoding decoding);

// Variance of the decoded prefix at step t of one tree: the sum of the node variances over t's binary digits.
double tree_prefix_variance(std::uint64_t step, TreeDecoding decoding);
// The largest of those over 1..steps.
double tree_max_prefix_variance(std::uint64_t steps, TreeDecoding decoding);

// Appends the nodes that end at leaf number `leaf` of a tree whose first leaf is step `before` + 1, lowest first.
void add_published_nodes(std::uint64_t before, std::uint64_t leaf, double widening,
                         std::vector<PublishedVector>& vectors);
// About how many nodes are open up to a step, in any tree.
double open_nodes(std::uint64_t last_step);

// Estimates of the complete nodes of one tree that are not yet part of a larger complete node.
class NodeEstimates {
 public:
  struct Estimate {
    std::vector<Int128> whole;       // the node's own noisy value
    std::vector<double> correction;  // what its subtree adds; empty when nothing
  };

  explicit NodeEstimates(TreeDecoding decoding) : decoding_(decoding) {}

  // The vectors that close at `leaf` (from 1), lowest level first.
  void absorb(std::uint64_t leaf, const std::vector<NoisyVector>& vectors);
  // Sum of the current estimates: the prefix at the last leaf.
  void add_to(std::vector<Int128>& whole, std::vector<double>& correction) const;
  void clear() { pending_.clear(); }

  // After `leaves` leaves: the levels of its binary digits hold estimates.
  void save(std::uint64_t leaves, ByteWriter& out) const;
  void restore(std::uint64_t leaves, std::size_t coordinates, ByteReader& in);

 private:
  TreeDecoding decoding_;
  std::vector<Estimate> pending_;  // by level; empty `whole` where the level's digit of the leaf count is 0
};

// One tree over all steps. Throws RequestError without a known horizon.
std::shared_ptr<const Strategy> make_tree_strategy(const Strategy::Options& options);

// The hybrid scheme (Chan, Shi & Song 2011): a tree after another, each as long as all before it together, so that no
// horizon need be known.
//
// Epoch 0 is step 1; epoch e >= 1 is the steps 2^(e-1)+1 .. 2^e, with a tree of its own over its 2^(e-1) leaves and e
// levels. Noise in epoch e has standard deviation sqrt(levels) so that every step, whatever its epoch, is protected
// alike: the strategy's column norm is 1.

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
