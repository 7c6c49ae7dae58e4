// Which configurations an audit goes through.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/configuration.h"

namespace rivulet::audit {

// What to go through; every list is a choice of its own.
struct Choice {
  std::vector<double> epsilons{0.5, 1.0, 2.0, 8.0};
  double delta = 1e-6;
  std::vector<StrategyKind> strategies{StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid};
  std::vector<Neighbours> neighbours{Neighbours::replace, Neighbours::zero_out};
};

// Strategies x neighbours x epsilons x dimensions 1, 5 and 20, over horizons, pairs and places; adaptive streams; long
// runs for the tightest bounds; units; gradients; black boxes.
std::vector<Configuration> full_matrix(const Choice& choice);
// Some of each, in less than a minute.
std::vector<Configuration> fast_matrix(const Choice& choice);
// The doors of the Python package, each with two pairs.
std::vector<Configuration> python_matrix(const Choice& choice, bool fast);
// Every pair at every place for one promise, adaptive streams, and black boxes where profile and size allow
// for so many of them. `steps` are published in a trial.
std::vector<Configuration> matrix_of(const privacy::MechanismRequest& promise, std::uint64_t steps);

}  // namespace rivulet::audit
