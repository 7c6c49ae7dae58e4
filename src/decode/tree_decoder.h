// Decoders of binary trees.
//
// TreeDecoding::paper adds the noisy nodes of t's binary expansion, as TreeMech is written. TreeDecoding::optimal first
// replaces every complete node by its minimum-variance estimate from its whole subtree (Honaker 2015): with children
// estimates l, r of variance v_{j-1} each and the node's own noisy value b,
//   estimate = b + (1 - v_j) ((l + r) - b),   v_j = 1 / (1 + 1/(2 v_{j-1})).
#pragma once

#include "decode/decoder.h"

namespace rivulet::decode {

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

class TreeDecoder final : public Decoder {
 public:
  TreeDecoder(std::size_t coordinates, TreeDecoding decoding)
      : Decoder(coordinates), decoding_(decoding), nodes_(decoding) {}
  [[nodiscard]] double norm() const override;

 protected:
  void decode(const NoisyStep& step) override;
  void save_more(ByteWriter& out) const override { nodes_.save(step(), out); }
  void restore_more(std::uint64_t step, ByteReader& in) override { nodes_.restore(step, coordinates(), in); }

 private:
  TreeDecoding decoding_;
  NodeEstimates nodes_;
};

class HybridDecoder final : public Decoder {
 public:
  HybridDecoder(std::size_t coordinates, TreeDecoding decoding)
      : Decoder(coordinates), decoding_(decoding), nodes_(decoding), epochs_whole_(coordinates, 0) {}
  [[nodiscard]] double norm() const override;

 protected:
  void decode(const NoisyStep& step) override;
  void save_more(ByteWriter& out) const override;
  void restore_more(std::uint64_t step, ByteReader& in) override;

 private:
  TreeDecoding decoding_;
  NodeEstimates nodes_;
  // Sum of the finished epochs' estimates.
  std::vector<Int128> epochs_whole_;
  std::vector<double> epochs_correction_;
};

}  // namespace rivulet::decode
