#include "infer/determined.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet::infer {
namespace {

using Eigen::Index;

// Without noise, a smallest eigenvalue that sums of rows in double precision cannot tell from zero.
constexpr double kRoundingShare = 1e-10;
// Keeps the entries of the inverse finite; no row lattice is anywhere near so fine.
constexpr double kSmallestPivot = 1e-60;

double smallest_eigenvalue(const Eigen::MatrixXd& gram, const std::vector<Index>& order, Index count) {
  const std::vector<Index> chosen(order.begin(), order.begin() + count);
  const Eigen::MatrixXd part = gram(chosen, chosen);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(part, Eigen::EigenvaluesOnly);
  return solver.info() == Eigen::Success ? solver.eigenvalues()(0) : -std::numeric_limits<double>::infinity();
}

}  // namespace

double eigenvalue_limit(const NoiseLevel& noise, Index coordinates) {
  const double sigma = std::max(noise.gram_diagonal, std::sqrt(2.0) * noise.gram_offdiagonal);
  return sigma * (std::sqrt(2.0 * static_cast<double>(coordinates)) + 4.0);
}

std::vector<Index> determined_coordinates(const Eigen::MatrixXd& gram, const NoiseLevel& noise, bool intercept,
                                          Index most) {
  const double rounding = std::max(kRoundingShare * gram.diagonal().cwiseAbs().maxCoeff(), kSmallestPivot);
  const auto limit = [&](Index count) { return std::max(eigenvalue_limit(noise, count), rounding); };

  // Cholesky with the largest remaining diagonal entry as the next pivot. A pivot is at least the smallest eigenvalue
  // of the chosen part, so the first one below the limit ends the list.
  const Index longest = std::min(gram.rows(), most);
  std::vector<Index> order;
  Eigen::MatrixXd factor(gram.rows(), longest);
  Eigen::VectorXd rest = gram.diagonal();
  for (Index count = 0; count < longest; ++count) {
    Index pivot = 0;
    if (count > 0 || !intercept) rest.maxCoeff(&pivot);
    if (!(rest(pivot) > limit(count + 1))) break;
    order.push_back(pivot);
    const auto before = factor.leftCols(count);
    factor.col(count) = (gram.col(pivot) - before * before.row(pivot).transpose()) / std::sqrt(rest(pivot));
    rest.array() -= factor.col(count).array().square();
    rest(pivot) = -std::numeric_limits<double>::infinity();  // never again
  }

  // Each further coordinate lowers the smallest eigenvalue and raises the limit: the longest good part is found by
  // bisection.
  const auto good = [&](Index count) { return smallest_eigenvalue(gram, order, count) > limit(count); };
  auto bad = static_cast<Index>(order.size()) + 1;
  Index enough = 0;
  for (Index count = bad - 1; enough + 1 < bad; count = (enough + bad) / 2) (good(count) ? enough : bad) = count;
  order.resize(static_cast<std::size_t>(enough));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace rivulet::infer
