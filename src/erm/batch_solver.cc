#include "erm/batch_solver.h"

#include <algorithm>
#include <cmath>

#include "privacy/erm_schedule.h"

namespace rivulet::erm {
namespace {

std::vector<double> gradient_descent(const BatchProblem& problem, const BatchSettings& settings, double mu_k,
                                     GradientSource& source, std::span<const double> start) {
  const std::size_t d = start.size();
  const double dimension = static_cast<double>(d);
  const double steps = static_cast<double>(settings.iterations) * static_cast<double>(settings.parts);
  const double rows = problem.rows / static_cast<double>(settings.parts);  // in a sum
  const double noise = source.noise(mu_k);
  const double diameter = problem.set->diameter();
  const double slope = std::hypot(rows * (problem.lipschitz + problem.ridge * diameter), std::sqrt(dimension) * noise);
  const double convex_step =
      std::min(1.0 / (rows * (problem.smoothness + problem.ridge)), 2.0 * diameter / (slope * std::sqrt(steps)));

  std::vector<double> theta(start.begin(), start.end());
  std::vector<double> average(d, 0.0);
  std::vector<double> gradient(d);
  double weight = 0.0;
  double step = 0.0;
  for (std::uint64_t iteration = 0; iteration < settings.iterations; ++iteration) {
    for (std::uint64_t part = 0; part < settings.parts; ++part) {
      step += 1.0;
      source.gradient(theta, mu_k, part, settings.parts, gradient);
      const double size = problem.ridge > 0.0 ? std::min(1.0 / (rows * (problem.smoothness + problem.ridge)),
                                                         1.0 / (rows * problem.ridge * step))
                                              : convex_step;
      for (std::size_t i = 0; i < d; ++i) theta[i] -= size * (gradient[i] + rows * problem.ridge * theta[i]);
      problem.set->project(theta);
      // The first half is the way there.
      if (2.0 * step <= steps && steps > 1.0) continue;
      const double share = problem.ridge > 0.0 ? step : 1.0;
      weight += share;
      for (std::size_t i = 0; i < d; ++i) average[i] += share * (theta[i] - average[i]) / weight;
    }
  }
  return average;
}

std::vector<double> frank_wolfe(const BatchProblem& problem, const BatchSettings& settings, double mu_k,
                                GradientSource& source, std::span<const double> start) {
  std::vector<double> theta(start.begin(), start.end());
  std::vector<double> gradient(theta.size());
  std::vector<double> vertex(theta.size());
  for (std::uint64_t k = 0; k < settings.iterations; ++k) {
    source.gradient(theta, mu_k, 0, 1, gradient);
    for (std::size_t i = 0; i < theta.size(); ++i) gradient[i] += problem.rows * problem.ridge * theta[i];
    problem.set->minimise_linear(gradient, vertex);
    const double share = 2.0 / (static_cast<double>(k) + 2.0);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += share * (vertex[i] - theta[i]);
  }
  return theta;
}

}  // namespace

std::uint64_t chosen_iterations(BatchMethod method, const BatchProblem& problem, double mu, double sensitivity,
                                std::uint64_t most) {
  const double noise = sensitivity * problem.lipschitz / mu;  // of a single sum that takes all of mu
  double wanted = 1.0;
  if (method == BatchMethod::frank_wolfe) {
    const double diameter = problem.set->diameter();
    const double curvature = 4.0 * (problem.smoothness + problem.ridge) * diameter * diameter * problem.rows;
    wanted = std::pow(2.0 * curvature / (noise * problem.set->gaussian_width()), 2.0 / 3.0);
  } else {
    const double dimension = static_cast<double>(problem.set->dimension());
    wanted = std::pow(problem.rows * problem.lipschitz / (std::sqrt(dimension) * noise), 2.0);
  }
  if (!(wanted < static_cast<double>(most))) return most;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(wanted)));
}

std::vector<double> solve_batch(const BatchProblem& problem, const BatchSettings& settings, double mu,
                                GradientSource& source, std::span<const double> start) {
  const double mu_k = privacy::even_part(mu, settings.iterations);
  std::vector<double> theta = settings.method == BatchMethod::frank_wolfe
                                  ? frank_wolfe(problem, settings, mu_k, source, start)
                                  : gradient_descent(problem, settings, mu_k, source, start);
  problem.set->project(theta);
  return theta;
}

}  // namespace rivulet::erm
