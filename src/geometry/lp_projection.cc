#include "geometry/lp_projection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/portable_math.h"

namespace rivulet::geometry {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Enough for a bisection of the whole range; Newton's steps need 15 or fewer.
constexpr int kMostPasses = 200;

// log u and its derivative with respect to log lambda.
struct Entry {
  double log_u;
  double slope;
};

class Equations {
 public:
  Equations(std::span<const double> magnitudes, double p, double rho) : p_(p), log_target_(p * portable_log(rho)) {
    log_b_.reserve(magnitudes.size());
    for (const double magnitude : magnitudes) log_b_.push_back(portable_log(magnitude));  // log 0 = -infinity stays so
    log_u_ = log_b_;
  }

  // A multiplier not below the right one: the one for which u = (b / lambda)^(1/(p-1)), each entry's own upper bound,
  // would have the norm rho.
  [[nodiscard]] double largest_multiplier() const {
    const double q = p_ / (p_ - 1.0);
    double sum = 0.0;
    for (const double log_b : log_b_) sum += portable_exp(q * log_b);
    return portable_exp((portable_log(sum) - log_target_) / q);
  }

  // log(||u(lambda)||_p^p / rho^p), decreasing in lambda; its derivative with respect to log lambda goes to `slope`.
  double excess(double multiplier, double& slope) {
    const double log_multiplier = portable_log(multiplier);
    double sum = 0.0;
    double change = 0.0;
    for (std::size_t i = 0; i < log_b_.size(); ++i) {
      if (std::isinf(log_b_[i])) continue;
      const Entry entry = solve_entry(log_b_[i], log_multiplier, log_u_[i]);
      log_u_[i] = entry.log_u;
      const double power = portable_exp(p_ * entry.log_u);
      sum += power;
      change += power * entry.slope;
    }
    slope = p_ * change / sum;
    return portable_log(sum) - log_target_;
  }

  // u / ||u||_p for the multiplier last asked about.
  void write(std::span<double> out) const {
    double sum = 0.0;
    for (const double log_u : log_u_) sum += portable_exp(p_ * log_u);
    const double norm = portable_exp(portable_log(sum) / p_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = portable_exp(log_u_[i]) / norm;
  }

 private:
  // log(e^s + lambda e^((p-1) s)) = log b for s = log u, from the start given. Each term alone bounds s from above.
  [[nodiscard]] Entry solve_entry(double log_b, double log_multiplier, double start) const {
    const double r = p_ - 1.0;
    const double bound = std::min(log_b, (log_b - log_multiplier) / r);
    double s = std::min(start, bound);
    double last_step = std::numeric_limits<double>::infinity();
    for (int pass = 0;; ++pass) {
      const double linear = portable_exp(s - log_b);
      const double root = portable_exp(log_multiplier + r * s - log_b);
      const double denominator = linear + r * root;
      // A start far to the left may lose both terms; the bound never does.
      const double step = denominator > 0.0 ? (linear + root) * portable_log(linear + root) / denominator : 0.0;
      const double next = denominator > 0.0 ? std::min(s - step, bound) : bound;
      const bool settled = std::abs(s - next) <= kEpsilon * (1.0 + std::abs(s)) ||
                           (pass > 3 && std::abs(step) >= last_step) || pass == kMostPasses;
      if (settled && denominator > 0.0) return {s, -root / denominator};
      last_step = std::abs(step);
      s = next;
    }
  }

  double p_;
  double log_target_;
  std::vector<double> log_b_;
  std::vector<double> log_u_;
};

}  // namespace

void nearest_in_lp_ball(std::span<double> magnitudes, double p, double rho) {
  Equations equations(magnitudes, p, rho);
  double low = 0.0;
  double high = equations.largest_multiplier();
  double multiplier = high;
  const double steepest = p / (p - 1.0);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    double slope = 0.0;
    const double excess = equations.excess(multiplier, slope);
    (excess > 0.0 ? low : high) = multiplier;
    // Where the constraint hardly binds the excess is linear in the multiplier, far away in its logarithm.
    const double step = -excess / slope;
    double next = -slope > 0.5 * steepest ? multiplier * portable_exp(step) : multiplier * (1.0 + step);
    // Below this the multiplier moves nothing.
    if (high < 1e-20 || std::abs(step) <= 2.0 * kEpsilon || high - low <= 2.0 * kEpsilon * high) break;
    if (!(next > low && next < high)) next = low > 0.0 ? 0.5 * (low + high) : 0.1 * high;
    multiplier = next;
  }
  equations.write(magnitudes);
}

}  // namespace rivulet::geometry
