// The ball solver against an eigendecomposition with plain bisection, in every case the theory distinguishes.
#include "solve/trust_region.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "solve/instances.h"

namespace rivulet::solve {
namespace {

struct Reference {
  double objective;
  double scale;
};

// Lowest objective over the ball, by the dual: the minimum equals max over admissible mu of
// -sum c_i^2 / (l_i + mu) - mu R^2, a concave function of one variable, here by ternary search in long double.
Reference reference_minimum(const Instance& instance, double ridge, double radius) {
  const auto d = static_cast<Eigen::Index>(instance.dimension);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::Map<const Eigen::MatrixXd>(instance.gram.data(), d, d));
  const Eigen::VectorXd c =
      eigen.eigenvectors().transpose() * Eigen::Map<const Eigen::VectorXd>(instance.cross.data(), d);
  const long double lowest = eigen.eigenvalues()[0] + ridge;
  const auto dual = [&](long double s) {  // s = mu + lowest
    long double sum = -(s - lowest) * radius * radius;
    for (Eigen::Index i = 0; i < d; ++i) {
      const long double gap = static_cast<long double>(eigen.eigenvalues()[i]) - eigen.eigenvalues()[0] + s;
      if (std::abs(c[i]) > 1e-14 * c.norm()) sum -= static_cast<long double>(c[i]) * c[i] / gap;
    }
    return sum;
  };
  long double low = std::max(lowest, 0.0L);
  long double high = low + c.norm() / radius + 1e-30L;
  low = std::max(low, 1e-25L * high);
  for (int step = 0; step < 400; ++step) {
    const long double a = low + (high - low) / 3;
    const long double b = high - (high - low) / 3;
    (dual(a) < dual(b) ? low : high) = dual(a) < dual(b) ? a : b;
  }
  const double scale = eigen.eigenvalues().cwiseAbs().maxCoeff() * radius * radius + c.norm() * radius;
  return {static_cast<double>(dual(low)), scale};
}

double objective(const Instance& instance, double ridge, std::span<const double> theta) {
  double squares = 0.0;
  for (const double entry : theta) squares += entry * entry;
  return instance.quadratic().value(theta) + ridge * squares;
}

double length(std::span<const double> v) {
  double sum = 0.0;
  for (const double entry : v) sum += entry * entry;
  return std::sqrt(sum);
}

void expect_optimal(TrustRegion& solver, const Instance& instance, double ridge, double radius,
                    const std::string& label) {
  const auto theta = solver.solve(instance.quadratic(), ridge, radius);
  const Reference expected = reference_minimum(instance, ridge, radius);
  EXPECT_LE(length(theta), radius * (1.0 + 1e-12)) << label;
  EXPECT_LE(objective(instance, ridge, theta), expected.objective + 1e-11 * expected.scale + 1e-50) << label;
  // And a lower value than the minimum would mean the reference is wrong.
  EXPECT_GE(objective(instance, ridge, theta), expected.objective - 1e-9 * expected.scale - 1e-50) << label;
}

TEST(TrustRegion, IsGloballyOptimalForDefiniteAndIndefiniteMatrices) {
  std::mt19937_64 generator(61);
  for (const double sigma : {0.0, 0.5, 5.0, 100.0}) {
    for (const double radius : {0.05, 1.0, 30.0}) {
      for (const double ridge : {0.0, 3.0}) {
        for (const std::size_t d : {1, 2, 3, 5, 11, 30, 60}) {
          const Instance instance = random_instance(generator, d, 150, 3.0, sigma);
          TrustRegion solver(d);
          expect_optimal(
              solver, instance, ridge, radius,
              "sigma " + std::to_string(sigma) + " radius " + std::to_string(radius) + " d " + std::to_string(d));
        }
      }
    }
  }
}

TEST(TrustRegion, SolvesTheHardCase) {
  std::mt19937_64 generator(62);
  for (const std::size_t d : {2, 3, 6, 11, 55}) {
    for (const double leak : {0.0, 1e-15, 1e-12, 1e-8, 1e-4}) {
      // A matrix with a negative lowest eigenvalue, and q (nearly) orthogonal to its eigenvector; rotated by a
      // reflection.
      std::vector<double> axis(d);
      std::normal_distribution<double> normal;
      double squares = 0.0;
      for (double& entry : axis) {
        entry = normal(generator);
        squares += entry * entry;
      }
      const auto reflect = [&](std::vector<double> v) {
        double product = 0.0;
        for (std::size_t i = 0; i < d; ++i) product += axis[i] * v[i];
        for (std::size_t i = 0; i < d; ++i) v[i] -= 2.0 * axis[i] * product / squares;
        return v;
      };
      Instance instance{d, std::vector<double>(d * d, 0.0), std::vector<double>(d, 0.0)};
      std::vector<double> cross(d, 0.1);
      cross[0] = leak;
      instance.cross = reflect(cross);
      for (std::size_t k = 0; k < d; ++k) {
        std::vector<double> unit(d, 0.0);
        unit[k] = 1.0;
        const auto v = reflect(unit);
        const double eigenvalue = k == 0 ? -2.0 : static_cast<double>(k);
        for (std::size_t i = 0; i < d; ++i) {
          for (std::size_t j = 0; j < d; ++j) instance.gram[i * d + j] += eigenvalue * v[i] * v[j];
        }
      }
      TrustRegion solver(d);
      expect_optimal(solver, instance, 0.0, 2.0, "d " + std::to_string(d) + " leak " + std::to_string(leak));
      EXPECT_NEAR(length(solver.solve(instance.quadratic(), 0.0, 2.0)), 2.0, 1e-9);
    }
  }
}

TEST(TrustRegion, SolvesDegenerateObjectives) {
  for (const std::size_t d : {1, 4}) {
    Instance instance{d, std::vector<double>(d * d, 0.0), std::vector<double>(d, 0.0)};
    TrustRegion solver(d);
    expect_optimal(solver, instance, 0.0, 1.5, "all zero");
    instance.cross[0] = -3.0;
    EXPECT_NEAR(solver.solve(instance.quadratic(), 0.0, 1.5)[0], -1.5, 1e-9);
    instance.cross[0] = 0.0;
    instance.gram[0] = -1.0;
    expect_optimal(solver, instance, 0.0, 1.5, "no linear part");
    instance.gram[0] = 1.0;  // singular for d > 1, minimised at the origin among others
    expect_optimal(solver, instance, 0.0, 1.5, "singular");
  }
}

TEST(TrustRegion, IsOptimalWhateverCameBefore) {
  std::mt19937_64 generator(63);
  const std::size_t d = 8;
  TrustRegion solver(d);
  for (int trial = 0; trial < 300; ++trial) {
    // Jumps between interior, boundary, indefinite and back.
    const Instance instance = random_instance(generator, d, 30 + trial, 2.0, trial % 3 == 0 ? 20.0 : 0.1);
    expect_optimal(solver, instance, 0.0, trial % 2 == 0 ? 0.3 : 10.0, std::to_string(trial));
  }
}

// The eigenvalues q has weight on are far apart, so that a start from their mean and variance is far off.
TEST(TrustRegion, IsOptimalForSpectraOverManyOrdersOfMagnitude) {
  std::mt19937_64 generator(64);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t d = 2 + trial % 12;
    const Instance instance = random_instance(generator, d, 100, std::pow(10.0, trial % 5), 0.0);
    TrustRegion solver(d);
    expect_optimal(solver, instance, 0.0, std::pow(10.0, trial % 9 - 4), std::to_string(trial));
  }
}

TEST(TrustRegion, ReportsTheMultiplierOfTheOptimalityConditions) {
  std::mt19937_64 generator(65);
  int on_sphere = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t d = 1 + trial % 10;
    const double radius = std::pow(10.0, trial % 5 - 3);
    const Instance instance = random_instance(generator, d, 50, 2.0, trial % 3 == 0 ? 10.0 : 0.1);
    TrustRegion solver(d);
    const auto theta = solver.solve(instance.quadratic(), 0.5, radius);
    const double mu = solver.multiplier();
    EXPECT_GE(mu, 0.0);
    on_sphere += mu > 0.0 ? 1 : 0;
    EXPECT_TRUE(mu == 0.0 || std::abs(length(theta) - radius) <= 1e-9 * radius) << trial;
    std::vector<double> image(d);
    instance.quadratic().multiply(theta, image);
    const double scale = length(instance.cross) + length(instance.gram) * radius;
    for (std::size_t i = 0; i < d; ++i) {
      EXPECT_NEAR(image[i] + (0.5 + mu) * theta[i], instance.cross[i], 1e-6 * scale) << trial;
    }
  }
  EXPECT_GT(on_sphere, 50);
  EXPECT_LT(on_sphere, 200);
}

}  // namespace
}  // namespace rivulet::solve
