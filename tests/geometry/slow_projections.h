// Projections by bisection in long double: slow, simple, and sharing nothing with the methods under test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace rivulet::geometry {

// The root of a decreasing function on [low, high].
template <typename Function>
long double bisect(long double low, long double high, const Function& f) {
  for (int step = 0; step < 250; ++step) {
    const long double middle = low + (high - low) / 2;
    (f(middle) > 0.0L ? low : high) = middle;
  }
  return high;
}

inline long double magnitude(double entry) {
  return std::abs(static_cast<long double>(entry));
}

inline std::vector<double> with_signs(const std::vector<long double>& magnitudes, std::span<const double> signs) {
  std::vector<double> point(signs.size());
  for (std::size_t i = 0; i < point.size(); ++i) point[i] = std::copysign(static_cast<double>(magnitudes[i]), signs[i]);
  return point;
}

inline std::vector<double> slow_simplex_projection(std::span<const double> x, double total) {
  const long double largest = *std::max_element(x.begin(), x.end());
  // From the largest entry down: far away, even long double has no digits to spare.
  const auto kept = [&](long double entry, long double s) { return std::max((entry - largest) - s, 0.0L); };
  const long double threshold = bisect(-static_cast<long double>(total), 0.0L, [&](long double s) {
    long double sum = -static_cast<long double>(total);
    for (const double entry : x) sum += kept(entry, s);
    return sum;
  });
  std::vector<double> result;
  for (const double entry : x) result.push_back(static_cast<double>(kept(entry, threshold)));
  return result;
}

inline std::vector<double> slow_group_projection(std::span<const double> x, std::span<const std::size_t> sizes,
                                                 double radius) {
  std::vector<long double> norms;
  std::size_t i = 0;
  for (const std::size_t size : sizes) {
    long double squares = 0.0L;
    for (const std::size_t end = i + size; i < end; ++i) squares += magnitude(x[i]) * magnitude(x[i]);
    norms.push_back(std::sqrt(squares));
  }
  const auto total = [&](long double threshold) {
    long double sum = -static_cast<long double>(radius);
    for (const long double norm : norms) sum += std::max(norm - threshold, 0.0L);
    return sum;
  };
  if (total(0.0L) <= 0.0L) return {x.begin(), x.end()};
  const long double threshold = bisect(0.0L, *std::max_element(norms.begin(), norms.end()), total);
  std::vector<double> result;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const long double factor = norms[k] > threshold ? 1.0L - threshold / norms[k] : 0.0L;
    for (std::size_t j = 0; j < sizes[k]; ++j) result.push_back(static_cast<double>(factor * x[result.size()]));
  }
  return result;
}

// v_i = (|x_i| - m A)+ / (1 + 2 m (1 - A)) in units of the radius.
inline std::vector<double> slow_elastic_projection(std::span<const double> x, double l1_share, double radius) {
  const long double a = l1_share;
  std::vector<long double> v(x.size());
  const auto level = [&](long double m) {
    long double value = -1.0L;
    for (std::size_t i = 0; i < x.size(); ++i) {
      v[i] = std::max(magnitude(x[i]) / radius - m * a, 0.0L) / (1.0L + 2.0L * m * (1.0L - a));
      value += a * v[i] + (1.0L - a) * v[i] * v[i];
    }
    return value;
  };
  if (level(0.0L) <= 0.0L) return {x.begin(), x.end()};
  long double largest = 0.0L;
  for (const double entry : x) largest = std::max(largest, magnitude(entry) / radius);
  level(bisect(0.0L, largest / a, level));
  for (long double& entry : v) entry *= radius;
  return with_signs(v, x);
}

// u + lambda u^(p-1) = |x_i| by bisection in log u, inside a bisection in log lambda. In units of the radius.
inline std::vector<double> slow_lp_projection(std::span<const double> x, double p, double radius) {
  std::vector<long double> u(x.size());
  const auto excess = [&](long double log_lambda) {
    long double sum = -1.0L;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double b = magnitude(x[i]) / radius;
      if (b == 0.0L) continue;
      const long double log_u = -bisect(-std::log(b), 12000.0L, [&](long double minus_log) {
        return std::exp(-minus_log) + std::exp(log_lambda - (static_cast<long double>(p) - 1.0L) * minus_log) - b;
      });
      u[i] = std::exp(log_u);
      sum += std::exp(p * log_u);
    }
    return sum;
  };
  excess(bisect(-60.0L, 1500.0L, excess));
  for (long double& entry : u) entry *= radius;
  return with_signs(u, x);
}

}  // namespace rivulet::geometry
