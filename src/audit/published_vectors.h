// What an attacker knows of a strategy: which vectors are published at a step, how much of every step's sums is in
// each, and how wide its noise is. Strategy::published_at() has it from the definitions, not from the encoder's code.
#pragma once

#include <cstdint>
#include <vector>

#include "strategy/strategy.h"

namespace rivulet::audit {

using strategy::PublishedVector;

// In the order of publication.
std::vector<PublishedVector> published_vectors(const strategy::Strategy& strategy, std::uint64_t steps);

}  // namespace rivulet::audit
