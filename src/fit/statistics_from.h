// Decoded lattice sums, read as statistics in natural units.
#pragma once

#include <cstdint>

#include "privacy/mechanism_plan.h"
#include "rivulet/statistics.h"
#include "strategy/decoder.h"

namespace rivulet::fit {

// Overwrites `out`, reusing its memory. The decoder must have absorbed at least one step; throws Error otherwise.
void read_statistics(const privacy::MechanismPlan& plan, const strategy::Decoder& decoder, std::uint64_t rows,
                     Statistics& out);

}  // namespace rivulet::fit
