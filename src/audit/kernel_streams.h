// The mechanisms under attack. The real ones are here; a test puts broken ones in their place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "kernel/inside.h"
#include "kernel/noise_source.h"
#include "privacy/gradient_plan.h"
#include "privacy/mechanism_plan.h"
#include "wall/noisy_step.h"

namespace rivulet::audit {

// A new stream each time it is asked: rows in, what is published out. As kernel::Kernel.
class AuditedStream {
 public:
  virtual ~AuditedStream() = default;
  virtual void observe(std::span<const double> values, double target, std::optional<std::string_view> unit) = 0;
  virtual void close_step(NoisyStep& out) = 0;
};
using StreamSource = std::function<std::unique_ptr<AuditedStream>()>;

// As kernel::HistoryKernel with the hinge loss.
class AuditedHistory {
 public:
  virtual ~AuditedHistory() = default;
  virtual void observe(std::span<const double> values, double target) = 0;
  virtual void close_step() = 0;
  virtual void noisy_gradient(std::span<const double> theta, double mu_k, NoisyGradient& out, std::uint64_t part,
                              std::uint64_t parts) = 0;
};
using HistorySource = std::function<std::unique_ptr<AuditedHistory>()>;

using NoiseMaker = std::function<std::unique_ptr<kernel::NoiseSource>()>;

// Noise as the product draws it, for all streams in turn: the sampler's tables take longer to make than a stream.
NoiseMaker secure_noise();

// Real kernels with rows in the unit ball.
StreamSource kernel_streams(const privacy::MechanismPlan& plan, const NoiseMaker& noise);
HistorySource kernel_histories(const privacy::GradientPlan& plan, const NoiseMaker& noise);

}  // namespace rivulet::audit
