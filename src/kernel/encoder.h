// Kernel steps 4 and 5: encode and add noise. One class per strategy; each turns the exact sums of a step into the
// noisy vectors that may leave.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "kernel/inside.h"
#include "kernel/noise_source.h"
#include "privacy/mechanism_plan.h"
#include "wall/noisy_step.h"

namespace rivulet::kernel {

class Encoder {
 public:
  virtual ~Encoder() = default;
  // Steps must come in order from 1. Every call draws fresh noise. `out.vectors` is overwritten, first with exact
  // values: it must not be handed on when encode() throws.
  virtual void encode(std::uint64_t step, std::span<const Int128> sums, NoiseSource& noise, NoisyStep& out) = 0;
  // The exact state between steps: sensitive. restore() throws DamagedFile when it does not fit `steps` encoded steps.
  virtual void save(ByteWriter& out) const = 0;
  virtual void restore(std::uint64_t steps, ByteReader& in) = 0;
};

std::unique_ptr<Encoder> make_encoder(const privacy::MechanismPlan& plan);

}  // namespace rivulet::kernel
