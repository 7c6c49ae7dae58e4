// erm_solver_study [SEED [DRAWS]]: the solver of PrivIncERM against variants of itself and against plain noisy gradient
// descent, at the end of whole streams of calls. Rows are 500 drawn once and taken to stand for as many as a call has,
// so that a stream takes seconds. Prints excess risks, and for each variant the mean over settings of
// log(excess / excess of what the library does).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "erm/batch_solver.h"
#include "privacy/calibration.h"
#include "privacy/erm_schedule.h"
#include "rivulet/loss.h"

namespace {

using namespace rivulet;
using namespace rivulet::erm;

constexpr std::size_t kDrawn = 500;
constexpr double kSensitivity = 2.0;

struct Problem {
  std::shared_ptr<const Loss> loss;
  std::shared_ptr<const ConstraintSet> set;
  std::vector<std::vector<double>> x;
  std::vector<double> y;

  [[nodiscard]] double prediction(std::size_t row, std::span<const double> theta) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < theta.size(); ++i) sum += x[row][i] * theta[i];
    return sum;
  }
  // Mean over the rows.
  [[nodiscard]] double risk(std::span<const double> theta) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < x.size(); ++r) sum += loss->value(prediction(r, theta), y[r]);
    return sum / static_cast<double>(x.size());
  }
  [[nodiscard]] BatchProblem batch(double rows) const {
    return {.set = set.get(),
            .rows = rows,
            .lipschitz = loss->lipschitz(set->diameter()),
            .smoothness = loss->smoothness(set->diameter())};
  }
};

// Isotropic rows of length 1/2 to 1 over a small ball, or an intercept and bounded columns over a large one.
Problem draw(const std::string& loss, std::size_t d, bool bounded, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Problem problem;
  problem.loss = parse_loss(loss);
  const bool classes = problem.loss->is_classification();
  const double root = std::sqrt(static_cast<double>(d));
  const double norm = bounded ? 1.5 * root : classes ? 2.4 : 0.8;
  problem.set = make_l2_ball(d, bounded ? 2.0 * root : classes ? 4.0 : 1.0);
  const auto scaled_to = [&](std::vector<double> v, double length) {
    double square = 0.0;
    for (const double entry : v) square += entry * entry;
    for (double& entry : v) entry *= length / std::sqrt(square);
    return v;
  };
  std::vector<double> theta(d);
  for (double& entry : theta) entry = normal(random);
  theta = scaled_to(theta, norm);
  for (std::size_t r = 0; r < kDrawn; ++r) {
    std::vector<double> x(d);
    for (std::size_t i = 0; i < d; ++i) {
      x[i] = bounded ? (i == 0 ? 1.0 : 0.5 * uniform(random) + (i % 3 == 0 ? 0.3 : 0.0)) / root : normal(random);
    }
    if (!bounded) x = scaled_to(x, 0.75 + 0.25 * uniform(random));
    problem.x.push_back(x);
    const double score = problem.prediction(r, theta);
    problem.y.push_back(classes ? (0.5 + 0.5 * uniform(random) < 1.0 / (1.0 + std::exp(-score)) ? 1.0 : -1.0)
                                : std::clamp(score + 0.1 * normal(random), -1.0, 1.0));
  }
  return problem;
}

class DrawnGradients final : public GradientSource {
 public:
  DrawnGradients(const Problem& problem, std::uint64_t seed) : problem_(problem), random_(seed) {}
  void stand_for(double rows) { rows_ = rows; }
  void without_noise() { noisy_ = false; }

  void gradient(std::span<const double> theta, double mu_k, std::uint64_t /*part*/, std::uint64_t /*parts*/,
                std::span<double> out) override {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t r = 0; r < kDrawn; ++r) {
      const double slope = problem_.loss->derivative(problem_.prediction(r, theta), problem_.y[r]);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += slope * problem_.x[r][i];
    }
    std::normal_distribution<double> normal;
    for (double& entry : out) entry = entry * rows_ / static_cast<double>(kDrawn) + noise(mu_k) * normal(random_);
  }
  [[nodiscard]] double noise(double mu_k) const override {
    return noisy_ ? kSensitivity * problem_.loss->lipschitz(problem_.set->diameter()) / mu_k : 0.0;
  }

 private:
  const Problem& problem_;
  std::mt19937_64 random_;
  double rows_ = 0.0;
  bool noisy_ = true;
};

struct Variant {
  const char* name;
  double flow = 0.25;  // t in units of ||K||^2 / (w(K) D L / mu); the library's is 0.25
  bool momentum = true;
  bool last = false;     // the last iterate instead of the mean of the last half
  bool bassily = false;  // r = (n mu / (sqrt(d) D))^2, at most 200, steps of 2 ||K|| / (G sqrt(r)) at most
  bool averaged = true;  // over calls
  bool library = false;
};

constexpr Variant kVariants[] = {{.name = "library", .library = true},
                                 {.name = "library, last call published", .averaged = false, .library = true},
                                 {.name = "flow 0.1", .flow = 0.1},
                                 {.name = "flow 0.5", .flow = 0.5},
                                 {.name = "flow 1", .flow = 1.0},
                                 {.name = "flow 2", .flow = 2.0},
                                 {.name = "last iterate", .last = true},
                                 {.name = "no momentum", .momentum = false},
                                 {.name = "Bassily's steps, r to 200", .bassily = true},
                                 {.name = "the same, last call published", .bassily = true, .averaged = false}};

std::vector<double> solve_variant(const Variant& variant, const BatchProblem& problem, double mu,
                                  GradientSource& source, const std::vector<double>& start) {
  const double d = static_cast<double>(start.size());
  const double diameter = problem.set->diameter();
  const double noise = kSensitivity * problem.lipschitz / mu;
  const double flow = variant.flow * diameter * diameter / (problem.set->gaussian_width() * noise);
  const double steep = problem.rows * problem.smoothness;
  double wanted = variant.momentum ? std::sqrt(8.0 * flow * steep) : flow * steep;
  if (variant.bassily) wanted = std::pow(problem.rows * mu / (std::sqrt(d) * kSensitivity), 2.0);
  const double r = std::clamp(std::ceil(wanted), 1.0, variant.momentum || variant.bassily ? 200.0 : 2000.0);
  const double mu_k = mu / std::sqrt(r);
  double size = std::min(1.0 / steep, variant.momentum && r > 1.0 ? 8.0 * flow / (r * r) : flow / r);
  if (variant.bassily) {
    size = std::min(1.0 / steep, 2.0 * diameter /
                                     (std::hypot(problem.rows * problem.lipschitz, std::sqrt(d) * source.noise(mu_k)) *
                                      std::sqrt(r)));
  }
  std::vector<double> theta = start;
  std::vector<double> before = start;
  std::vector<double> ahead = start;
  std::vector<double> gradient(start.size());
  std::vector<double> average(start.size(), 0.0);
  double averaged = 0.0;
  for (double k = 1.0; k <= r; k += 1.0) {
    const double momentum = variant.momentum && !variant.bassily ? (k - 1.0) / (k + 2.0) : 0.0;
    for (std::size_t i = 0; i < theta.size(); ++i) ahead[i] = theta[i] + momentum * (theta[i] - before[i]);
    source.gradient(ahead, mu_k, 0, 1, gradient);
    before = theta;
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = ahead[i] - size * gradient[i];
    problem.set->project(theta);
    if (2.0 * k <= r && r > 1.0) continue;
    averaged += 1.0;
    for (std::size_t i = 0; i < theta.size(); ++i) average[i] += (theta[i] - average[i]) / averaged;
  }
  return variant.last ? theta : average;
}

// Excess risk at the end of a stream of T rows with a call every (T d)^(1/3).
double end_of_stream(const Variant& variant, const Problem& problem, double rows, double best, std::uint64_t seed) {
  const std::size_t d = problem.set->dimension();
  const double tau = std::ceil(std::cbrt(rows * static_cast<double>(d)));
  const auto calls = static_cast<std::uint64_t>(rows / tau);
  const double mu = privacy::even_part(privacy::gaussian_mu({1.0, 1e-6}), calls);
  DrawnGradients source(problem, seed);
  RunningModel model(std::vector<double>(d, 0.0));
  const double window = problem.set->gaussian_width() * kSensitivity / (mu * problem.set->diameter() * tau);
  for (std::uint64_t call = 1; call <= calls; ++call) {
    const double n = static_cast<double>(call) * tau;
    source.stand_for(n);
    const BatchProblem batch = problem.batch(n);
    const std::vector<double> start(model.theta().begin(), model.theta().end());
    std::vector<double> fresh;
    if (variant.library) {
      const BatchSettings settings{.iterations =
                                       chosen_iterations(BatchMethod::gradient_descent, batch, mu, kSensitivity, 200)};
      fresh = solve_batch(batch, settings, mu, source, start);
    } else {
      fresh = solve_variant(variant, batch, mu, source, start);
    }
    model.take(fresh, n, mu, variant.averaged ? std::max(1.0, window) : 1.0);
  }
  return static_cast<double>(calls) * tau * (problem.risk(model.theta()) - best);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const int draws = argc > 2 ? std::max(1, std::atoi(argv[2])) : 4;
  constexpr std::size_t kCount = std::size(kVariants);
  std::vector<double> logs(kCount, 0.0);
  double settings = 0.0;
  for (const char* loss : {"logistic", "squared"}) {
    for (const bool bounded : {false, true}) {
      for (const std::size_t d : {5, 50}) {
        for (const double rows : {8192.0, 32768.0}) {
          std::vector<double> excess(kCount, 0.0);
          double trivial = 0.0;
          for (int k = 0; k < draws; ++k) {
            const std::uint64_t seed = first + static_cast<std::uint64_t>(k);
            const Problem problem = draw(loss, d, bounded, seed);
            DrawnGradients exact(problem, 1);
            exact.without_noise();
            exact.stand_for(static_cast<double>(kDrawn));
            const std::vector<double> zero(d, 0.0);
            const double best = problem.risk(
                solve_batch(problem.batch(static_cast<double>(kDrawn)), {.iterations = 3000}, 1.0, exact, zero));
            trivial += rows * (problem.risk(zero) - best) / draws;
            for (std::size_t v = 0; v < kCount; ++v) {
              excess[v] += end_of_stream(kVariants[v], problem, rows, best, seed + 77) / draws;
            }
          }
          std::printf("%-8s %-9s d %3zu T %6.0f trivial %8.1f:", loss, bounded ? "bounded" : "isotropic", d, rows,
                      trivial);
          for (std::size_t v = 0; v < kCount; ++v) {
            std::printf(" %.1f", excess[v]);
            logs[v] += std::log(excess[v] / excess[0]);
          }
          std::printf("\n");
          std::fflush(stdout);
          settings += 1.0;
        }
      }
    }
  }
  std::printf("\nmean of log(excess / library's) over %.0f settings, %d draws each\n", settings, draws);
  for (std::size_t v = 0; v < kCount; ++v) std::printf("%-32s %6.2f\n", kVariants[v].name, logs[v] / settings);
  return 0;
}
