// Released steps, compared and kept.
#pragma once

#include <vector>

#include "wall/noisy_step.h"

namespace rivulet::testing {

inline bool same(const NoisyStep& a, const NoisyStep& b) {
  if (a.step != b.step || a.rows != b.rows || a.vectors.size() != b.vectors.size()) return false;
  for (std::size_t i = 0; i < a.vectors.size(); ++i) {
    if (a.vectors[i].level != b.vectors[i].level || a.vectors[i].values != b.vectors[i].values) return false;
  }
  return true;
}

inline bool same(const std::vector<NoisyStep>& a, const std::vector<NoisyStep>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace rivulet::testing
