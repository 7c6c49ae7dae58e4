#include "strategy/blt_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace rivulet::strategy {

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

}  // namespace rivulet::strategy
