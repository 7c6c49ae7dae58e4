// Synthetic regression streams for tests and experiments, from fixed seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace rivulet::experiments {

struct SyntheticRow {
  std::vector<double> x;
  double y = 0.0;
};

// A row by its non-zeros, positions ascending.
struct SparseSyntheticRow {
  std::vector<std::uint32_t> positions;
  std::vector<double> values;
  double y = 0.0;
};

// Rows in the unit ball, isotropic: x uniform in direction, norm between 0.5 and 1; y = <theta, x> + noise, kept within
// [-1, 1].
class IsotropicStream {
 public:
  IsotropicStream(std::size_t dimension, double theta_norm, double noise, std::uint64_t seed)
      : random_(seed), noise_(noise) {
    theta_.resize(dimension);
    normalise(theta_, theta_norm);
    row_.x.resize(dimension);
  }

  const SyntheticRow& next() {
    normalise(row_.x, std::uniform_real_distribution<double>(0.5, 1.0)(random_));
    double y = std::normal_distribution<double>(0.0, noise_)(random_);
    for (std::size_t i = 0; i < theta_.size(); ++i) y += theta_[i] * row_.x[i];
    row_.y = std::clamp(y, -1.0, 1.0);
    return row_;
  }

 private:
  void normalise(std::vector<double>& v, double norm) {
    std::normal_distribution<double> normal;
    double square = 0.0;
    for (double& entry : v) {
      entry = normal(random_);
      square += entry * entry;
    }
    for (double& entry : v) entry *= norm / std::sqrt(square);
  }

  std::mt19937_64 random_;
  double noise_;
  std::vector<double> theta_;
  SyntheticRow row_;
};

// Sparse rows over many features with Zipf frequencies, as words in short texts: `active` distinct features a row, each
// 1/sqrt(active); the target depends on five of the twenty most frequent, with coefficients of L1 norm `theta_l1`. The
// i-th feature's frequency falls as 1 / i^zipf: above 1 the frequent ones hardly change as more are added.
class SparseStream {
 public:
  SparseStream(std::size_t dimension, std::size_t active, double theta_l1, double noise, std::uint64_t seed,
               double zipf = 1.0)
      : random_(seed), active_(active), noise_(noise) {
    std::vector<double> weights(dimension);
    for (std::size_t i = 0; i < dimension; ++i) weights[i] = std::pow(static_cast<double>(i + 1), -zipf);
    pick_ = std::discrete_distribution<std::size_t>(weights.begin(), weights.end());
    theta_.assign(dimension, 0.0);
    for (std::size_t k = 0; k < 5; ++k) theta_[4 * k + 1] = (k % 2 == 0 ? 1.0 : -1.0) * theta_l1 / 5.0;
    row_.x.resize(dimension);
    sparse_.values.assign(active, 1.0 / std::sqrt(static_cast<double>(active)));
  }

  const SyntheticRow& next() {
    draw();
    return row_;
  }
  // The same rows.
  const SparseSyntheticRow& next_sparse() {
    draw();
    sparse_.positions.assign(chosen_.begin(), chosen_.end());
    std::sort(sparse_.positions.begin(), sparse_.positions.end());
    sparse_.y = row_.y;
    return sparse_;
  }
  // What the targets depend on.
  [[nodiscard]] const std::vector<double>& theta() const { return theta_; }

 private:
  void draw() {
    for (std::size_t i : chosen_) row_.x[i] = 0.0;
    chosen_.clear();
    while (chosen_.size() < active_) {
      const std::size_t i = pick_(random_);
      if (row_.x[i] != 0.0) continue;
      row_.x[i] = 1.0 / std::sqrt(static_cast<double>(active_));
      chosen_.push_back(i);
    }
    double y = std::normal_distribution<double>(0.0, noise_)(random_);
    for (std::size_t i : chosen_) y += theta_[i] * row_.x[i];
    row_.y = std::clamp(y, -1.0, 1.0);
  }

  std::mt19937_64 random_;
  std::size_t active_;
  double noise_;
  std::discrete_distribution<std::size_t> pick_;
  std::vector<double> theta_;
  std::vector<std::size_t> chosen_;
  SyntheticRow row_;
  SparseSyntheticRow sparse_;
};

}  // namespace rivulet::experiments
