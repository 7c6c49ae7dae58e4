// The one number a loss may have.
#pragma once

#include <string>

namespace rivulet::loss {

inline bool positive_finite(double value) {
  return value > 0.0 && value - value == 0.0;
}

// Throws RequestError naming "loss" unless `good`: "huber: the threshold is -1; accepted: ...".
void require_parameter(bool good, const std::string& loss, const std::string& what, double value,
                       const std::string& accepted);

}  // namespace rivulet::loss
