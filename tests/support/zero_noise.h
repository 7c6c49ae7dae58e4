// A zero-noise source for tests. It lives here, outside the product: nothing that ships can select it.
#pragma once

#include "kernel/noise_source.h"

namespace rivulet::testing {

class ZeroNoise final : public kernel::NoiseSource {
 public:
  void add(std::span<Int128> /*values*/, double /*sigma*/) override {}
};

}  // namespace rivulet::testing
