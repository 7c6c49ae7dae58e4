#include "strategy/blt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "rivulet/error.h"
#include "strategy/blt_formulas.h"
#include "strategy/strategy.h"

namespace rivulet::strategy {
namespace {

constexpr double kTwo64 = 18446744073709551616.0;
// Margin for the double-precision evaluation of closed forms with positive terms (a few hundred operations).
constexpr double kRoundUp = 1.0 + 1e-12;

Fraction to_fraction(double value) {
  if (!(value > 0.0 && value < 0.5)) throw std::invalid_argument("BLT parameter outside (0, 1/2)");
  return Fraction(std::llround(value * kTwo64));
}

// The zeros of 1 + sum_j omega_j / (theta_gap_j - gamma) in gamma: the inverse's gaps for given (theta, omega).
// Newton's method from a start that is already accurate to the rounding of the parameters.
double refine_inverse_gap(const std::vector<double>& theta_gap, const std::vector<double>& omega, double gamma) {
  for (int iteration = 0; iteration < 8; ++iteration) {
    double value = 1.0;
    double slope = 0.0;
    for (std::size_t j = 0; j < omega.size(); ++j) {
      const double distance = theta_gap[j] - gamma;
      value += omega[j] / distance;
      slope += omega[j] / (distance * distance);
    }
    const double change = value / slope;
    gamma -= change;
    if (std::abs(change) <= 4.0 * std::numeric_limits<double>::epsilon() * gamma) break;
  }
  return gamma;
}

}  // namespace

BltParameters::BltParameters(const std::vector<double>& theta_gaps, const std::vector<double>& inverse_gaps) {
  if (theta_gaps.empty() || theta_gaps.size() != inverse_gaps.size()) {
    throw std::invalid_argument("BLT needs as many inverse decays as decays, and at least one");
  }
  double previous = 0.0;
  for (std::size_t j = 0; j < theta_gaps.size(); ++j) {
    if (!(previous < theta_gaps[j] && theta_gaps[j] < inverse_gaps[j] && inverse_gaps[j] < 1.0)) {
      throw std::invalid_argument("BLT decays do not interlace");
    }
    previous = inverse_gaps[j];
  }
  const std::vector<double> exact_omega = blt_omega(theta_gaps, inverse_gaps);
  for (std::size_t j = 0; j < theta_gaps.size(); ++j) {
    theta_gap_fraction_.push_back(to_fraction(theta_gaps[j]));
    omega_fraction_.push_back(to_fraction(exact_omega[j]));
    theta_gap_.push_back(static_cast<double>(theta_gap_fraction_.back().numerator()) / kTwo64);
    omega_.push_back(static_cast<double>(omega_fraction_.back().numerator()) / kTwo64);
  }
  for (double gap : inverse_gaps) inverse_gap_.push_back(refine_inverse_gap(theta_gap_, omega_, gap));
  beta_ = blt_beta(theta_gap_, inverse_gap_);
}

BltParameters BltParameters::exactly(const Design& design) {
  const auto& [theta_gap_numerators, omega_numerators, inverse_gaps] = design;
  const std::size_t buffers = theta_gap_numerators.size();
  if (buffers == 0 || buffers > kMaxBuffers || omega_numerators.size() != buffers || inverse_gaps.size() != buffers) {
    throw std::invalid_argument("BLT parameters of different lengths");
  }
  BltParameters result;
  const auto take = [](std::int64_t numerator, std::vector<Fraction>& fractions, std::vector<double>& values) {
    if (numerator <= 0) throw std::invalid_argument("BLT parameter outside (0, 1/2)");
    fractions.emplace_back(numerator);
    values.push_back(static_cast<double>(numerator) / kTwo64);
  };
  double previous = 0.0;
  for (std::size_t j = 0; j < buffers; ++j) {
    take(theta_gap_numerators[j], result.theta_gap_fraction_, result.theta_gap_);
    take(omega_numerators[j], result.omega_fraction_, result.omega_);
    if (!(previous < result.theta_gap_[j] && result.theta_gap_[j] < inverse_gaps[j] && inverse_gaps[j] < 1.0)) {
      throw std::invalid_argument("BLT decays do not interlace");
    }
    previous = inverse_gaps[j];
  }
  double omega_sum = 0.0;
  for (const double omega : result.omega_) omega_sum += omega;
  if (!(omega_sum < kLargestOmegaSum)) throw std::invalid_argument("BLT omegas sum to more than the filter can hold");
  for (const double gap : inverse_gaps) {
    const double refined = refine_inverse_gap(result.theta_gap_, result.omega_, gap);
    if (!(std::abs(refined - gap) <= 1e-9 * gap)) throw std::invalid_argument("BLT inverse does not fit its decays");
  }
  result.inverse_gap_ = inverse_gaps;
  result.beta_ = blt_beta(result.theta_gap_, result.inverse_gap_);
  return result;
}

Design BltParameters::design() const {
  Design result;
  for (const Fraction gap : theta_gap_fraction_) result.theta_gap_numerators.push_back(gap.numerator());
  for (const Fraction omega : omega_fraction_) result.omega_numerators.push_back(omega.numerator());
  result.inverse_gaps = inverse_gap_;
  return result;
}

double BltParameters::column_norm(std::optional<std::uint64_t> steps) const {
  const double count = steps ? static_cast<double>(*steps) : std::numeric_limits<double>::infinity();
  return std::sqrt(blt_column_norm_squared(theta_gap_, omega_, count)) * kRoundUp;
}

double BltParameters::prefix_variance(std::uint64_t step) const {
  return blt_prefix_variance(inverse_gap_, beta_, static_cast<double>(step));
}

double BltParameters::strategy_entry(std::uint64_t i) const {
  if (i == 0) return 1.0;
  double sum = 0.0;
  for (std::size_t j = 0; j < omega_.size(); ++j) {
    sum += omega_[j] * std::exp(static_cast<double>(i - 1) * std::log1p(-theta_gap_[j]));
  }
  return sum;
}

double BltParameters::decoder_entry(std::uint64_t i) const {
  double sum = beta_[0];
  for (std::size_t j = 0; j < inverse_gap_.size(); ++j) {
    sum += beta_[j + 1] * std::exp(static_cast<double>(i) * std::log1p(-inverse_gap_[j]));
  }
  return sum;
}

double BltParameters::rounding_gain() const {
  double sum = 0.0;
  for (std::size_t j = 0; j < omega_.size(); ++j) sum += omega_[j] / theta_gap_[j];
  return sum;
}

BltFilter::BltFilter(const BltParameters& parameters, std::size_t coordinates)
    : theta_gap_(parameters.theta_gap_fraction()),
      omega_(parameters.omega_fraction()),
      states_(coordinates * parameters.buffers(), 0),
      last_(coordinates, 0) {
  double sum = 0.0;
  for (const double omega : parameters.omega()) sum += omega;
  if (!(sum < kLargestOmegaSum)) throw std::invalid_argument("BltFilter: the omegas must sum to less than 1");
}

template <bool kEncode, std::size_t kBuffers>
void BltFilter::advance_unrolled(std::span<Int128> values) {
  std::array<Fraction, kBuffers> theta_gap;
  std::array<Fraction, kBuffers> omega;
  std::copy_n(theta_gap_.begin(), kBuffers, theta_gap.begin());
  std::copy_n(omega_.begin(), kBuffers, omega.begin());
  Int128* state = states_.data();
  Int128* last = last_.data();
  for (Int128& value : values) {
    Int128 weighted_high = 0;
    std::uint64_t weighted_low = 0;  // no overflow: each term is below 2^64 omega_j, and the omegas sum to less than 1
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kBuffers; ++j) {
      const Int128 now = state[j] + *last;
      const auto high = static_cast<std::int64_t>(now >> 64);
      const auto low = static_cast<std::uint64_t>(now);
      weighted_high += omega[j].of_high(high);
      weighted_low += omega[j].of_low(low);
      state[j] = now - theta_gap[j].of_high(high) - theta_gap[j].of_low(low);
    }
    const Int128 weighted = weighted_high + weighted_low;
    const Int128 feedback = weighted >> kStateBits;
    const Int128 step_value = kEncode ? value : value - feedback;
    value = kEncode ? value + feedback : step_value;
    *last++ = step_value * (Int128{1} << kStateBits);
    state += kBuffers;
  }
}

template <bool kEncode>
void BltFilter::advance(std::span<Int128> values) {
  if (values.size() * omega_.size() != states_.size()) {
    throw std::invalid_argument("BltFilter: wrong number of coordinates");
  }
  static_assert(kMaxBuffers == 8);
  switch (omega_.size()) {
    case 1:
      return advance_unrolled<kEncode, 1>(values);
    case 2:
      return advance_unrolled<kEncode, 2>(values);
    case 3:
      return advance_unrolled<kEncode, 3>(values);
    case 4:
      return advance_unrolled<kEncode, 4>(values);
    case 5:
      return advance_unrolled<kEncode, 5>(values);
    case 6:
      return advance_unrolled<kEncode, 6>(values);
    case 7:
      return advance_unrolled<kEncode, 7>(values);
    case 8:
      return advance_unrolled<kEncode, 8>(values);
    default:
      throw std::invalid_argument("BltFilter: more buffers than supported");
  }
}

void BltFilter::encode(std::span<Int128> values) {
  advance<true>(values);
}

void BltFilter::decode(std::span<Int128> values) {
  advance<false>(values);
}

void BltFilter::save(ByteWriter& out) const {
  out.all(states_);
  out.all(last_);
}

void BltFilter::restore(ByteReader& in) {
  in.all(states_, states_.size(), kRestoredBits);
  in.all(last_, last_.size(), kRestoredBits);
}

double BltFilter::rounding_width(const BltParameters& parameters) {
  const double state_units = static_cast<double>(parameters.buffers()) + parameters.rounding_gain();
  return 1.0 + std::ldexp(state_units, -static_cast<int>(kStateBits));
}

namespace {

// The inverse of the filter, and running sums of what it returns.
class BltDecoder final : public Decoder {
 public:
  BltDecoder(const BltParameters& parameters, std::size_t coordinates)
      : Decoder(coordinates), parameters_(parameters), filter_(parameters, coordinates), values_(coordinates) {}
  [[nodiscard]] double norm() const override { return std::sqrt(variance_); }

 protected:
  void decode(const NoisyStep& step) override {
    values_ = step.vectors.at(0).values;
    filter_.decode(values_);
    for (std::size_t i = 0; i < values_.size(); ++i) whole_[i] += values_[i];

    constexpr std::uint64_t kAfresh = 4096;
    if (step.step % kAfresh == 0) {
      variance_ = parameters_.prefix_variance(step.step);
    } else {
      const double entry = parameters_.decoder_entry(step.step - 1);
      variance_ += entry * entry;
    }
  }
  void save_more(ByteWriter& out) const override {
    filter_.save(out);
    out.f64(variance_);
  }
  void restore_more(std::uint64_t step, ByteReader& in) override {
    filter_.restore(in);
    variance_ = in.f64();
    const double expected = step == 0 ? 0.0 : parameters_.prefix_variance(step);
    if (!(std::abs(variance_ - expected) <= 1e-6 * expected)) in.damaged("its noise level does not fit its step");
  }

 private:
  BltParameters parameters_;
  BltFilter filter_;
  std::vector<Int128> values_;
  // Variance so far: advanced by one term b_i^2 a step, taken afresh from the closed form now and then.
  double variance_ = 0.0;
};

std::optional<std::uint64_t> steps_of(const Horizon& horizon) {
  return horizon.is_known() ? std::optional(horizon.steps()) : std::nullopt;
}

}  // namespace

BltStrategy::BltStrategy(const Options& options, BltParameters parameters)
    : Strategy(options, parameters.column_norm(steps_of(options.horizon))), parameters_(std::move(parameters)) {
  if (options.buffers && *options.buffers != parameters_.buffers()) {
    throw RequestError("buffers", "the parameters are those of " + std::to_string(parameters_.buffers()) + " buffers");
  }
}

std::vector<PublishedVector> BltStrategy::published_at(std::uint64_t step) const {
  PublishedVector encoded{step, 1.0, std::vector<double>(step, 0.0)};
  for (std::uint64_t i = 1; i <= step; ++i) encoded.coefficients[i - 1] = parameters_.strategy_entry(step - i);
  return {encoded};
}

std::unique_ptr<Decoder> BltStrategy::make_decoder(std::size_t coordinates) const {
  return std::make_unique<BltDecoder>(parameters_, coordinates);
}

double BltStrategy::decoder_norm(std::uint64_t step) const {
  return std::sqrt(parameters_.prefix_variance(step));
}

std::shared_ptr<const Strategy> make_blt_strategy(const Strategy::Options& options) {
  const std::optional<std::uint64_t> steps = steps_of(options.horizon);
  return std::make_shared<BltStrategy>(options,
                                       options.buffers ? design_blt(steps, *options.buffers) : design_blt(steps));
}

std::shared_ptr<const Strategy> make_blt_strategy(const Strategy::Options& options, const Design& design) {
  return std::make_shared<BltStrategy>(options, BltParameters::exactly(design));
}

}  // namespace rivulet::strategy
