#include "erm/batch_solver.h"

#include <algorithm>
#include <cmath>

#include "privacy/erm_schedule.h"

namespace rivulet::erm {
namespace {

// Annealing, by trial on 168 problems (docs/losses.md).
constexpr std::uint64_t kFewestAnnealed = 1000;
constexpr std::uint64_t kStages = 12;
constexpr double kShortening = 0.31622776601683794;  // 1e-6 over the stages
constexpr double kFlow = 0.25;                       // of ||K||^2 / (w(K) D L / mu): see batch_solver.h

// Excess risk to be expected from noise whose mean over a call has this standard deviation a coordinate.
double noise_bound(const BatchProblem& problem, double mean_noise) {
  return problem.set->gaussian_width() * mean_noise;
}

// t of batch_solver.h; infinite without noise.
double flow_duration(const BatchProblem& problem, double mean_noise) {
  const double diameter = problem.set->diameter();
  return kFlow * diameter * diameter / noise_bound(problem, mean_noise);
}

// n beta, or of a smoothed phi that is off by at most what the noise and `steps` steps leave anyway; the corner of a
// kink is not taken for sharper than 1 / (2 ||K||) unless they can tell.
double total_curvature(const BatchProblem& problem, double rows, double mean_noise, double steps) {
  const double slope = rows * problem.lipschitz;
  const double left_over = std::max(noise_bound(problem, mean_noise), 2.0 * slope * problem.set->diameter() / steps);
  const double smoothed = std::max(slope * slope / (2.0 * left_over), slope);
  return std::max(std::min(rows * problem.smoothness, smoothed), 1e-9 * slope) + rows * problem.ridge;
}

std::vector<double> gradient_descent(const BatchProblem& problem, const BatchSettings& settings, double mu_k,
                                     GradientSource& source, std::span<const double> start) {
  const std::size_t d = start.size();
  const double steps = static_cast<double>(settings.iterations) * static_cast<double>(settings.parts);
  const double rows = problem.rows / static_cast<double>(settings.parts);  // in a sum
  const double mean_noise = source.noise(mu_k) / std::sqrt(steps);
  const double flow = flow_duration(problem, mean_noise);
  const double size = std::min(1.0 / total_curvature(problem, rows, mean_noise, steps),
                               steps > 1.0 ? 8.0 * flow / (steps * steps) : flow);

  std::vector<double> theta(start.begin(), start.end());
  std::vector<double> ahead = theta;  // theta and its momentum
  std::vector<double> before = theta;
  std::vector<double> average(d, 0.0);
  std::vector<double> gradient(d);
  double step = 0.0;
  double averaged = 0.0;
  for (std::uint64_t iteration = 0; iteration < settings.iterations; ++iteration) {
    for (std::uint64_t part = 0; part < settings.parts; ++part) {
      step += 1.0;
      const double momentum = (step - 1.0) / (step + 2.0);
      for (std::size_t i = 0; i < d; ++i) ahead[i] = theta[i] + momentum * (theta[i] - before[i]);
      source.gradient(ahead, mu_k, part, settings.parts, gradient);
      before = theta;
      for (std::size_t i = 0; i < d; ++i) theta[i] = ahead[i] - size * (gradient[i] + rows * problem.ridge * ahead[i]);
      problem.set->project(theta);
      if (2.0 * step <= steps && steps > 1.0) continue;  // the first half is the way there
      averaged += 1.0;
      for (std::size_t i = 0; i < d; ++i) average[i] += (theta[i] - average[i]) / averaged;
    }
  }
  return average;
}

// Whether a loss with kinks is left with what its steps leave, and not with what noise does: only when many more sums
// are asked for than noise is worth.
bool anneals(const BatchProblem& problem, const BatchSettings& settings, double noise) {
  const double steps = static_cast<double>(settings.iterations);
  if (std::isfinite(problem.smoothness) || settings.parts != 1 || settings.iterations < kFewestAnnealed) return false;
  const double left_over = 2.0 * problem.rows * problem.lipschitz * problem.set->diameter() / steps;
  return noise_bound(problem, noise / std::sqrt(steps)) < 1e-2 * left_over;
}

// Subgradient descent in stages, each from the mean of the last half of the one before and with shorter steps.
std::vector<double> annealed(const BatchProblem& problem, std::uint64_t iterations, double mu_k, GradientSource& source,
                             std::vector<double> theta) {
  const double diameter = problem.set->diameter();
  const double slope = problem.rows * (problem.lipschitz + problem.ridge * diameter);
  const std::uint64_t steps = iterations / kStages;
  double reach = 0.2 * diameter;
  std::vector<double> gradient(theta.size());
  for (std::uint64_t stage = 0; stage < kStages; ++stage, reach *= kShortening) {
    const double size = reach / (slope * std::sqrt(static_cast<double>(steps)));
    std::vector<double> average(theta.size(), 0.0);
    double averaged = 0.0;
    for (std::uint64_t step = 1; step <= steps; ++step) {
      source.gradient(theta, mu_k, 0, 1, gradient);
      for (std::size_t i = 0; i < theta.size(); ++i) {
        theta[i] -= size * (gradient[i] + problem.rows * problem.ridge * theta[i]);
      }
      problem.set->project(theta);
      if (2 * step <= steps) continue;
      averaged += 1.0;
      for (std::size_t i = 0; i < theta.size(); ++i) average[i] += (theta[i] - average[i]) / averaged;
    }
    theta = average;
  }
  return theta;
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
  const double noise = sensitivity * problem.lipschitz / mu;  // of the mean of a call's sums
  double wanted = 1.0;
  if (method == BatchMethod::frank_wolfe) {
    const double diameter = problem.set->diameter();
    const double curvature = 4.0 * (problem.smoothness + problem.ridge) * diameter * diameter * problem.rows;
    wanted = std::pow(2.0 * curvature / noise_bound(problem, noise), 2.0 / 3.0);
  } else {
    double flow = flow_duration(problem, noise);
    if (problem.ridge > 0.0) flow = std::min(flow, 8.0 / (problem.rows * problem.ridge));
    wanted = std::sqrt(8.0 * flow * total_curvature(problem, problem.rows, noise, static_cast<double>(most)));
  }
  if (!(wanted < static_cast<double>(most))) return most;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(wanted)));
}

std::vector<double> solve_batch(const BatchProblem& problem, const BatchSettings& settings, double mu,
                                GradientSource& source, std::span<const double> start) {
  const double mu_k = privacy::even_part(mu, settings.iterations);
  std::vector<double> theta;
  if (settings.method == BatchMethod::frank_wolfe) {
    theta = frank_wolfe(problem, settings, mu_k, source, start);
  } else if (anneals(problem, settings, source.noise(mu_k))) {
    const BatchSettings first{.iterations = settings.iterations / 2};
    theta = annealed(problem, settings.iterations - first.iterations, mu_k, source,
                     gradient_descent(problem, first, mu_k, source, start));
  } else {
    theta = gradient_descent(problem, settings, mu_k, source, start);
  }
  problem.set->project(theta);
  return theta;
}

void RunningModel::take(std::span<const double> fresh, double rows, double mu, double window_calls) {
  const double knows = rows * mu * rows * mu;
  known_ += knows;
  // Weights within the window; past it the older calls fade by 1 / window_calls each time, to a mean age of one window.
  const double share = std::clamp(knows / known_, 1.0 / window_calls, 1.0);
  for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] += share * (fresh[i] - theta_[i]);
  if (share == 1.0) std::copy(fresh.begin(), fresh.end(), theta_.begin());
}

void RunningModel::save(ByteWriter& out) const {
  out.f64(known_);
  out.all(theta_);
}

void RunningModel::restore(ByteReader& in) {
  known_ = in.f64();
  in.all(theta_, theta_.size());
  const bool sound = std::isfinite(known_) && known_ >= 0.0 &&
                     std::all_of(theta_.begin(), theta_.end(), [](double entry) { return std::isfinite(entry); });
  if (!sound) in.damaged("it holds what is no number");
}

}  // namespace rivulet::erm
