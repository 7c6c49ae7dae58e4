// What statistics and levels must be for anything to be inferred from them.
#pragma once

#include "rivulet/schema.h"
#include "rivulet/statistics.h"

namespace rivulet::infer {

// Both throw RequestError.
void check_level(double level);
// The schema's shape, with the sum of squared targets, and numbers that are sums and sizes of noise.
void check_statistics(const Schema& schema, const Statistics& statistics);

}  // namespace rivulet::infer
