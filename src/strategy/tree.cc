#include "strategy/tree.h"

#include <algorithm>
#include <cmath>

#include "rivulet/error.h"

namespace rivulet::strategy {

double node_variance(unsigned level, TreeDecoding decoding) {
  if (decoding == TreeDecoding::paper) return 1.0;
  double variance = 1.0;
  for (unsigned j = 0; j < level; ++j) variance = 1.0 / (1.0 + 1.0 / (2.0 * variance));
  return variance;
}

double tree_prefix_variance(std::uint64_t step, TreeDecoding decoding) {
  double sum = 0.0;
  for (std::uint64_t rest = step; rest != 0; rest &= rest - 1)
    sum += node_variance(highest_closing_level(rest), decoding);
  return sum;
}

double tree_max_prefix_variance(std::uint64_t steps, TreeDecoding decoding) {
  // A digit more never lowers the variance, so the maximum is at `steps` itself or where one of its digits is cleared
  // and all lower ones are set.
  double largest = tree_prefix_variance(steps, decoding);
  for (std::uint64_t rest = steps; rest != 0; rest &= rest - 1) {
    const std::uint64_t digit = std::uint64_t{1} << highest_closing_level(rest);
    const std::uint64_t candidate = (steps & ~(2 * digit - 1)) | (digit - 1);
    if (candidate != 0) largest = std::max(largest, tree_prefix_variance(candidate, decoding));
  }
  return largest;
}

void add_published_nodes(std::uint64_t before, std::uint64_t leaf, double widening,
                         std::vector<PublishedVector>& vectors) {
  const std::uint64_t step = before + leaf;
  for (std::uint64_t width = 1; leaf % width == 0; width *= 2) {
    PublishedVector node{step, widening, std::vector<double>(step, 0.0)};
    for (std::uint64_t i = step - width + 1; i <= step; ++i) node.coefficients[i - 1] = 1.0;
    vectors.push_back(node);
    if (width == leaf) break;
  }
}

double open_nodes(std::uint64_t last_step) {
  return 2.0 + std::log2(static_cast<double>(std::min(last_step, kStepCap)));
}

void NodeEstimates::absorb(std::uint64_t leaf, const std::vector<NoisyVector>& vectors) {
  const unsigned highest = highest_closing_level(leaf);
  if (vectors.size() != highest + 1) throw Error("decoder: a tree step has the wrong number of nodes");
  if (pending_.size() <= highest) pending_.resize(highest + 1);

  Estimate right{vectors[0].values, {}};
  for (unsigned level = 1; level <= highest; ++level) {
    Estimate& left = pending_[level - 1];
    Estimate node{vectors[level].values, {}};
    if (decoding_ == TreeDecoding::optimal) {
      const double share = 1.0 - node_variance(level, decoding_);
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
  pending_.assign(tree_levels(leaves), {});
  for (std::size_t level = 0; level < pending_.size(); ++level) {
    if ((leaves >> level & 1) == 0) continue;
    in.all(pending_[level].whole, coordinates, kEstimateBits);
    restore_correction(in, coordinates, pending_[level].correction);
  }
}

namespace {

class TreeDecoder final : public Decoder {
 public:
  TreeDecoder(std::size_t coordinates, TreeDecoding decoding)
      : Decoder(coordinates), decoding_(decoding), nodes_(decoding) {}
  [[nodiscard]] double norm() const override { return std::sqrt(tree_prefix_variance(step(), decoding_)); }

 protected:
  void decode(const NoisyStep& step) override {
    nodes_.absorb(step.step, step.vectors);
    std::fill(whole_.begin(), whole_.end(), 0);
    std::fill(correction_.begin(), correction_.end(), 0.0);
    nodes_.add_to(whole_, correction_);
  }
  void save_more(ByteWriter& out) const override { nodes_.save(step(), out); }
  void restore_more(std::uint64_t step, ByteReader& in) override { nodes_.restore(step, coordinates(), in); }

 private:
  TreeDecoding decoding_;
  NodeEstimates nodes_;
};

class TreeStrategy final : public Strategy {
 public:
  // A step's value enters as many nodes as the tree has levels.
  explicit TreeStrategy(const Options& options)
      : Strategy(options, std::sqrt(static_cast<double>(tree_levels(options.horizon.steps()))) * (1.0 + 1e-15)) {}

  // Nodes of a tree over n leaves: fewer than 2n.
  [[nodiscard]] double published_vectors() const override { return static_cast<double>(last_step()) * 2.0; }
  [[nodiscard]] std::vector<PublishedVector> published_at(std::uint64_t step) const override {
    std::vector<PublishedVector> vectors;
    add_published_nodes(0, step, 1.0, vectors);
    return vectors;
  }
  [[nodiscard]] std::unique_ptr<Decoder> make_decoder(std::size_t coordinates) const override {
    return std::make_unique<TreeDecoder>(coordinates, tree_decoding());
  }
  [[nodiscard]] double decoder_norm(std::uint64_t step) const override {
    return std::sqrt(tree_prefix_variance(step, tree_decoding()));
  }
  [[nodiscard]] double max_decoder_norm() const override {
    return std::sqrt(tree_max_prefix_variance(design_steps(), tree_decoding()));
  }
  [[nodiscard]] double kept_numbers(std::uint64_t last_step) const override { return open_nodes(last_step); }
};

}  // namespace

std::shared_ptr<const Strategy> make_tree_strategy(const Strategy::Options& options) {
  if (!options.horizon.is_known()) {
    throw RequestError("strategy",
                       "'tree' needs a known horizon (how many nodes a row enters depends on it); give a number of "
                       "steps as the horizon, or use the strategy 'blt' or 'hybrid', which need none");
  }
  return std::make_shared<TreeStrategy>(options);
}

}  // namespace rivulet::strategy
