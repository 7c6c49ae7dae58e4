#include "strategy/tree_shape.h"

#include <algorithm>

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

}  // namespace

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

}  // namespace rivulet::strategy
