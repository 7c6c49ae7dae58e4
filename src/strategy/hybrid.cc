#include <algorithm>
#include <cmath>

#include "strategy/tree.h"

namespace rivulet::strategy {
namespace {

// What the epochs before `epoch` contribute: each is one complete tree, read at its root.
double complete_epochs_variance(unsigned epoch, TreeDecoding decoding) {
  double sum = 0.0;
  for (unsigned e = 0; e < epoch; ++e) {
    const unsigned levels = std::max(e, 1U);
    sum += levels * node_variance(levels - 1, decoding);
  }
  return sum;
}

// Leaves of the tree that is under way after so many steps.
std::uint64_t leaves_after(std::uint64_t steps) {
  return steps == 0 ? 0 : hybrid_position(steps).step_in_epoch;
}

class HybridDecoder final : public Decoder {
 public:
  HybridDecoder(std::size_t coordinates, TreeDecoding decoding)
      : Decoder(coordinates), decoding_(decoding), nodes_(decoding), epochs_whole_(coordinates, 0) {}
  [[nodiscard]] double norm() const override { return std::sqrt(hybrid_prefix_variance(step(), decoding_)); }

 protected:
  void decode(const NoisyStep& step) override {
    const HybridPosition position = hybrid_position(step.step);
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
  void save_more(ByteWriter& out) const override {
    nodes_.save(leaves_after(step()), out);
    out.all(epochs_whole_);
    out.all(epochs_correction_);
  }
  void restore_more(std::uint64_t step, ByteReader& in) override {
    nodes_.restore(leaves_after(step), coordinates(), in);
    in.all(epochs_whole_, epochs_whole_.size(), kEstimateBits);
    restore_correction(in, coordinates(), epochs_correction_);
  }

 private:
  TreeDecoding decoding_;
  NodeEstimates nodes_;
  // Sum of the finished epochs' estimates.
  std::vector<Int128> epochs_whole_;
  std::vector<double> epochs_correction_;
};

class HybridStrategy final : public Strategy {
 public:
  explicit HybridStrategy(const Options& options) : Strategy(options, 1.0) {}

  // As for one tree.
  [[nodiscard]] double published_vectors() const override { return static_cast<double>(last_step()) * 2.0; }
  // The noise of late epochs is widened by the square root of their tree's levels.
  [[nodiscard]] double largest_widening() const override {
    return std::sqrt(static_cast<double>(hybrid_position(last_step()).levels));
  }
  // Epochs of 1, 1, 2, 4, 8, ... steps: counted here once more, not taken from hybrid_position(), which the encoder
  // uses.
  [[nodiscard]] std::vector<PublishedVector> published_at(std::uint64_t step) const override {
    std::uint64_t before = 0;
    std::uint64_t leaves = 1;
    unsigned levels = 1;
    while (step > before + leaves) {
      before += leaves;
      if (before > 1) {
        leaves *= 2;
        ++levels;
      }
    }
    std::vector<PublishedVector> vectors;
    add_published_nodes(before, step - before, std::sqrt(static_cast<double>(levels)), vectors);
    return vectors;
  }
  [[nodiscard]] std::unique_ptr<Decoder> make_decoder(std::size_t coordinates) const override {
    return std::make_unique<HybridDecoder>(coordinates, tree_decoding());
  }
  [[nodiscard]] double decoder_norm(std::uint64_t step) const override {
    return std::sqrt(hybrid_prefix_variance(step, tree_decoding()));
  }
  [[nodiscard]] double max_decoder_norm() const override {
    return std::sqrt(hybrid_max_prefix_variance(design_steps(), tree_decoding()));
  }
  [[nodiscard]] double kept_numbers(std::uint64_t last_step) const override { return open_nodes(last_step); }
};

}  // namespace

HybridPosition hybrid_position(std::uint64_t step) {
  if (step == 1) return {0, 1, 1, true};
  const auto epoch = static_cast<unsigned>(std::bit_width(step - 1));
  const std::uint64_t leaves = std::uint64_t{1} << (epoch - 1);
  const std::uint64_t inside = step - leaves;
  return {epoch, inside, epoch, inside == leaves};
}

double hybrid_prefix_variance(std::uint64_t step, TreeDecoding decoding) {
  const HybridPosition position = hybrid_position(step);
  return complete_epochs_variance(position.epoch, decoding) +
         position.levels * tree_prefix_variance(position.step_in_epoch, decoding);
}

double hybrid_max_prefix_variance(std::uint64_t steps, TreeDecoding decoding) {
  double largest = 0.0;
  for (std::uint64_t last = 1; last != 0; last = last >= steps ? 0 : std::min(2 * last, steps)) {
    const HybridPosition position = hybrid_position(last);
    largest = std::max(largest, complete_epochs_variance(position.epoch, decoding) +
                                    position.levels * tree_max_prefix_variance(position.step_in_epoch, decoding));
  }
  return largest;
}

std::shared_ptr<const Strategy> make_hybrid_strategy(const Strategy::Options& options) {
  return std::make_shared<HybridStrategy>(options);
}

}  // namespace rivulet::strategy
