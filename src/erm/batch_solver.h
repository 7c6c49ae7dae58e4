// The private batch solvers of PrivIncERM. They see rows only through noisy sums of gradients, so everything here is
// post-processing: a poor choice costs accuracy, never privacy.
//
//   J(theta) = sum over the rows of phi(<x, theta>, y) + (ridge / 2) ||theta||^2   over theta in K.
//
// Noisy gradient descent (Bassily, Smith and Thakurta 2014), with Nesterov's momentum and averaged over its last half.
// A call of cost mu that makes r sums gives each noise s = sqrt(r) D L / mu, D the sensitivity of a sum in units of L:
// the mean of its noise is the same D L / mu however many sums it makes. What the sums decide is how far theta gets: r
// steps of size h with momentum go as far in a flat direction as gradient flow of duration h r^2 / 8, and the noise
// comes along. Flow of duration about ||K||^2 / (w(K) D L / mu) is where noise and progress balance whatever the rows
// (for an L2 ball: h r = ||K|| / (sqrt(d) s sqrt(r)), Bassily's step, is the same duration), so that r and h are
//   t = ||K||^2 / (4 w(K) D L / mu),    r = sqrt(8 t n beta),    h = min(1 / (n beta), 8 t / r^2).
// Of the quarter experiments say only that 0.1 to 0.5 do about as well and 1 or more do worse: calls start at the model
// before, which is seldom ||K|| away. Nor does momentum make the result more accurate; it makes r a square root of what
// it would be (docs/losses.md, erm_solver_study). Averaging takes what the last steps' noise does to the steep
// directions back to that of the mean. Excess risk O(w(K) D L / mu).
// Where phi has kinks beta is infinite; there and wherever it is less, the curvature n L^2 / (2 e) of a smoothed phi
// that is off by no more than the excess e to be expected takes its place (Nesterov 2005). Where far more sums are
// asked for than the noise is worth (1000 or more, and noise below 1/100 of what they leave), the second half of them
// goes into twelve stages of plain subgradient steps, each shorter than the last, which get to the corner itself: 1e-6
// of J instead of 1e-3. A ridge of nu a row makes further flow than 8 / (n nu) useless and r that much smaller: the
// strongly convex case.
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
#include <utility>
#include <vector>

#include "base/bytes.h"
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

// What PrivIncERM publishes: a mean over its last few calls, weighted by what each of them knew.
//
// The paper publishes the last call's model. Its theorem prices an old model at L ||K|| for every row that came since,
// and a call's noise at w(K) D L / mu_j; so models up to
//   window = w(K) D / (mu_j ||K||)
// rows old may take part without the first exceeding the second, and the mean of their noise is less: by convexity the
// excess of a mean is at most the mean of the excesses. At the theorem's tau the window is some eight calls, and many
// more where calls are made more often than that. Within it a call counts as (rows mu_j)^2, the inverse of the variance
// of its noise in theta.
//
// Post-processing: it sees published models only.
class RunningModel {
 public:
  // Begins at `theta`, which counts for nothing once a call has been made.
  explicit RunningModel(std::vector<double> theta) : theta_(std::move(theta)) {}

  // `fresh` is the model of a call of cost mu^2 over `rows` rows; `window_calls` is the window in calls, 1 or more: 1
  // forgets all others. Means of points of a convex set stay in it up to rounding.
  void take(std::span<const double> fresh, double rows, double mu, double window_calls);

  // To go on from later. restore() throws DamagedFile unless it is of the same dimension and finite.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

  [[nodiscard]] const std::vector<double>& theta() const { return theta_; }
  // For the projection that takes back the rounding.
  [[nodiscard]] std::span<double> theta() { return theta_; }

 private:
  std::vector<double> theta_;
  double known_ = 0.0;  // sum of (rows mu)^2
};

}  // namespace rivulet::erm
