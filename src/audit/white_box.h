// White boxes: the mechanisms under attack, what the attacker knows of them, and the attacks on what leaves the kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "audit/auditor.h"
#include "audit/matrix.h"
#include "kernel/inside.h"
#include "kernel/noise_source.h"
#include "privacy/gradient_plan.h"
#include "privacy/mechanism_plan.h"
#include "strategy/strategy.h"
#include "wall/noisy_step.h"

namespace rivulet::audit {

// The mechanisms under attack. The real ones are here; a test puts broken ones in their place.
//
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

// What an attacker knows of a strategy: which vectors are published at a step, how much of every step's sums is in
// each, and how wide its noise is. Strategy::published_at() has it from the definitions, not from the encoder's code.
using strategy::PublishedVector;

// In the order of publication.
std::vector<PublishedVector> published_vectors(const strategy::Strategy& strategy, std::uint64_t steps);

// White box: everything that leaves the kernel, by an attacker who knows the mechanism and every row but one.
//
// `plan` is the promise; the streams that `source` makes are what is measured against it. Tries to publish past the
// last step and looks at what it gets. Throws RequestError when the configuration fits no such experiment.
std::unique_ptr<Experiment> make_kernel_experiment(const Configuration& configuration,
                                                   const privacy::MechanismPlan& plan, StreamSource source);

// White box, PrivIncERM: every noisy sum of gradients, by an attacker who chooses where they are taken.
//
// One row a step and one call a step, each at the same price; a call is `parts` sums over disjoint parts of the rows.
// The loss is the hinge, whose gradient is -y x as long as y <x, theta> < 1: opposite labels move a sum by 2, the
// sensitivity itself.
std::unique_ptr<Experiment> make_gradient_experiment(const Configuration& configuration,
                                                     const privacy::GradientPlan& plan, HistorySource source);

}  // namespace rivulet::audit
