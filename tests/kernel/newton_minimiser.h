// An independent minimiser of a ridge problem over an L2 ball, by Newton's method in long double and bisection for the
// ball's multiplier. It shares nothing with the kernel's gradient steps but the formulas of the losses.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rivulet/loss.h"

namespace rivulet::testing {

// phi' and phi'' by their formulas.
class SmoothFormula {
 public:
  explicit SmoothFormula(const Loss& loss) : name_(loss.name()) {
    const std::size_t colon = name_.find(':');
    double parameter = 0.0;
    if (colon != std::string::npos) std::from_chars(name_.data() + colon + 1, name_.data() + name_.size(), parameter);
    parameter_ = parameter;
  }

  [[nodiscard]] std::pair<long double, long double> slopes(long double p, long double y) const {
    if (name_ == "squared") return {2.0L * (p - y), 2.0L};
    if (name_ == "logistic") {
      const long double chance = 1.0L / (1.0L + std::exp(y * p));
      return {-y * chance, y * y * chance * (1.0L - chance)};
    }
    if (name_ == "hinge") return {-y, 0.0L};  // within its straight part
    if (name_.starts_with("huber")) {
      if (std::abs(p - y) <= parameter_) return {p - y, 1.0L};
      return {p > y ? parameter_ : -parameter_, 0.0L};
    }
    const long double gap = 1.0L - y * p;
    if (gap <= 0.0L) return {0.0L, 0.0L};
    if (gap >= parameter_) return {-y, 0.0L};
    return {-y * gap / parameter_, y * y / parameter_};
  }

 private:
  std::string name_;
  long double parameter_ = 0.0L;
};

// Rows are x and then y, in natural units.
class NewtonMinimiser {
 public:
  using Vector = std::vector<long double>;

  NewtonMinimiser(const Loss& loss, std::vector<std::vector<double>> rows, double ridge, double radius)
      : formula_(loss), rows_(std::move(rows)), ridge_(ridge), radius_(radius) {}

  [[nodiscard]] Vector minimise() const {
    Vector theta = unconstrained(ridge_);
    if (norm(theta) <= radius_) return theta;
    long double low = ridge_;
    long double high = 2.0L * ridge_;
    while (norm(unconstrained(high)) > radius_) high *= 2.0L;
    for (int halving = 0; halving < 90; ++halving) {
      const long double middle = 0.5L * (low + high);
      (norm(unconstrained(middle)) > radius_ ? low : high) = middle;
    }
    return unconstrained(high);
  }

  static long double norm(const Vector& v) {
    long double squares = 0.0L;
    for (const long double entry : v) squares += entry * entry;
    return std::sqrt(squares);
  }

 private:
  [[nodiscard]] Vector unconstrained(long double ridge) const {
    const std::size_t d = rows_.front().size() - 1;
    Vector theta(d, 0.0L);
    for (int step = 0; step < 500; ++step) {
      auto [gradient, hessian] = derivatives(theta, ridge);
      const long double before = norm(gradient);
      if (before < 1e-17L) break;
      const Vector direction = solve(hessian, gradient);
      // A gradient that does not shrink is a step across a corner of phi': shorten it.
      long double size = 1.0L;
      Vector next(d);
      for (int shortening = 0; shortening < 60; ++shortening, size *= 0.5L) {
        for (std::size_t i = 0; i < d; ++i) next[i] = theta[i] - size * direction[i];
        if (norm(derivatives(next, ridge).first) < before) break;
      }
      theta = next;
    }
    return theta;
  }

  // Mean over the rows.
  [[nodiscard]] std::pair<Vector, std::vector<Vector>> derivatives(const Vector& theta, long double ridge) const {
    const std::size_t d = theta.size();
    Vector gradient(d);
    std::vector<Vector> hessian(d, Vector(d, 0.0L));
    for (std::size_t i = 0; i < d; ++i) {
      gradient[i] = ridge * theta[i];
      hessian[i][i] = ridge;
    }
    const auto count = static_cast<long double>(rows_.size());
    for (const std::vector<double>& row : rows_) {
      long double p = 0.0L;
      for (std::size_t i = 0; i < d; ++i) p += theta[i] * row[i];
      const auto [first, second] = formula_.slopes(p, row[d]);
      for (std::size_t i = 0; i < d; ++i) {
        gradient[i] += first * row[i] / count;
        for (std::size_t j = 0; j < d; ++j) hessian[i][j] += second * row[i] * row[j] / count;
      }
    }
    return {gradient, hessian};
  }

  // Gaussian elimination; the matrix is positive definite.
  static Vector solve(std::vector<Vector> a, Vector b) {
    const std::size_t d = b.size();
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t i = k + 1; i < d; ++i) {
        const long double factor = a[i][k] / a[k][k];
        for (std::size_t j = k; j < d; ++j) a[i][j] -= factor * a[k][j];
        b[i] -= factor * b[k];
      }
    }
    for (std::size_t k = d; k-- > 0;) {
      for (std::size_t j = k + 1; j < d; ++j) b[k] -= a[k][j] * b[j];
      b[k] /= a[k][k];
    }
    return b;
  }

  SmoothFormula formula_;
  std::vector<std::vector<double>> rows_;
  long double ridge_;
  long double radius_;
};

}  // namespace rivulet::testing
