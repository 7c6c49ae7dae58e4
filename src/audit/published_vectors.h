// What an attacker knows of a strategy: which vectors are published at a step, how much of every step's sums is in
// each, and how wide its noise is. Written from the definitions, not from the encoder's code.
#pragma once

#include <cstdint>
#include <vector>

#include "strategy/strategy.h"

namespace rivulet::audit {

struct PublishedVector {
  std::uint64_t step = 0;  // at which it is published
  double widening = 1.0;   // of its noise, against the plan's sigmas
  // Of steps 1, 2, ..., `step`: how often their sums are in it.
  std::vector<double> coefficients;

  [[nodiscard]] double coefficient(std::uint64_t of_step) const {
    return of_step <= coefficients.size() ? coefficients[of_step - 1] : 0.0;
  }
};

// In the order of publication.
std::vector<PublishedVector> published_vectors(const strategy::Strategy& strategy, std::uint64_t steps);

}  // namespace rivulet::audit
