#include "decode/tree_decoder.h"

#include <algorithm>
#include <cmath>

#include "rivulet/error.h"
#include "strategy/tree_shape.h"

namespace rivulet::decode {

void NodeEstimates::absorb(std::uint64_t leaf, const std::vector<NoisyVector>& vectors) {
  const unsigned highest = strategy::highest_closing_level(leaf);
  if (vectors.size() != highest + 1) throw Error("decoder: a tree step has the wrong number of nodes");
  if (pending_.size() <= highest) pending_.resize(highest + 1);

  Estimate right{vectors[0].values, {}};
  for (unsigned level = 1; level <= highest; ++level) {
    Estimate& left = pending_[level - 1];
    Estimate node{vectors[level].values, {}};
    if (decoding_ == TreeDecoding::optimal) {
      const double share = 1.0 - strategy::node_variance(level, decoding_);
      node.correction.resize(node.whole.size());
      for (std::size_t i = 0; i < node.whole.size(); ++i) {
        double surplus = static_cast<double>(left.whole[i] + right.whole[i] - node.whole[i]);
        if (!left.correction.empty()) surplus += left.correction[i];
        if (!right.correction.empty()) surplus += right.correction[i];
        node.correction[i] = share * surplus;
      }
    }
    left = {};
    right = std::move(node);
  }
  pending_[highest] = std::move(right);
}

void NodeEstimates::add_to(std::vector<Int128>& whole, std::vector<double>& correction) const {
  for (const Estimate& node : pending_) {
    for (std::size_t i = 0; i < node.whole.size(); ++i) whole[i] += node.whole[i];
    if (node.correction.empty()) continue;
    if (correction.empty()) correction.assign(whole.size(), 0.0);
    for (std::size_t i = 0; i < node.correction.size(); ++i) correction[i] += node.correction[i];
  }
}

void NodeEstimates::save(std::uint64_t leaves, ByteWriter& out) const {
  for (std::size_t level = 0; level < pending_.size(); ++level) {
    if ((leaves >> level & 1) == 0) continue;
    out.all(pending_[level].whole);
    out.all(pending_[level].correction);
  }
}

void NodeEstimates::restore(std::uint64_t leaves, std::size_t coordinates, ByteReader& in) {
  pending_.assign(strategy::tree_levels(leaves), {});
  for (std::size_t level = 0; level < pending_.size(); ++level) {
    if ((leaves >> level & 1) == 0) continue;
    in.all(pending_[level].whole, coordinates, kEstimateBits);
    restore_correction(in, coordinates, pending_[level].correction);
  }
}

void TreeDecoder::decode(const NoisyStep& step) {
  nodes_.absorb(step.step, step.vectors);
  std::fill(whole_.begin(), whole_.end(), 0);
  std::fill(correction_.begin(), correction_.end(), 0.0);
  nodes_.add_to(whole_, correction_);
}

double TreeDecoder::norm() const {
  return std::sqrt(strategy::tree_prefix_variance(step(), decoding_));
}

void HybridDecoder::decode(const NoisyStep& step) {
  const strategy::HybridPosition position = strategy::hybrid_position(step.step);
  if (position.step_in_epoch == 1) nodes_.clear();
  nodes_.absorb(position.step_in_epoch, step.vectors);
  whole_ = epochs_whole_;
  correction_ = epochs_correction_;
  nodes_.add_to(whole_, correction_);
  if (position.closes_epoch) {
    epochs_whole_ = whole_;
    epochs_correction_ = correction_;
  }
}

void HybridDecoder::save_more(ByteWriter& out) const {
  nodes_.save(step() == 0 ? 0 : strategy::hybrid_position(step()).step_in_epoch, out);
  out.all(epochs_whole_);
  out.all(epochs_correction_);
}

void HybridDecoder::restore_more(std::uint64_t step, ByteReader& in) {
  nodes_.restore(step == 0 ? 0 : strategy::hybrid_position(step).step_in_epoch, coordinates(), in);
  in.all(epochs_whole_, epochs_whole_.size(), kEstimateBits);
  restore_correction(in, coordinates(), epochs_correction_);
}

double HybridDecoder::norm() const {
  return std::sqrt(strategy::hybrid_prefix_variance(step(), decoding_));
}

}  // namespace rivulet::decode
