#include "audit/published_vectors.h"

#include <cmath>

namespace rivulet::audit {
namespace {

// The nodes of a binary tree whose first leaf is step `before` + 1 that end at its leaf number `leaf`.
void add_nodes(std::uint64_t before, std::uint64_t leaf, double widening, std::vector<PublishedVector>& vectors) {
  const std::uint64_t step = before + leaf;
  for (std::uint64_t width = 1; leaf % width == 0; width *= 2) {
    PublishedVector node{step, widening, std::vector<double>(step, 0.0)};
    for (std::uint64_t i = step - width + 1; i <= step; ++i) node.coefficients[i - 1] = 1.0;
    vectors.push_back(node);
    if (width == leaf) break;
  }
}

// Epochs of 1, 1, 2, 4, 8, ... steps, each with a tree of its own.
void add_hybrid(std::uint64_t step, std::vector<PublishedVector>& vectors) {
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
  add_nodes(before, step - before, std::sqrt(static_cast<double>(levels)), vectors);
}

}  // namespace

std::vector<PublishedVector> published_vectors(const strategy::Strategy& strategy, std::uint64_t steps) {
  std::vector<PublishedVector> vectors;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    switch (strategy.kind()) {
      case StrategyKind::blt: {
        PublishedVector encoded{step, 1.0, std::vector<double>(step, 0.0)};
        for (std::uint64_t i = 1; i <= step; ++i) encoded.coefficients[i - 1] = strategy.blt().strategy_entry(step - i);
        vectors.push_back(encoded);
        break;
      }
      case StrategyKind::tree:
        add_nodes(0, step, 1.0, vectors);
        break;
      case StrategyKind::hybrid:
        add_hybrid(step, vectors);
        break;
    }
  }
  return vectors;
}

}  // namespace rivulet::audit
