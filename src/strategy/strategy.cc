#include "strategy/strategy.h"

#include <array>
#include <cmath>
#include <string>

#include "rivulet/error.h"
#include "strategy/blt.h"
#include "strategy/tree.h"

namespace rivulet::strategy {
namespace {

struct Registration {
  StrategyKind kind;
  bool has_tree;
  bool has_buffers;
  std::shared_ptr<const Strategy> (*make)(const Strategy::Options& options);
  // Null when there is no design to take up.
  std::shared_ptr<const Strategy> (*make_again)(const Strategy::Options& options, const Design& design);
};

constexpr std::array kStrategies{
    Registration{StrategyKind::blt, false, true, make_blt_strategy, make_blt_strategy},
    Registration{StrategyKind::tree, true, false, make_tree_strategy, nullptr},
    Registration{StrategyKind::hybrid, true, false, make_hybrid_strategy, nullptr},
};

const Registration& registered(StrategyKind kind) {
  for (const Registration& strategy : kStrategies) {
    if (strategy.kind == kind) return strategy;
  }
  throw RequestError("strategy", "'" + std::string(to_string(kind)) + "' has no implementation");
}

const Registration& checked(const Strategy::Options& options) {
  const Registration& strategy = registered(options.kind);
  if (options.horizon.is_known() && options.horizon.steps() > kStepCap) {
    throw RequestError("horizon", std::to_string(options.horizon.steps()) +
                                      " steps is above the largest horizon, 2^40 = " + std::to_string(kStepCap) +
                                      "; a larger release-every makes fewer steps");
  }
  if (options.buffers && (*options.buffers < 1 || *options.buffers > kMaxBuffers)) {
    throw RequestError("buffers", std::to_string(*options.buffers) + " is outside the accepted range 1 to " +
                                      std::to_string(kMaxBuffers));
  }
  if (options.buffers && !strategy.has_buffers) {
    throw RequestError("buffers",
                       "only the strategy 'blt' has buffers, not '" + std::string(to_string(options.kind)) + "'");
  }
  return strategy;
}

}  // namespace

std::shared_ptr<const Strategy> make_strategy(const Strategy::Options& options) {
  return checked(options).make(options);
}

std::shared_ptr<const Strategy> make_strategy(const Strategy::Options& options, const Design& design) {
  const Registration& strategy = checked(options);
  if (strategy.make_again != nullptr) return strategy.make_again(options, design);
  if (!design.theta_gap_numerators.empty() || !design.omega_numerators.empty() || !design.inverse_gaps.empty()) {
    throw RequestError("strategy", "'" + std::string(to_string(options.kind)) + "' has no parameters");
  }
  return strategy.make(options);
}

bool has_tree(StrategyKind kind) {
  return registered(kind).has_tree;
}

void require_tree(StrategyKind kind) {
  if (has_tree(kind)) return;
  throw RequestError("tree-decoding", "the strategy '" + std::string(to_string(kind)) +
                                          "' has no tree to decode; accepted with 'tree' and 'hybrid' only");
}

std::uint64_t Strategy::last_step() const {
  return options_.horizon.is_known() ? options_.horizon.steps() : kStepCap;
}

std::uint64_t Strategy::design_steps() const {
  return options_.horizon.is_known() ? options_.horizon.steps() : kUnboundedDesignSteps;
}

void Decoder::absorb(const NoisyStep& step) {
  if (unusable_) throw Error("decoder: it met a damaged state and cannot go on");
  if (step.step != step_ + 1) {
    throw Error("decoder: step " + std::to_string(step.step) + " came after step " + std::to_string(step_));
  }
  for (const NoisyVector& vector : step.vectors) {
    if (vector.values.size() != coordinates()) throw Error("decoder: a released vector has the wrong length");
  }
  decode(step);
  step_ = step.step;
}

void Decoder::save(ByteWriter& out) const {
  out.u64(step_);
  out.all(whole_);
  out.all(correction_);
  save_more(out);
}

void Decoder::restore(ByteReader& in) {
  if (step_ != 0 || unusable_) throw Error("decoder: only a new decoder can take up an earlier one's state");
  unusable_ = true;  // until all of it is there
  const std::uint64_t step = in.u64();
  in.all(whole_, whole_.size(), kEstimateBits);
  restore_correction(in, coordinates(), correction_);
  restore_more(step, in);
  step_ = step;
  unusable_ = false;
}

void restore_correction(ByteReader& in, std::size_t coordinates, std::vector<double>& correction) {
  ByteReader ahead = in;
  const bool none = ahead.u64() == 0;
  in.all(correction, none ? 0 : coordinates);
  for (const double value : correction) {
    if (!std::isfinite(value)) in.damaged("a correction is not a number");
  }
}

}  // namespace rivulet::strategy
