#include "strategy/strategy.h"

#include <cmath>
#include <string>
#include <utility>

#include "rivulet/error.h"
#include "strategy/blt_filter.h"
#include "strategy/tree_shape.h"

namespace rivulet::strategy {

void require_tree(StrategyKind kind) {
  if (kind != StrategyKind::blt) return;
  throw RequestError("tree-decoding",
                     "the strategy 'blt' has no tree to decode; accepted with 'tree' and 'hybrid' only");
}

void Strategy::check_options() const {
  const Options& options = options_;
  if (options.horizon.is_known() && options.horizon.steps() > kStepCap) {
    throw RequestError("horizon", std::to_string(options.horizon.steps()) +
                                      " steps is above the largest horizon, 2^40 = " + std::to_string(kStepCap) +
                                      "; a larger release-every makes fewer steps");
  }
  if (options.buffers && (*options.buffers < 1 || *options.buffers > kMaxBuffers)) {
    throw RequestError("buffers", std::to_string(*options.buffers) + " is outside the accepted range 1 to " +
                                      std::to_string(kMaxBuffers));
  }
  if (options.buffers && options.kind != StrategyKind::blt) {
    throw RequestError("buffers",
                       "only the strategy 'blt' has buffers, not '" + std::string(to_string(options.kind)) + "'");
  }
}

void Strategy::use(BltParameters blt) {
  blt_ = std::move(blt);
  norm_ = blt_->column_norm(options_.horizon.is_known() ? std::optional(options_.horizon.steps()) : std::nullopt);
}

Strategy::Strategy(const Options& options, BltParameters blt) : options_(options) {
  check_options();
  if (options.kind != StrategyKind::blt) throw RequestError("strategy", "only 'blt' has parameters");
  if (options.buffers && *options.buffers != blt.buffers()) {
    throw RequestError("buffers", "the parameters are those of " + std::to_string(blt.buffers()) + " buffers");
  }
  use(std::move(blt));
}

Strategy::Strategy(const Options& options) : options_(options) {
  check_options();
  switch (options.kind) {
    case StrategyKind::blt: {
      const std::optional<std::uint64_t> steps =
          options.horizon.is_known() ? std::optional(options.horizon.steps()) : std::nullopt;
      use(options.buffers ? design_blt(steps, *options.buffers) : design_blt(steps));
      break;
    }
    case StrategyKind::tree:
      if (!options.horizon.is_known()) {
        throw RequestError("strategy",
                           "'tree' needs a known horizon (how many nodes a row enters depends on it); give a number of "
                           "steps as the horizon, or use the strategy 'blt' or 'hybrid', which need none");
      }
      norm_ = std::sqrt(static_cast<double>(tree_levels(options.horizon.steps()))) * (1.0 + 1e-15);
      break;
    case StrategyKind::hybrid:
      norm_ = 1.0;
      break;
  }
}

std::uint64_t Strategy::last_step() const {
  return options_.horizon.is_known() ? options_.horizon.steps() : kStepCap;
}

double Strategy::published_vectors() const {
  // Nodes of a tree over n leaves: fewer than 2n.
  return static_cast<double>(last_step()) * (kind() == StrategyKind::blt ? 1.0 : 2.0);
}

double Strategy::rounding_width() const {
  return blt_ ? BltFilter::rounding_width(*blt_) : 0.0;
}

double Strategy::decoder_norm(std::uint64_t step) const {
  switch (kind()) {
    case StrategyKind::blt:
      return std::sqrt(blt_->prefix_variance(step));
    case StrategyKind::tree:
      return std::sqrt(tree_prefix_variance(step, tree_decoding()));
    case StrategyKind::hybrid:
      return std::sqrt(hybrid_prefix_variance(step, tree_decoding()));
  }
  return 0.0;
}

double Strategy::max_decoder_norm() const {
  const std::uint64_t steps = options_.horizon.is_known() ? options_.horizon.steps() : kUnboundedDesignSteps;
  switch (kind()) {
    case StrategyKind::blt:
      return decoder_norm(steps);
    case StrategyKind::tree:
      return std::sqrt(tree_max_prefix_variance(steps, tree_decoding()));
    case StrategyKind::hybrid:
      return std::sqrt(hybrid_max_prefix_variance(steps, tree_decoding()));
  }
  return 0.0;
}

}  // namespace rivulet::strategy
