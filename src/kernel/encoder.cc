#include "kernel/encoder.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "rivulet/error.h"
#include "strategy/blt.h"
#include "strategy/tree.h"

namespace rivulet::kernel {
namespace {

// Adds noise to a released vector, block by block. `widening` multiplies every sigma.
void add_noise(const privacy::MechanismPlan& plan, double widening, NoiseSource& noise, std::vector<Int128>& values) {
  const privacy::ReleaseLayout& layout = plan.layout();
  const privacy::BlockSigmas& sigmas = plan.sigmas();
  const std::span<Int128> all(values);
  const auto block = [&](std::size_t begin, std::size_t end, double sigma) {
    noise.add(all.subspan(begin, end - begin), sigma * widening);
  };
  block(layout.diagonal_begin(), layout.offdiagonal_begin(), sigmas.gram_diagonal);
  block(layout.offdiagonal_begin(), layout.cross_begin(), sigmas.gram_offdiagonal);
  block(layout.cross_begin(), layout.target_square(), sigmas.cross);
  if (layout.has_target_square) block(layout.target_square(), layout.size(), sigmas.target_square);
}

class BltEncoder final : public Encoder {
 public:
  explicit BltEncoder(const privacy::MechanismPlan& plan)
      : plan_(plan), filter_(parameters(plan), plan.layout().size()) {}

  void encode(std::uint64_t /*step*/, std::span<const Int128> sums, NoiseSource& noise, NoisyStep& out) override {
    out.vectors.resize(1);
    out.vectors[0].level = 0;
    std::vector<Int128>& values = out.vectors[0].values;
    values.resize(sums.size());
    const Int128 unit = Int128{1} << plan_.noise_bits();
    for (std::size_t i = 0; i < sums.size(); ++i) values[i] = sums[i] * unit;
    filter_.encode(values);
    add_noise(plan_, 1.0, noise, values);
  }
  void save(ByteWriter& out) const override { filter_.save(out); }
  void restore(std::uint64_t /*steps*/, ByteReader& in) override { filter_.restore(in); }

 private:
  static const strategy::BltParameters& parameters(const privacy::MechanismPlan& plan) {
    return dynamic_cast<const strategy::BltStrategy&>(plan.strategy()).parameters();
  }

  privacy::MechanismPlan plan_;
  strategy::BltFilter filter_;
};

// The partial sums of one binary tree: the a_j of TreeMech.
class OpenNodes {
 public:
  // Adds a leaf at `step` (from 1) and calls `close(level, sum)` for every node that ends there, lowest first.
  template <typename Close>
  void add_leaf(std::uint64_t step, std::vector<Int128> running, Close close) {
    const unsigned highest = strategy::highest_closing_level(step);
    if (left_.size() <= highest) left_.resize(highest + 1);
    close(0U, running);
    for (unsigned level = 1; level <= highest; ++level) {
      std::vector<Int128>& sibling = left_[level - 1];  // a_i <- sum_{j<i} a_j + v_t
      for (std::size_t i = 0; i < running.size(); ++i) running[i] += sibling[i];
      sibling.clear();  // a_j <- 0
      close(level, running);
    }
    left_[highest] = std::move(running);
  }

  void clear() { left_.clear(); }

  // After `leaves` leaves exactly the levels of the binary digits of `leaves` are open.
  void save(std::uint64_t leaves, ByteWriter& out) const {
    for (std::size_t level = 0; level < left_.size(); ++level) {
      if ((leaves >> level & 1) != 0) out.all(left_[level]);
    }
  }
  void restore(std::uint64_t leaves, std::size_t coordinates, ByteReader& in) {
    left_.assign(strategy::tree_levels(leaves), {});
    for (std::size_t level = 0; level < left_.size(); ++level) {
      if ((leaves >> level & 1) != 0) in.all(left_[level], coordinates, kNodeBits);
    }
  }

 private:
  // The plan keeps sums below 2^100; all levels together still fit.
  static constexpr unsigned kNodeBits = 110;

  std::vector<std::vector<Int128>> left_;
};

// Algorithm TreeMech. All nodes that close at a step are released, not only the highest: a row enters floor(log2 T)+1
// nodes either way, and the extra ones make better decoding possible.
class TreeEncoder : public Encoder {
 public:
  explicit TreeEncoder(const privacy::MechanismPlan& plan) : plan_(plan) {}

  void encode(std::uint64_t step, std::span<const Int128> sums, NoiseSource& noise, NoisyStep& out) override {
    release(step, 1.0, sums, noise, out);
  }
  void save(ByteWriter& out) const override { nodes_.save(leaves_, out); }
  void restore(std::uint64_t steps, ByteReader& in) override { restore_leaves(steps, in); }

 protected:
  void release(std::uint64_t leaf, double widening, std::span<const Int128> sums, NoiseSource& noise, NoisyStep& out) {
    const Int128 unit = Int128{1} << plan_.noise_bits();
    std::vector<Int128> values(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) values[i] = sums[i] * unit;
    out.vectors.clear();
    nodes_.add_leaf(leaf, std::move(values), [&](unsigned level, const std::vector<Int128>& sum) {
      out.vectors.push_back({level, sum});
      add_noise(plan_, widening, noise, out.vectors.back().values);
    });
    leaves_ = leaf;
  }

  void restart() { nodes_.clear(); }
  void restore_leaves(std::uint64_t leaves, ByteReader& in) {
    leaves_ = leaves;
    nodes_.restore(leaves, plan_.layout().size(), in);
  }

 private:
  privacy::MechanismPlan plan_;
  OpenNodes nodes_;
  std::uint64_t leaves_ = 0;  // of the present tree
};

// The hybrid scheme: a fresh tree per epoch, its noise widened by the square root of the tree's levels.
class HybridEncoder final : public TreeEncoder {
 public:
  using TreeEncoder::TreeEncoder;

  void encode(std::uint64_t step, std::span<const Int128> sums, NoiseSource& noise, NoisyStep& out) override {
    const strategy::HybridPosition position = strategy::hybrid_position(step);
    if (position.step_in_epoch == 1) restart();
    const double widening = std::sqrt(static_cast<double>(position.levels)) * (1.0 + 1e-15);
    release(position.step_in_epoch, widening, sums, noise, out);
  }
  void restore(std::uint64_t steps, ByteReader& in) override {
    restore_leaves(steps == 0 ? 0 : strategy::hybrid_position(steps).step_in_epoch, in);
  }
};

template <class SomeEncoder>
std::unique_ptr<Encoder> make(const privacy::MechanismPlan& plan) {
  return std::make_unique<SomeEncoder>(plan);
}

// Which encoder is a strategy's: the kernel's half of the table in strategy/strategy.cc.
struct Registration {
  StrategyKind kind;
  std::unique_ptr<Encoder> (*make)(const privacy::MechanismPlan& plan);
};

constexpr std::array kEncoders{
    Registration{StrategyKind::blt, make<BltEncoder>},
    Registration{StrategyKind::tree, make<TreeEncoder>},
    Registration{StrategyKind::hybrid, make<HybridEncoder>},
};

}  // namespace

std::unique_ptr<Encoder> make_encoder(const privacy::MechanismPlan& plan) {
  for (const Registration& encoder : kEncoders) {
    if (encoder.kind == plan.strategy().kind()) return encoder.make(plan);
  }
  throw RequestError("strategy", "'" + std::string(to_string(plan.strategy().kind())) + "' has no encoder");
}

}  // namespace rivulet::kernel
