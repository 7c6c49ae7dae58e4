// The designer: minimises log ||C|| + log(prefix std) over interlaced decays by a damped Newton method. The decays
// enter as -log(gap), written as cumulative sums of exponentials on top of the largest theta gap (kept below one half,
// as the integer filter wants it), which makes the interlacing automatic and the problem unconstrained.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "strategy/blt.h"
#include "strategy/blt_formulas.h"

namespace rivulet::strategy {
namespace {

// Forward-mode automatic differentiation with a fixed number of directions: exact gradients.
template <std::size_t N>
struct Dual {
  double value = 0.0;
  std::array<double, N> slope{};

  Dual() = default;
  explicit Dual(double constant) : value(constant) {}

  // The variable number `index`.
  static Dual variable(double at, std::size_t index) {
    Dual result(at);
    result.slope[index] = 1.0;
    return result;
  }

  // f(x) given f and f' at x.
  [[nodiscard]] Dual chain(double function_value, double derivative) const {
    Dual result(function_value);
    for (std::size_t i = 0; i < N; ++i) result.slope[i] = derivative * slope[i];
    return result;
  }

  friend Dual combine(double value, const Dual& a, double da, const Dual& b, double db) {
    Dual result(value);
    for (std::size_t i = 0; i < N; ++i) result.slope[i] = da * a.slope[i] + db * b.slope[i];
    return result;
  }

  friend Dual operator+(const Dual& a, const Dual& b) { return combine(a.value + b.value, a, 1.0, b, 1.0); }
  friend Dual operator-(const Dual& a, const Dual& b) { return combine(a.value - b.value, a, 1.0, b, -1.0); }
  friend Dual operator-(const Dual& a) { return a.chain(-a.value, -1.0); }
  friend Dual operator*(const Dual& a, const Dual& b) { return combine(a.value * b.value, a, b.value, b, a.value); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return combine(quotient, a, 1.0 / b.value, b, -quotient / b.value);
  }
  friend Dual exp(const Dual& a) {
    const double e = std::exp(a.value);
    return a.chain(e, e);
  }
  friend Dual expm1(const Dual& a) { return a.chain(std::expm1(a.value), std::exp(a.value)); }
  friend Dual log(const Dual& a) { return a.chain(std::log(a.value), 1.0 / a.value); }
  friend Dual log1p(const Dual& a) { return a.chain(std::log1p(a.value), 1.0 / (1.0 + a.value)); }
};

constexpr std::size_t kMaxParameters = std::size_t{2} * kMaxBuffers;
using Number = Dual<kMaxParameters>;

struct Problem {
  double norm_steps;   // horizon of ||C||, possibly infinite
  double error_steps;  // where the prefix error is measured
  std::size_t buffers;
};

struct Gaps {
  std::vector<Number> theta;
  std::vector<Number> inverse;
};

// Parameters p_0..p_{2k-1} belong to theta_1, y_1, theta_2, y_2, ..., y_k. With depth = -log(gap):
//   depth(theta_k) = log 2.0002 + exp(p_{2k-2}),   depth(y_k) = depth(theta_k) / (1 + exp(-p_{2k-1})),
//   depth_i = depth_{i+1} + exp(p_i) for the others.
Gaps gaps_of(const Eigen::VectorXd& parameters) {
  const auto count = static_cast<std::size_t>(parameters.size());
  Gaps gaps{std::vector<Number>(count / 2), std::vector<Number>(count / 2)};
  const auto parameter = [&](std::size_t i) { return Number::variable(parameters[static_cast<Eigen::Index>(i)], i); };
  const Number one(1.0);
  Number depth = Number(std::log(2.0002)) + exp(parameter(count - 2));
  gaps.theta.back() = exp(-depth);
  gaps.inverse.back() = exp(-(depth / (one + exp(-parameter(count - 1)))));
  for (std::size_t i = count - 2; i-- > 0;) {
    depth = depth + exp(parameter(i));
    (i % 2 == 0 ? gaps.theta : gaps.inverse)[i / 2] = exp(-depth);
  }
  return gaps;
}

Number objective(const Problem& problem, const Eigen::VectorXd& parameters) {
  const Gaps gaps = gaps_of(parameters);
  const auto omega = blt_omega(gaps.theta, gaps.inverse);
  const auto beta = blt_beta(gaps.theta, gaps.inverse);
  return log(blt_column_norm_squared(gaps.theta, omega, problem.norm_steps)) +
         log(blt_prefix_variance(gaps.inverse, beta, problem.error_steps));
}

Eigen::VectorXd gradient_of(const Number& number, Eigen::Index count) {
  Eigen::VectorXd gradient(count);
  for (Eigen::Index i = 0; i < count; ++i) gradient[i] = number.slope[static_cast<std::size_t>(i)];
  return gradient;
}

// Central differences of exact gradients: accurate to about 1e-10, which leaves Newton's method superlinear.
Eigen::MatrixXd hessian_at(const Problem& problem, const Eigen::VectorXd& at) {
  const Eigen::Index count = at.size();
  constexpr double kStep = 1e-5;
  Eigen::MatrixXd hessian(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    Eigen::VectorXd shifted = at;
    shifted[i] = at[i] + kStep;
    const Eigen::VectorXd above = gradient_of(objective(problem, shifted), count);
    shifted[i] = at[i] - kStep;
    const Eigen::VectorXd below = gradient_of(objective(problem, shifted), count);
    hessian.col(i) = (above - below) / (2.0 * kStep);
  }
  return (hessian + hessian.transpose()) / 2.0;
}

Eigen::VectorXd start_point(const Problem& problem) {
  // Gaps spread geometrically between 1/steps and about one third.
  const auto count = static_cast<Eigen::Index>(2 * problem.buffers);
  const double deepest = std::max(std::log(problem.error_steps) + 0.5, 1.5);
  const double shallowest = 1.1;
  Eigen::VectorXd parameters(count);
  parameters[count - 1] = 0.0;
  parameters[count - 2] = std::log(shallowest - std::log(2.0002));
  const double spacing = (deepest - shallowest) / static_cast<double>(std::max<Eigen::Index>(count - 2, 1));
  for (Eigen::Index i = 0; i < count - 2; ++i) parameters[i] = std::log(spacing);
  return parameters;
}

Eigen::VectorXd minimise(const Problem& problem) {
  Eigen::VectorXd at = start_point(problem);
  const Eigen::Index count = at.size();
  Number value = objective(problem, at);
  double damping = 1e-3;
  int small_steps = 0;
  for (int iteration = 0; iteration < 300 && small_steps < 3; ++iteration) {
    const Eigen::VectorXd gradient = gradient_of(value, count);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(hessian_at(problem, at));
    bool improved = false;
    for (int attempt = 0; attempt < 40; ++attempt) {
      // |eigenvalue| + damping keeps every direction one of descent, also where the objective is not convex.
      const Eigen::VectorXd scale = (eigen.eigenvalues().cwiseAbs().array() + damping).matrix();
      Eigen::VectorXd step =
          -(eigen.eigenvectors() * (eigen.eigenvectors().transpose() * gradient).cwiseQuotient(scale));
      const double longest = step.cwiseAbs().maxCoeff();
      if (longest > 1.0) step /= longest;
      const Number candidate = objective(problem, at + step);
      if (std::isfinite(candidate.value) && candidate.value <= value.value + 1e-15) {
        improved = true;
        small_steps = step.cwiseAbs().maxCoeff() < 1e-9 ? small_steps + 1 : 0;
        at += step;
        value = candidate;
        damping = std::max(damping * 0.1, 1e-13);
        break;
      }
      damping *= 10.0;
    }
    if (!improved) break;
  }
  return at;
}

Problem problem_for(std::optional<std::uint64_t> steps, unsigned buffers) {
  if (buffers < 1 || buffers > kMaxBuffers) throw std::invalid_argument("BLT buffers outside 1..8");
  if (!steps) {
    return {std::numeric_limits<double>::infinity(), static_cast<double>(kUnboundedDesignSteps), buffers};
  }
  // Below four steps the problem degenerates; the design for four is as good.
  const double count = static_cast<double>(std::max<std::uint64_t>(*steps, 4));
  return {count, count, buffers};
}

}  // namespace

BltParameters design_blt(std::optional<std::uint64_t> steps, unsigned buffers) {
  const Gaps gaps = gaps_of(minimise(problem_for(steps, buffers)));
  std::vector<double> theta_gaps;
  std::vector<double> inverse_gaps;
  for (std::size_t j = 0; j < gaps.theta.size(); ++j) {
    theta_gaps.push_back(gaps.theta[j].value);
    inverse_gaps.push_back(gaps.inverse[j].value);
  }
  return {theta_gaps, inverse_gaps};
}

BltParameters design_blt(std::optional<std::uint64_t> steps) {
  if (!steps) return design_blt(steps, kMaxBuffers);
  constexpr double kGoodEnough = 1.002;
  for (unsigned buffers = 1; buffers < kMaxBuffers; ++buffers) {
    BltParameters candidate = design_blt(steps, buffers);
    const double stddev = candidate.column_norm(steps) * std::sqrt(candidate.prefix_variance(*steps));
    if (stddev <= kGoodEnough * sqrt_toeplitz_stddev(*steps)) return candidate;
  }
  return design_blt(steps, kMaxBuffers);
}

double sqrt_toeplitz_stddev(std::uint64_t steps) {
  constexpr std::uint64_t kDirectSum = 4096;
  if (steps <= kDirectSum) {
    double sum = 0.0;
    double c = 1.0;
    for (std::uint64_t i = 0; i < steps; ++i) {
      sum += c * c;
      c *= (2.0 * static_cast<double>(i) + 1.0) / (2.0 * static_cast<double>(i) + 2.0);
    }
    return sum;
  }
  // Watson's expansion of the Landau constants in n - 1/4; the next term is of order n^-4.
  const double shifted = static_cast<double>(steps) - 0.25;
  return (std::log(shifted) + std::numbers::egamma + 4.0 * std::numbers::ln2 + 11.0 / (192.0 * shifted * shifted)) /
         std::numbers::pi;
}

}  // namespace rivulet::strategy
