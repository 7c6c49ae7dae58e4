// A solution in unit-ball units, written as a model in the user's units.
#pragma once

#include <string>
#include <vector>

#include "rivulet/model.h"
#include "rivulet/schema.h"
#include "rivulet/statistics.h"

namespace rivulet::fit {

class UserUnits {
 public:
  // `sparse`: models list only the coefficients that are not 0, and no memory is kept for the names of all.
  explicit UserUnits(const Schema& schema, bool sparse = false);

  // `theta` has one entry per schema coordinate.
  [[nodiscard]] Model model(const Statistics& statistics, std::vector<double> theta) const;

 private:
  Schema schema_;
  bool sparse_;
  std::vector<std::string> names_;
  std::vector<Schema::Scale> scales_;
};

}  // namespace rivulet::fit
