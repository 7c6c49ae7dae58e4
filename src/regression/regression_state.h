// The two halves of what IncrementalRegression needs to go on later.
#pragma once

#include <cstdint>
#include <string>

#include "wall/sensitive_state.h"

namespace rivulet {

struct RegressionState {
  SensitiveState sensitive;         // exact sums: for the sensitive half of a model file alone
  std::string decoder;              // made of noisy numbers: public
  std::uint64_t released_rows = 0;  // public
};

}  // namespace rivulet
