#include "strategy/blt.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "strategy/blt_formulas.h"

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

BltParameters BltParameters::exactly(const std::vector<std::int64_t>& theta_gap_numerators,
                                     const std::vector<std::int64_t>& omega_numerators,
                                     const std::vector<double>& inverse_gaps) {
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

}  // namespace rivulet::strategy
