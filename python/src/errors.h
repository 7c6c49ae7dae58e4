// The library's errors as Python's (python/rivulet/_errors.py).
#pragma once

#include "rivulet/error.h"

namespace rivulet::python {

// What would spend the budget a second time, or hand out what is not private: refused.
class Misuse : public Error {
 public:
  using Error::Error;
};

void bind_errors();

}  // namespace rivulet::python
