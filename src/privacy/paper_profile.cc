#include "privacy/paper_profile.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "base/number_text.h"
#include "privacy/calibration.h"
#include "rivulet/error.h"

namespace rivulet::privacy {

double paper_node_stddev(const Budget& budget, std::uint64_t horizon_steps) {
  const double epsilon = budget.epsilon / 2.0;
  const double delta = budget.delta / 2.0;
  constexpr double kDelta2 = 2.0;
  const double log_steps = std::log2(static_cast<double>(horizon_steps));
  return std::sqrt(2.0 * log_steps * log_steps * kDelta2 * kDelta2 * std::log(2.0 / delta)) / epsilon;
}

void require_paper_range(const Budget& budget, const Horizon& horizon) {
  if (budget.epsilon > 1.0) {
    throw RequestError("epsilon",
                       "profile 'paper' is refused at " + std::to_string(budget.epsilon) +
                           ": its constants rest on the classical Gaussian mechanism theorem, which holds for "
                           "epsilon <= 1; use an epsilon of at most 1 or profile 'tight'");
  }
  if (!horizon.is_known()) {
    throw RequestError("horizon",
                       "profile 'paper' needs a known number of steps T, which is part of its noise formula; "
                       "give one, or use profile 'tight'");
  }
  if (horizon.steps() < 4) {
    throw RequestError("horizon",
                       "profile 'paper' is refused at " + std::to_string(horizon.steps()) +
                           " steps: its noise grows with log2(T) but a row enters floor(log2 T)+1 tree nodes, "
                           "which log2(T) does not cover below 4 steps; use at least 4 or profile 'tight'");
  }
}

double theorem_4_2_bound(const Budget& budget, std::uint64_t horizon_steps, double dimension, double diameter,
                         double beta) {
  const double steps = static_cast<double>(horizon_steps);
  return std::pow(std::log2(steps), 1.5) * std::sqrt(std::log(1.0 / budget.delta)) * diameter * diameter *
         (std::sqrt(dimension) + std::sqrt(std::log(steps / beta))) / budget.epsilon;
}

double paper_sketch_dimension(double width, double rows, double beta) {
  const double gamma = std::cbrt(width / rows);
  return std::ceil(std::max(width * width, std::log(rows / beta)) / (gamma * gamma));
}

double theorem_5_7_bound(const Budget& budget, double rows, double width, double diameter, double opt, double beta) {
  const double log_rows = std::log2(rows);
  const double noise = std::cbrt(rows * width * width) * log_rows * log_rows * diameter * diameter *
                       std::sqrt(std::log(1.0 / budget.delta) * std::log(1.0 / beta)) / budget.epsilon;
  const double root = std::pow(rows, 1.0 / 6.0) * std::cbrt(width) * diameter * std::sqrt(opt);
  const double fourth = std::pow(rows * width * width * opt, 0.25) * std::pow(diameter, 1.5);
  return noise + root + fourth;
}

namespace {

// A product of non-negative numbers whose exponent does not overflow.
class Product {
 public:
  Product(std::initializer_list<double> factors) {
    for (const double factor : factors) {
      int shift = 0;
      mantissa_ = std::frexp(mantissa_ * factor, &shift);
      exponent_ += shift;
    }
  }
  [[nodiscard]] bool is_at_least(const Product& other) const {
    if (mantissa_ == 0.0 || other.mantissa_ == 0.0) return other.mantissa_ == 0.0;
    return exponent_ != other.exponent_ ? exponent_ > other.exponent_ : mantissa_ >= other.mantissa_;
  }

 private:
  double mantissa_ = 0.5;  // in [1/2, 1) or 0
  long exponent_ = 1;
};

// The smallest tau in [1, steps] that is enough, or `steps` when none is; what is enough stays enough above.
template <typename Enough>
std::uint64_t smallest_period(std::uint64_t steps, const Enough& enough) {
  std::uint64_t low = 1;
  std::uint64_t high = steps;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (enough(static_cast<double>(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

void require_positive(double value, const std::string& field) {
  if (!(value > 0.0) || std::isinf(value)) {
    throw RequestError(field, shown(value) + "; accepted: a positive finite number");
  }
}

double paper_calls(std::uint64_t steps, std::uint64_t period) {
  return static_cast<double>(steps) / static_cast<double>(period);
}

}  // namespace

void ErmProblem::validate() const {
  require_positive(static_cast<double>(steps), "horizon");
  require_positive(static_cast<double>(dimension), "dimension");
  require_positive(epsilon, "epsilon");
  require_positive(lipschitz, "lipschitz");
  require_positive(diameter, "constraint");
}

std::uint64_t convex_period(const ErmProblem& problem) {
  problem.validate();
  // tau^3 epsilon^2 >= T d
  const Product needed{static_cast<double>(problem.steps), static_cast<double>(problem.dimension)};
  return smallest_period(problem.steps, [&](double tau) {
    return Product{tau, tau, tau, problem.epsilon, problem.epsilon}.is_at_least(needed);
  });
}

std::uint64_t strongly_convex_period(const ErmProblem& problem, double strong_convexity) {
  problem.validate();
  require_positive(strong_convexity, "ridge");
  // tau^2 nu epsilon^2 ||C|| >= d L
  const Product needed{static_cast<double>(problem.dimension), problem.lipschitz};
  return smallest_period(problem.steps, [&](double tau) {
    return Product{tau, tau, strong_convexity, problem.epsilon, problem.epsilon, problem.diameter}.is_at_least(needed);
  });
}

std::uint64_t width_period(const ErmProblem& problem, double gaussian_width, double curvature) {
  problem.validate();
  require_positive(gaussian_width, "constraint");
  if (!(curvature >= 0.0) || std::isinf(curvature)) {
    throw RequestError(
        "loss", "its curvature constant is " + shown(curvature) + "; accepted: a finite one, which smooth losses have");
  }
  // tau^4 L ||C|| epsilon^2 >= T^2 w(C)^2 C_j
  const double steps = static_cast<double>(problem.steps);
  const Product needed{steps, steps, gaussian_width, gaussian_width, curvature};
  return smallest_period(problem.steps, [&](double tau) {
    return Product{tau, tau, tau, tau, problem.lipschitz, problem.diameter, problem.epsilon, problem.epsilon}
        .is_at_least(needed);
  });
}

Budget paper_call_budget(const Budget& budget, std::uint64_t steps, std::uint64_t period) {
  budget.validate();
  if (period < 1 || period > steps) {
    throw RequestError("period", std::to_string(period) + " steps a call; accepted: 1 to " + std::to_string(steps) +
                                     ", the number of steps");
  }
  const double calls = paper_calls(steps, period);
  return {budget.epsilon / (2.0 * std::sqrt(2.0 * calls * std::log(2.0 / budget.delta))), budget.delta / (2.0 * calls)};
}

ErmPaperAccount verify_paper_calls(const Budget& budget, std::uint64_t steps, std::uint64_t period) {
  const Budget call = paper_call_budget(budget, steps, period);
  const double calls = paper_calls(steps, period);
  const auto refuse = [&](const std::string& why) {
    throw RequestError("epsilon", "profile 'paper' is refused at " + shown(budget.epsilon) + ": " + why +
                                      "; use a smaller epsilon or profile 'tight'");
  };
  const double log_term = std::log(2.0 / budget.delta);
  ErmPaperAccount account;
  account.advanced.epsilon =
      call.epsilon * std::sqrt(2.0 * calls * log_term) + 2.0 * calls * call.epsilon * call.epsilon;
  account.advanced.delta = calls * call.delta + budget.delta / 2.0;
  constexpr double kRounding = 1.0 + 1e-12;
  if (call.epsilon > 1.0) {
    refuse("each call would get epsilon " + shown(call.epsilon) + ", and its composition theorem is for up to 1");
  }
  if (account.advanced.epsilon > budget.epsilon * kRounding || account.advanced.delta > budget.delta * kRounding) {
    refuse("its calls add up to epsilon " + shown(account.advanced.epsilon) +
           " by its composition theorem, which fits up to 2 ln(2 / delta) = " + shown(2.0 * log_term));
  }
  account.call_mu = gaussian_mu(call);
  account.gaussian_mu = std::sqrt(std::floor(calls)) * account.call_mu * (1.0 + 0x1p-50);
  account.gaussian_delta = gaussian_delta(account.gaussian_mu, budget.epsilon);
  if (account.gaussian_delta > budget.delta) {
    refuse("its calls have delta " + shown(account.gaussian_delta) + " together, more than " + shown(budget.delta));
  }
  return account;
}

}  // namespace rivulet::privacy
