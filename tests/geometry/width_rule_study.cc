// Not a test: prints the table behind far_below_l2_ball() (src/geometry/ball.h). For sets of many shapes, the mean of
// log(excess risk with the noise-aware regularisation / without it) over radii, numbers of rows and noise levels, in
// the order of w(K) / w(L2 ball of the same diameter): regularisation does harm where this is small, and good where it
// is not.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "geometry/gaussian_width.h"
#include "geometry/sets.h"
#include "solve/accelerated.h"
#include "solve/default_solver.h"
#include "solve/instances.h"

namespace rivulet::geometry {
namespace {

using solve::AcceleratedSolver;
using solve::Instance;

constexpr int kDraws = 6;

std::vector<Set> shapes(std::size_t d) {
  std::vector<Set> list;
  for (const double p : {1.05, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9}) list.push_back(make_lp_ball(d, p, 1.0));
  for (const std::size_t k : {1, 2, 4, 10, 20, 40}) {
    if (2 * k <= d) list.push_back(parse_constraint("group:" + std::to_string(k) + ":1", d));
  }
  for (const double share : {0.03, 0.1, 0.3, 0.5, 0.8}) list.push_back(make_elastic_ball(d, share, 1.0));
  list.push_back(make_simplex(d, 1.0));
  list.push_back(make_box(d, -1.0, 1.0));
  return list;
}

// Rows of norm 1 and a model well inside the set, spread out or sparse.
Instance exact_sums(std::mt19937_64& generator, const ConstraintSet& set, int rows, bool sparse) {
  const std::size_t d = set.dimension();
  Point model = random_point(generator, d, 10.0 * set.diameter());
  for (std::size_t i = 0; sparse && i < d; ++i) model[i] = i % (1 + d / 4) == 0 ? 0.1 * model[i] : 0.0;
  model = times(0.8, projected(set, model));
  std::normal_distribution<double> normal;
  Instance sums{d, Point(d * d), Point(d)};
  for (int row = 0; row < rows; ++row) {
    Point x = random_point(generator, d, 1.0);
    x = times(1.0 / norm(x), x);
    const double y = dot(x, model) + 0.1 * normal(generator);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) sums.gram[i * d + j] += x[i] * x[j];
      sums.cross[i] += x[i] * y;
    }
  }
  return sums;
}

Instance with_noise(std::mt19937_64& generator, Instance sums, double sigma) {
  std::normal_distribution<double> normal;
  const std::size_t d = sums.dimension;
  for (std::size_t i = 0; i < d; ++i) {
    sums.cross[i] += sigma * normal(generator);
    for (std::size_t j = i; j < d; ++j) {
      const double noise = normal(generator) * (i == j ? sigma : sigma / std::sqrt(2.0));
      sums.gram[i * d + j] += noise;
      if (i != j) sums.gram[j * d + i] += noise;
    }
  }
  return sums;
}

// log(excess with / excess without), one draw.
double comparison(std::mt19937_64& generator, const Set& set, int rows, double noise, bool sparse) {
  const std::size_t d = set->dimension();
  const Instance exact = exact_sums(generator, *set, rows, sparse);
  const double sigma = noise * rows / std::pow(static_cast<double>(d), 1.5);  // in units of an eigenvalue over sqrt(d)
  const Instance noisy = with_noise(generator, exact, sigma);
  AcceleratedSolver solver(set);
  const auto value = [&](std::span<const double> theta) { return exact.quadratic().value(theta); };
  const double least = value(solver.solve(exact.quadratic()));
  const double without = value(solver.solve(noisy.quadratic())) - least;
  solve::Regulariser regulariser(d, set->diameter());
  const double with =
      value(solver.solve(regulariser.apply(noisy.quadratic(), {sigma, sigma / std::sqrt(2.0), sigma}))) - least;
  const double floor = 1e-6 * std::abs(least);
  return std::log((with + floor) / (without + floor));
}

struct Line {
  double ratio;
  double mean;
  std::string text;
};

void study() {
  std::mt19937_64 generator(3);
  std::vector<Line> lines;
  for (const std::size_t d : {5, 20, 80}) {
    for (const Set& shape : shapes(d)) {
      double sum = 0.0;
      int count = 0;
      for (const int rows : {300, 3000}) {
        for (const double noise : {0.02, 0.1, 0.5, 2.0}) {
          for (const double radius : {0.3, 1.0, 3.0}) {
            const Set set = shape->scaled(radius / shape->diameter());
            for (int draw = 0; draw < kDraws; ++draw, ++count)
              sum += comparison(generator, set, rows, noise, draw % 2 == 1);
          }
        }
      }
      const double ratio = shape->gaussian_width() / (shape->diameter() * l2_ball_width(d));
      lines.push_back({ratio, sum / count, shape->name() + " in " + std::to_string(d) + " dimensions"});
    }
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.ratio < b.ratio; });
  for (const Line& line : lines) std::printf("%.3f  %+.3f  %s\n", line.ratio, line.mean, line.text.c_str());
  for (const auto& [low, high] : {std::pair{0.0, 0.4}, {0.4, 0.5}, {0.5, 0.6}, {0.6, 0.8}, {0.8, 1.0}}) {
    double sum = 0.0;
    int count = 0;
    for (const Line& line : lines) {
      if (line.ratio < low || line.ratio >= high) continue;
      sum += line.mean;
      ++count;
    }
    std::printf("ratio %.1f to %.1f: mean %+.2f over %d shapes\n", low, high, sum / count, count);
  }
}

}  // namespace
}  // namespace rivulet::geometry

int main() {
  rivulet::geometry::study();
}
