// Stand-ins for the kernel, for tests of what is behind the wall.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "erm/batch_solver.h"
#include "rivulet/loss.h"

namespace rivulet::testing {

struct ErmRow {
  std::vector<double> x;
  double y = 0.0;
};

// Exact gradients, without noise.
class ExactGradients final : public erm::GradientSource {
 public:
  ExactGradients(std::shared_ptr<const Loss> loss, std::vector<ErmRow> rows)
      : loss_(std::move(loss)), rows_(std::move(rows)) {}

  void gradient(std::span<const double> theta, double /*mu_k*/, std::uint64_t part, std::uint64_t parts,
                std::span<double> out) override {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t r = part; r < rows_.size(); r += parts) {
      const double slope = loss_->derivative(prediction(rows_[r], theta), rows_[r].y);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += slope * rows_[r].x[i];
    }
  }
  [[nodiscard]] double noise(double /*mu_k*/) const override { return 0.0; }

  // J without and with a ridge.
  [[nodiscard]] double risk(std::span<const double> theta, double ridge = 0.0) const {
    double sum = 0.0;
    for (const ErmRow& row : rows_) sum += loss_->value(prediction(row, theta), row.y);
    for (const double entry : theta) sum += 0.5 * ridge * static_cast<double>(rows_.size()) * entry * entry;
    return sum;
  }
  [[nodiscard]] const std::vector<ErmRow>& rows() const { return rows_; }
  [[nodiscard]] const Loss& loss() const { return *loss_; }

 private:
  static double prediction(const ErmRow& row, std::span<const double> theta) {
    double sum = 0.0;
    for (std::size_t i = 0; i < theta.size(); ++i) sum += row.x[i] * theta[i];
    return sum;
  }

  std::shared_ptr<const Loss> loss_;
  std::vector<ErmRow> rows_;
};

// No rows; writes down what every sum would have cost.
class RecordingGradients final : public erm::GradientSource {
 public:
  void gradient(std::span<const double> /*theta*/, double mu_k, std::uint64_t part, std::uint64_t /*parts*/,
                std::span<double> out) override {
    std::fill(out.begin(), out.end(), 0.0);
    ++sums_;
    if (part == 0) costs_.push_back(mu_k);  // the parts of a pass hold each row once and are paid once
  }
  [[nodiscard]] double noise(double mu_k) const override { return 2.0 / mu_k; }

  [[nodiscard]] const std::vector<double>& costs() const { return costs_; }
  [[nodiscard]] std::uint64_t sums() const { return sums_; }

 private:
  std::vector<double> costs_;
  std::uint64_t sums_ = 0;
};

}  // namespace rivulet::testing
