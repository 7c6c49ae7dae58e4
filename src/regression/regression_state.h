// The two halves of what IncrementalRegression needs to go on later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wall/sensitive_state.h"

namespace rivulet {

struct RegressionState {
  SensitiveState sensitive;         // exact sums: for the sensitive half of a model file alone
  std::string decoder;              // made of noisy numbers: public
  std::uint64_t released_rows = 0;  // public
  // The last model that was asked for, of a stream with a sketch. Public: a model file has it in its last release.
  std::vector<double> last_solution;
};

}  // namespace rivulet
