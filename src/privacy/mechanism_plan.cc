#include "privacy/mechanism_plan.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "privacy/calibration.h"
#include "privacy/paper_profile.h"
#include "rivulet/error.h"
#include "strategy/blt.h"

namespace rivulet::privacy {
namespace {

constexpr unsigned kRowBits = 15;  // lattice of a row; coarser only when the noise would not fit otherwise
constexpr unsigned kFewestRowBits = 10;
constexpr unsigned kMostNoiseBits = 40;
constexpr double kEpsilonShare = 1e-9;  // largest part of epsilon that discreteness may cost
constexpr double kDeltaShare = 1e-3;    // and of delta
constexpr std::uint64_t kMostRowsPerStep = std::uint64_t{1} << 40;
// Sums, filter states and noise fit 128-bit integers while rows * max||u||^2 * 2^(noise bits + state bits) <
// 2^kRangeBits.
constexpr int kRangeBits = 124;
constexpr double kRoundUp = 1.0 + 1e-14;
constexpr double kLoosestRounding = 1e-2;
constexpr std::uint64_t kMostRowsPerUnit = std::uint64_t{1} << 20;

MechanismRequest checked(MechanismRequest request) {
  request.budget.validate();
  if (request.dimension < 1 || request.dimension > kMostDimensions) {
    throw RequestError("dimension", std::to_string(request.dimension) + " covariates; accepted: 1 to " +
                                        std::to_string(kMostDimensions));
  }
  if (request.rows_per_step < 1 || request.rows_per_step > kMostRowsPerStep) {
    throw RequestError("release-every", std::to_string(request.rows_per_step) + " rows a step; accepted: 1 to " +
                                            std::to_string(kMostRowsPerStep));
  }
  if (!request.units && request.rows_per_unit != 1) {
    throw RequestError("max-rows-per-unit", "given without a unit; accepted: together with the column that names it");
  }
  if (request.rows_per_unit < 1 || request.rows_per_unit > kMostRowsPerUnit) {
    throw RequestError("max-rows-per-unit", std::to_string(request.rows_per_unit) + " rows; accepted: 1 to " +
                                                std::to_string(kMostRowsPerUnit));
  }
  if (!(request.diameter > 0.0) || !std::isfinite(request.diameter)) {
    throw RequestError("constraint", "the set's diameter must be positive and finite");
  }
  if (request.profile == Profile::paper) {
    if (request.strategy.kind != StrategyKind::tree) {
      throw RequestError("strategy", "profile 'paper' is TreeMech and accepts the strategy 'tree' only, not '" +
                                         std::string(to_string(request.strategy.kind)) + "'");
    }
    require_paper_range(request.budget, request.strategy.horizon);
  }
  return request;
}

[[noreturn]] void refuse_decisions(const std::string& why) {
  throw RequestError("mechanism", why + "; it was altered after it was made");
}

std::shared_ptr<const strategy::Strategy> earlier_strategy(const MechanismRequest& request,
                                                           const PlanDecisions& decisions) {
  try {
    return strategy::make_strategy(request.strategy, decisions.design);
  } catch (const std::invalid_argument& error) {
    refuse_decisions(error.what());
  }
}

}  // namespace

MechanismPlan::MechanismPlan(const MechanismRequest& request)
    : request_(checked(request)), strategy_(strategy::make_strategy(request_.strategy)) {
  layout_ = {request_.dimension, request_.profile == Profile::tight};
  choose_lattice();
}

void MechanismPlan::choose_lattice() {
  for (unsigned bits = kRowBits; bits >= kFewestRowBits; --bits) {
    // The rounding is charged whatever it is; the looser tolerances are reached only by extreme requests (epsilon below
    // 0.01 in hundreds of dimensions), where they cost less than a coarser lattice would.
    for (double rounding_tolerance : {1e-8, 1e-7, 1e-6, 1e-4, kLoosestRounding}) {
      if (try_lattice(bits, rounding_tolerance)) return;
    }
  }
  throw RequestError("epsilon", "no lattice carries noise this large for " + std::to_string(request_.dimension) +
                                    " covariates and " + std::to_string(strategy_->last_step()) +
                                    " steps; a larger epsilon or delta, or a shorter horizon, is needed");
}

bool MechanismPlan::try_lattice(unsigned bits, double rounding_tolerance) {
  limits_.bits = bits;
  const double target_scale = request_.profile == Profile::paper ? 1.0 : target_scale_for(request_.diameter);
  limits_.target_limit = static_cast<std::int64_t>(std::floor(std::ldexp(target_scale, static_cast<int>(bits))));

  for (unsigned noise_bits = 0; noise_bits <= kMostNoiseBits; ++noise_bits) {
    calibrate(noise_bits);
    if (largest_sigma() > kLargestSigma) return false;
    if (!carries_noise(rounding_tolerance)) continue;
    last_step_ = last_step_in_range();
    return last_step_ != 0;
  }
  return false;
}

void MechanismPlan::calibrate(unsigned noise_bits) {
  if (request_.profile == Profile::paper) {
    calibrate_paper(noise_bits);
  } else {
    calibrate_tight(noise_bits);
  }
}

bool MechanismPlan::carries_noise(double rounding_tolerance) const {
  return rounding_share_ <= rounding_tolerance && smallest_sigma() >= kSmallestSigma &&
         charge_.epsilon <= kEpsilonShare * request_.budget.epsilon &&
         charge_.delta <= kDeltaShare * request_.budget.delta && charge_.bound * largest_sigma() < kLargestDraw;
}

std::uint64_t MechanismPlan::last_step_in_range() const {
  const int spent_bits = static_cast<int>(2 * limits_.bits + 1 + noise_bits_ + strategy::BltFilter::kStateBits);
  const double most_rows = std::ldexp(1.0, kRangeBits - spent_bits);
  const double most_steps = std::floor(most_rows / static_cast<double>(request_.rows_per_step));
  if (static_cast<double>(strategy_->last_step()) <= most_steps) return strategy_->last_step();
  if (strategy_->horizon().is_known() || most_steps < 1.0) return 0;
  return static_cast<std::uint64_t>(most_steps);
}

PlanDecisions MechanismPlan::decisions() const {
  PlanDecisions result;
  result.bits = limits_.bits;
  result.target_limit = limits_.target_limit;
  result.noise_bits = noise_bits_;
  result.sigmas = sigmas_;
  result.last_step = last_step_;
  result.design = strategy_->design();
  return result;
}

MechanismPlan::MechanismPlan(const MechanismRequest& request, const PlanDecisions& decisions)
    : request_(checked(request)), strategy_(earlier_strategy(request_, decisions)) {
  layout_ = {request_.dimension, request_.profile == Profile::tight};
  if (decisions.bits < kFewestRowBits || decisions.bits > kRowBits || decisions.noise_bits > kMostNoiseBits ||
      decisions.target_limit < 1 || decisions.target_limit > std::int64_t{1} << decisions.bits) {
    refuse_decisions("its lattice is none that Rivulet uses");
  }
  if (request_.profile == Profile::paper && decisions.target_limit != std::int64_t{1} << decisions.bits) {
    refuse_decisions("profile 'paper' does not scale the target");
  }
  limits_.bits = decisions.bits;
  limits_.target_limit = decisions.target_limit;
  calibrate(decisions.noise_bits);
  const auto fits = [](double earlier, double now) {
    // Another machine's mathematical library may round differently; gaussian_mu() keeps a margin of 1e-12 for that.
    return earlier >= now * (1.0 - 5e-13) && earlier <= now * (1.0 + 1e-9);
  };
  if (!fits(decisions.sigmas.gram_diagonal, sigmas_.gram_diagonal) ||
      !fits(decisions.sigmas.gram_offdiagonal, sigmas_.gram_offdiagonal) ||
      !fits(decisions.sigmas.cross, sigmas_.cross) || !fits(decisions.sigmas.target_square, sigmas_.target_square)) {
    refuse_decisions("its noise is not the noise the promise demands");
  }
  sigmas_ = decisions.sigmas;
  if (largest_sigma() > kLargestSigma || !carries_noise(kLoosestRounding)) {
    refuse_decisions("its lattice does not carry the noise");
  }
  if (decisions.last_step < 1 || decisions.last_step > last_step_in_range()) {
    refuse_decisions("it promises more steps than its integers can hold");
  }
  last_step_ = decisions.last_step;
}

void MechanismPlan::calibrate_tight(unsigned noise_bits) {
  noise_bits_ = noise_bits;
  // Rows of one unit may fall into one step and all point the same way: no better factor than their number.
  const double lattice_sensitivity =
      static_cast<double>(request_.rows_per_unit) * joint_sensitivity(limits_, request_.neighbours);
  l2_sensitivity_ = std::ldexp(lattice_sensitivity, -static_cast<int>(2 * limits_.bits));

  // Rounding: one width per coordinate and step; an entry above the diagonal stands for two, so the weights sum to the
  // square of the matrix order.
  const double order = static_cast<double>(request_.dimension + 1);
  const double exact = strategy_->norm() * std::ldexp(lattice_sensitivity, static_cast<int>(noise_bits));
  const double rounding = strategy_->rounding_width() * order * std::sqrt(static_cast<double>(strategy_->last_step()));
  rounding_share_ = rounding / exact;
  const double moved = (exact + rounding) * kRoundUp;

  const auto set_sigmas = [&](double mu) {
    mu_ = mu;
    sigmas_.gram_diagonal = moved / mu * kRoundUp;
    sigmas_.gram_offdiagonal = sigmas_.gram_diagonal / std::sqrt(2.0) * kRoundUp;
    sigmas_.cross = sigmas_.gram_offdiagonal;
    sigmas_.target_square = sigmas_.gram_diagonal;
  };
  // Without the charge sigma is smaller and the charge larger: charging at that sigma is on the safe side.
  set_sigmas(gaussian_mu(request_.budget));
  const double draws = strategy_->published_vectors() * static_cast<double>(layout_.size());
  charge_ = discreteness_charge(draws, smallest_sigma(), request_.budget);
  if (charge_.epsilon < request_.budget.epsilon && charge_.delta < request_.budget.delta) {
    set_sigmas(gaussian_mu({request_.budget.epsilon - charge_.epsilon, request_.budget.delta - charge_.delta}));
  }
}

void MechanismPlan::calibrate_paper(unsigned noise_bits) {
  noise_bits_ = noise_bits;
  rounding_share_ = 0.0;
  l2_sensitivity_ = static_cast<double>(request_.rows_per_unit) * paper_pair_sensitivity(request_.neighbours);
  const double node_stddev = paper_node_stddev(request_.budget, strategy_->last_step()) * kRoundUp;
  const double sigma = std::ldexp(node_stddev, static_cast<int>(2 * limits_.bits + noise_bits));
  // TreeMech noises the d^2 entries of x x^T independently. Averaging an entry with its mirror image is post-processing
  // and leaves variance sigma^2/2 above the diagonal; that average is what is drawn here.
  sigmas_ = {sigma, sigma / std::sqrt(2.0) * kRoundUp, sigma, 0.0};
  mu_ = strategy_->norm() * l2_sensitivity_ / node_stddev * kRoundUp;

  const double draws = strategy_->published_vectors() * static_cast<double>(layout_.size());
  charge_ = discreteness_charge(draws, smallest_sigma(), request_.budget);
  const double spare_epsilon = request_.budget.epsilon - charge_.epsilon;
  if (spare_epsilon > 0.0 && gaussian_delta(mu_, spare_epsilon) > request_.budget.delta - charge_.delta) {
    throw RequestError("profile", "the paper's constants do not give (epsilon, delta) = (" +
                                      std::to_string(request_.budget.epsilon) + ", " +
                                      std::to_string(request_.budget.delta) +
                                      ") for this horizon by exact accounting; use profile 'tight'");
  }
}

double MechanismPlan::smallest_sigma() const {
  return std::min({sigmas_.gram_diagonal, sigmas_.gram_offdiagonal, sigmas_.cross});
}

double MechanismPlan::largest_sigma() const {
  return strategy_->largest_widening() * std::max({sigmas_.gram_diagonal, sigmas_.gram_offdiagonal, sigmas_.cross});
}

double MechanismPlan::lattice_unit() const {
  return std::ldexp(1.0, -static_cast<int>(2 * limits_.bits + noise_bits_));
}

NoiseLevel MechanismPlan::noise_for(double decoder_norm) const {
  const double factor = decoder_norm * lattice_unit();
  return {sigmas_.gram_diagonal * factor, sigmas_.gram_offdiagonal * factor,
          sigmas_.cross * factor / limits_.target_scale()};
}

}  // namespace rivulet::privacy
