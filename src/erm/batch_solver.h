// The private batch solvers of PrivIncERM. They see rows only through noisy sums of gradients, so everything here is
// post-processing: a poor choice costs accuracy, never privacy.
//
//   J(theta) = sum over the rows of phi(<x, theta>, y) + (ridge / 2) ||theta||^2   over theta in K.
//
// Noisy gradient descent (Bassily, Smith and Thakurta 2014), averaged: in the convex case r steps of size
// min(1 / (n beta), 2 ||K|| / (G sqrt(r))), G^2 = n^2 L^2 + d s^2 for noise of standard deviation s a coordinate, beta
// the smoothness of the loss, averaged over the last half; in the strongly convex case (ridge > 0) steps of 1 / (n nu
// k) at most, averages weighted by k. Excess risk O(||K|| (n L / sqrt(r) + sqrt(d) D L / mu)), D the sensitivity of a
// sum in units of L.
//
// Private Frank-Wolfe (Talwar, Thakurta and Zhang 2015): theta moves by 2 / (k + 2) toward the vertex that the noisy
// gradient asks for; the selection is made from a gradient with Gaussian noise on every coordinate, which costs
// s w(K) instead of s sqrt(d). Excess risk O(C n / r + sqrt(r) D L w(K) / mu), C the curvature constant of a row's
// loss.
//
// r is chosen before any row is seen, for the number of rows a call will go over; each of the r sums costs mu^2 / r.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rivulet/constraint.h"

namespace rivulet::erm {

// The noisy sums, as the solvers see them.
class GradientSource {
 public:
  virtual ~GradientSource() = default;
  // out = sum over the rows of phi'(<x, theta>, y) x, with noise, in natural units; costs mu_k^2. `part` of `parts` as
  // HistoryKernel::noisy_gradient().
  virtual void gradient(std::span<const double> theta, double mu_k, std::uint64_t part, std::uint64_t parts,
                        std::span<double> out) = 0;
  // Standard deviation of the noise of each coordinate of such a sum.
  [[nodiscard]] virtual double noise(double mu_k) const = 0;

 protected:
  GradientSource() = default;
  GradientSource(const GradientSource&) = default;
  GradientSource& operator=(const GradientSource&) = default;
};

struct BatchProblem {
  const ConstraintSet* set = nullptr;  // K, in unit-ball units
  double rows = 0.0;                   // n
  double lipschitz = 1.0;              // L of one row's phi
  double smoothness = 0.0;             // beta of one row's phi; infinite where it has kinks
  double ridge = 0.0;                  // nu, a row
};

enum class BatchMethod { gradient_descent, frank_wolfe };

struct BatchSettings {
  BatchMethod method = BatchMethod::gradient_descent;
  std::uint64_t iterations = 1;  // r
  std::uint64_t parts = 1;  // gradient descent: batches in a pass over the rows; the noise of a pass costs mu^2 / r
};

// r for calls of cost mu over `rows` rows: enough that the noise dominates, at most `most`. `sensitivity` is that of a
// sum, in units of L.
std::uint64_t chosen_iterations(BatchMethod method, const BatchProblem& problem, double mu, double sensitivity,
                                std::uint64_t most);

// A private minimiser of J at a cost of mu^2, started at `start`, a point of K (that of the call before). The result
// lies in K.
std::vector<double> solve_batch(const BatchProblem& problem, const BatchSettings& settings, double mu,
                                GradientSource& source, std::span<const double> start);

}  // namespace rivulet::erm
