#include "logistic_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rivulet::experiments {
namespace {

double score_at(const Score& score, const double* values) {
  double sum = score[0];
  for (std::size_t i = 1; i < score.size(); ++i) sum += score[i] * values[i - 1];
  return sum;
}

double loss_of_margin(double margin) {
  return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
}

// Solves the symmetric positive definite system in place by Gaussian elimination.
void solve(std::vector<double>& matrix, std::vector<double>& right, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix[i * n + k] / matrix[k * n + k];
      for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix[k * n + j] * right[j];
    right[k] /= matrix[k * n + k];
  }
}

}  // namespace

void LabelledRows::add(const Schema& schema, std::span<const double> row, double label) {
  if (std::isnan(label) || std::any_of(row.begin(), row.end(), [](double v) { return std::isnan(v); })) return;
  width = row.size();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Schema::Scale scale = schema.value_scale(i);
    values.push_back(std::clamp(row[i], scale.lo, scale.hi));
  }
  labels.push_back(label);
}

Score score_of(const Model& model) {
  Score score{model.intercept};
  for (const Coefficient& coefficient : model.coefficients) score.push_back(coefficient.value);
  return score;
}

Quality quality(const Score& score, const LabelledRows& rows) {
  const double n = static_cast<double>(rows.size());
  Quality result;
  std::vector<double> scores(rows.size());
  double positives = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scores[i] = score_at(score, rows.values.data() + i * rows.width);
    result.accuracy += ((scores[i] > 0.0) == (rows.labels[i] > 0.0) ? 1.0 : 0.0) / n;
    result.log_loss += loss_of_margin(rows.labels[i] * scores[i]) / n;
    positives += rows.labels[i] > 0.0 ? 1.0 : 0.0;
  }
  // Mann-Whitney, ties counted half.
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double ranks = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    double tied = 0.0;
    while (last < order.size() && scores[order[last]] == scores[order[first]]) {
      tied += rows.labels[order[last++]] > 0.0 ? 1.0 : 0.0;
    }
    ranks += tied * 0.5 * static_cast<double>(first + 1 + last);
    first = last;
  }
  result.auc = (ranks - positives * (positives + 1.0) / 2.0) / (positives * (n - positives));
  return result;
}

Score fit_logistic(const LabelledRows& rows) {
  const std::size_t n = rows.width + 1;
  Score score(n, 0.0);
  for (int iteration = 0; iteration < 50; ++iteration) {
    std::vector<double> hessian(n * n, 0.0);
    std::vector<double> gradient(n, 0.0);
    std::vector<double> x(n, 1.0);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::copy_n(rows.values.data() + r * rows.width, rows.width, x.begin() + 1);
      const double wrong =
          1.0 / (1.0 + std::exp(rows.labels[r] * score_at(score, rows.values.data() + r * rows.width)));
      for (std::size_t i = 0; i < n; ++i) {
        gradient[i] += rows.labels[r] * wrong * x[i];
        for (std::size_t j = 0; j < n; ++j) hessian[i * n + j] += wrong * (1.0 - wrong) * x[i] * x[j];
      }
    }
    solve(hessian, gradient, n);
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      score[i] += gradient[i];
      largest = std::max(largest, std::abs(gradient[i]));
    }
    if (largest < 1e-10) break;
  }
  return score;
}

}  // namespace rivulet::experiments
