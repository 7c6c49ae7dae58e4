#include "strategy/blt_filter.h"

#include <cmath>
#include <stdexcept>

namespace rivulet::strategy {

BltFilter::BltFilter(const BltParameters& parameters, std::size_t coordinates)
    : theta_gap_(parameters.theta_gap_fraction()),
      omega_(parameters.omega_fraction()),
      states_(coordinates * parameters.buffers(), 0) {}

template <typename Combine>
void BltFilter::advance(std::span<Int128> values, Combine combine) {
  const std::size_t buffers = omega_.size();
  if (values.size() * buffers != states_.size()) throw std::invalid_argument("BltFilter: wrong number of coordinates");
  Int128* state = states_.data();
  for (Int128& value : values) {
    Int128 weighted = 0;
    for (std::size_t j = 0; j < buffers; ++j) weighted += multiply_fraction(state[j], omega_[j]);
    const Int128 step_value = combine(value, weighted >> kStateBits);
    const Int128 increment = step_value * (Int128{1} << kStateBits);
    for (std::size_t j = 0; j < buffers; ++j) {
      state[j] += increment - multiply_fraction(state[j], theta_gap_[j]);
    }
    state += buffers;
  }
}

void BltFilter::encode(std::span<Int128> values) {
  advance(values, [](Int128& value, Int128 feedback) {
    const Int128 step_value = value;
    value += feedback;
    return step_value;
  });
}

void BltFilter::decode(std::span<Int128> values) {
  advance(values, [](Int128& value, Int128 feedback) {
    value -= feedback;
    return value;
  });
}

double BltFilter::rounding_width(const BltParameters& parameters) {
  const double state_units = static_cast<double>(parameters.buffers()) + parameters.rounding_gain();
  return 1.0 + std::ldexp(state_units, -static_cast<int>(kStateBits));
}

}  // namespace rivulet::strategy
