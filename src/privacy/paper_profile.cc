#include "privacy/paper_profile.h"

#include <algorithm>
#include <cmath>
#include <string>

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

}  // namespace rivulet::privacy
