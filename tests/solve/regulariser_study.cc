// The study behind the constants in src/solve/default_solver.h, on synthetic streams only. Prints, for each rule, the
// mean and the 95th percentile over settings of log(excess risk / excess risk of the best ridge for that setting).
//
//   build/release/regulariser_study          a few seconds
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "solve/default_solver.h"
#include "solve/quadratic.h"
#include "solve/trust_region.h"

namespace rivulet::solve {
namespace {

struct Setting {
  std::size_t dimension;
  double condition;
  bool one_strong_direction;  // over a flat rest; else a geometric spectrum
  bool follows_spectrum;      // theta lies along the strong directions; else evenly spread
  double theta_norm;
  double radius_ratio;  // radius / ||theta||: below 1 the constraint binds
  double signal;        // largest eigenvalue / (sigma sqrt(d))
};

struct Grid {
  const char* name;
  unsigned seed;
  std::vector<std::size_t> dimensions;
  std::vector<double> conditions, theta_norms, radius_ratios, signals;
};

// The constants in default_solver.h were chosen on the first grid; the second shares no value with it and had no part
// in it.
const std::vector<Grid> grids = {
    {"chosen on", 7, {2, 5, 10, 30}, {1, 10, 100, 1e3, 1e4}, {0.3, 1, 3}, {0.7, 1.3, 4}, {0.1, 1, 10, 100, 1e3, 1e4}},
    {"held out", 20241, {3, 7, 20}, {3, 40, 500, 5e3}, {0.5, 2}, {0.8, 1, 2, 8}, {0.3, 3, 30, 300, 3e3}}};

std::vector<Setting> all_settings(const Grid& grid) {
  std::vector<Setting> settings;
  for (const std::size_t d : grid.dimensions)
    for (const double condition : grid.conditions)
      for (const bool strong : {false, true})
        for (const bool follows : {false, true})
          for (const double theta_norm : grid.theta_norms)
            for (const double ratio : grid.radius_ratios)
              for (const double signal : grid.signals)
                if (condition > 1.0 || (!strong && !follows))
                  settings.push_back({d, condition, strong, follows, theta_norm, ratio, signal});
  return settings;
}

// The noise is invariant under rotation, so the Gram matrix may be diagonal. sigma = 1; the cross noise is that of
// responses released with weight 0.85.
constexpr double cross_stddev = 0.8318903;  // 1 / (0.85 sqrt(2))

const std::vector<double> ridge_constants = {0.0, 0.1, 0.3, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0, 3.0};

// Mean excess risks of: the ridges, then the rule in default_solver.h.
std::vector<double> excess_risks(const Setting& setting, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  const std::size_t d = setting.dimension;
  const double root = std::sqrt(static_cast<double>(d));
  std::vector<double> spectrum(d);
  for (std::size_t i = 0; i < d; ++i) {
    const double position = static_cast<double>(i) / static_cast<double>(d - 1);
    const double rest = setting.one_strong_direction && i > 0 ? 1.0 : position;
    spectrum[i] = setting.signal * root * std::pow(setting.condition, -rest);
  }
  const double radius = setting.radius_ratio * setting.theta_norm;
  Regulariser regulariser(d, radius);
  TrustRegion solver(d);
  std::vector<double> total(ridge_constants.size() + 1, 0.0);
  for (int draw = 0; draw < 12; ++draw) {
    std::vector<double> theta(d);
    double squares = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
      theta[i] = normal(generator) * (setting.follows_spectrum ? std::sqrt(spectrum[i] / spectrum[0]) : 1.0);
      squares += theta[i] * theta[i];
    }
    std::vector<double> gram(d * d, 0.0);
    std::vector<double> cross(d);
    for (std::size_t i = 0; i < d; ++i) {
      gram[i * d + i] = spectrum[i];
      cross[i] = spectrum[i] * theta[i] * setting.theta_norm / std::sqrt(squares);
    }
    const Quadratic clean{d, gram, cross};
    const double best = clean.value(solver.solve(clean, 0.0, radius));
    std::vector<double> noisy_gram = gram;
    std::vector<double> noisy_cross = cross;
    for (std::size_t i = 0; i < d; ++i) {
      noisy_cross[i] += cross_stddev * normal(generator);
      for (std::size_t j = i; j < d; ++j) {
        const double noise = normal(generator) * (i == j ? 1.0 : std::sqrt(0.5));
        noisy_gram[i * d + j] += noise;
        if (i != j) noisy_gram[j * d + i] += noise;
      }
    }
    const Quadratic noisy{d, noisy_gram, noisy_cross};
    for (std::size_t k = 0; k < ridge_constants.size(); ++k) {
      total[k] += clean.value(solver.solve(noisy, ridge_constants[k] * root, radius)) - best;
    }
    const Quadratic regularised = regulariser.apply(noisy, {1.0, std::sqrt(0.5), cross_stddev});
    total.back() += clean.value(solver.solve(regularised, 0.0, radius)) - best;
  }
  return total;
}

void report(const std::string& rule, std::vector<double> logs) {
  std::sort(logs.begin(), logs.end());
  double mean = 0.0;
  for (const double value : logs) mean += value / static_cast<double>(logs.size());
  std::printf("%-24s mean %7.3f   95%% %6.3f   largest %6.3f\n", rule.c_str(), mean, logs[logs.size() * 95 / 100],
              logs.back());
}

void study(const Grid& grid) {
  std::mt19937_64 generator(grid.seed);
  const std::vector<Setting> settings = all_settings(grid);
  std::vector<std::vector<double>> logs(ridge_constants.size() + 1);
  for (const Setting& setting : settings) {
    const std::vector<double> risks = excess_risks(setting, generator);
    const double best_ridge = *std::min_element(risks.begin(), risks.end() - 1);
    for (std::size_t k = 0; k < risks.size(); ++k) logs[k].push_back(std::log(risks[k] / best_ridge));
  }
  std::printf("%s: %zu settings\n", grid.name, settings.size());
  for (std::size_t k = 0; k < ridge_constants.size(); ++k) {
    report("ridge " + std::to_string(ridge_constants[k]).substr(0, 4) + " sigma sqrt(d)", logs[k]);
  }
  report("default_solver.h", logs.back());
}

}  // namespace
}  // namespace rivulet::solve

int main() {
  for (const rivulet::solve::Grid& grid : rivulet::solve::grids) rivulet::solve::study(grid);
}
