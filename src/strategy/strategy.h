// A strategy C: how the sequence of step sums is encoded before noise is added. Public parameters only.
#pragma once

#include <cstdint>
#include <optional>

#include "rivulet/budget.h"
#include "strategy/blt.h"

namespace rivulet::strategy {

// No stream is longer than this; an unbounded horizon means "up to the cap". At a thousand steps a second it lasts 34
// years.
inline constexpr std::uint64_t kStepCap = std::uint64_t{1} << 40;

// Throws RequestError: a tree decoding was asked of a strategy that has no tree.
void require_tree(StrategyKind kind);

class Strategy {
 public:
  struct Options {
    StrategyKind kind = StrategyKind::blt;
    Horizon horizon = Horizon::unbounded();
    std::optional<unsigned> buffers;  // blt only; chosen when absent
    TreeDecoding tree_decoding = TreeDecoding::optimal;
  };

  // Throws RequestError: tree without a known horizon, a horizon above kStepCap, buffers outside 1..kMaxBuffers.
  explicit Strategy(const Options& options);
  // With the parameters of an earlier design; only for the kind blt.
  Strategy(const Options& options, BltParameters blt);

  [[nodiscard]] StrategyKind kind() const { return options_.kind; }
  [[nodiscard]] const Horizon& horizon() const { return options_.horizon; }
  [[nodiscard]] TreeDecoding tree_decoding() const { return options_.tree_decoding; }
  // The last step that may be published: the horizon, or kStepCap.
  [[nodiscard]] std::uint64_t last_step() const;
  // ||C||: the largest column norm in units of the noise's standard deviation.
  [[nodiscard]] double norm() const { return norm_; }
  // Only for kind() == blt.
  [[nodiscard]] const BltParameters& blt() const { return *blt_; }
  // Upper bound on the number of noisy vectors published up to last_step().
  [[nodiscard]] double published_vectors() const;
  // How much more than the exact linear map two streams' encodings can differ, per coordinate and step, in
  // noise-lattice units. 0 for trees, which are exact.
  [[nodiscard]] double rounding_width() const;

  // Standard deviation of the decoded prefix at step t for unit noise.
  [[nodiscard]] double decoder_norm(std::uint64_t step) const;
  // The largest of those up to the horizon, or up to kUnboundedDesignSteps when there is none.
  [[nodiscard]] double max_decoder_norm() const;

 private:
  void check_options() const;
  void use(BltParameters blt);

  Options options_;
  std::optional<BltParameters> blt_;
  double norm_ = 1.0;
};

}  // namespace rivulet::strategy
