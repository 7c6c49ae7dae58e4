#include "audit/published_vectors.h"

namespace rivulet::audit {

std::vector<PublishedVector> published_vectors(const strategy::Strategy& strategy, std::uint64_t steps) {
  std::vector<PublishedVector> vectors;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const std::vector<PublishedVector> at_step = strategy.published_at(step);
    vectors.insert(vectors.end(), at_step.begin(), at_step.end());
  }
  return vectors;
}

}  // namespace rivulet::audit
