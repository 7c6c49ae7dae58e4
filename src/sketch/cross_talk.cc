#include "sketch/cross_talk.h"

#include <algorithm>
#include <cmath>

namespace rivulet::sketch {
namespace {

constexpr std::size_t kBlock = 128;
constexpr int kBisections = 60;
constexpr double kShare = 0.5;

struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> below;  // below[i] couples i and i + 1
};

// Householder reflections, one column after another (Golub and Van Loan, section 8.3).
Tridiagonal tridiagonal(std::vector<double> a, std::size_t n) {
  Tridiagonal result{std::vector<double>(n), std::vector<double>(n > 0 ? n - 1 : 0)};
  std::vector<double> v(n);
  std::vector<double> p(n);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    double square = 0.0;
    for (std::size_t i = k + 1; i < n; ++i) square += a[i * n + k] * a[i * n + k];
    const double first = a[(k + 1) * n + k];
    const double alpha = first > 0.0 ? -std::sqrt(square) : std::sqrt(square);
    result.below[k] = alpha;
    const double length = square - alpha * first;  // half of ||v||^2
    if (length <= 0.0) {                           // nothing to reflect
      result.below[k] = first;
      continue;
    }
    for (std::size_t i = k + 1; i < n; ++i) v[i] = a[i * n + k];
    v[k + 1] -= alpha;
    // A <- H A H with H = I - v v^T / length, on the rows and columns behind k.
    std::fill(p.begin(), p.end(), 0.0);
    for (std::size_t i = k + 1; i < n; ++i) {
      double sum = a[i * n + i] * v[i];
      for (std::size_t j = k + 1; j < i; ++j) {
        sum += a[i * n + j] * v[j];
        p[j] += a[i * n + j] * v[i];
      }
      p[i] += sum;
    }
    double inner = 0.0;
    for (std::size_t i = k + 1; i < n; ++i) {
      p[i] /= length;
      inner += p[i] * v[i];
    }
    const double share = 0.5 * inner / length;
    for (std::size_t i = k + 1; i < n; ++i) p[i] -= share * v[i];
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) result.diagonal[i] = a[i * n + i];
  return result;
}

// Sylvester: as many as the pivots of T - x I that are negative.
std::size_t eigenvalues_below(const Tridiagonal& t, double x, double smallest_pivot) {
  std::size_t count = 0;
  double pivot = 1.0;
  for (std::size_t i = 0; i < t.diagonal.size(); ++i) {
    const double coupling = i == 0 ? 0.0 : t.below[i - 1] * t.below[i - 1] / pivot;
    pivot = t.diagonal[i] - x - coupling;
    if (std::abs(pivot) < smallest_pivot) pivot = -smallest_pivot;
    if (pivot < 0.0) ++count;
  }
  return count;
}

}  // namespace

double median_eigenvalue(std::span<const double> matrix, std::size_t size) {
  const Tridiagonal t = tridiagonal(std::vector<double>(matrix.begin(), matrix.end()), size);
  double bound = 0.0;  // Gershgorin
  for (std::size_t i = 0; i < size; ++i) {
    const double left = i > 0 ? std::abs(t.below[i - 1]) : 0.0;
    const double right = i + 1 < size ? std::abs(t.below[i]) : 0.0;
    bound = std::max(bound, std::abs(t.diagonal[i]) + left + right);
  }
  if (bound == 0.0) return 0.0;
  const std::size_t middle = (size + 1) / 2;
  double low = -bound;
  double high = bound;
  for (int i = 0; i < kBisections; ++i) {
    const double x = 0.5 * (low + high);
    (eigenvalues_below(t, x, 1e-300 + 1e-18 * bound) >= middle ? high : low) = x;
  }
  return 0.5 * (low + high);
}

std::vector<double> with_less_cross_talk(const Statistics& statistics) {
  const std::size_t m = statistics.dimension;
  const std::size_t size = std::min(m, kBlock);
  std::vector<double> block(size * size);
  for (std::size_t i = 0; i < size; ++i)
    std::copy_n(statistics.gram.begin() + static_cast<std::ptrdiff_t>(i * m), size,
                block.begin() + static_cast<std::ptrdiff_t>(i * size));
  const double excess = kShare * std::max(0.0, median_eigenvalue(block, size));
  std::vector<double> gram = statistics.gram;
  for (std::size_t i = 0; i < m; ++i) gram[i * m + i] -= excess;
  return gram;
}

}  // namespace rivulet::sketch
