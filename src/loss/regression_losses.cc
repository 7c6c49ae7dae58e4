// Losses of the residual: squared, Huber, pinball.
#include <algorithm>
#include <cmath>

#include "base/shown.h"
#include "loss/library_loss.h"
#include "loss/parameter.h"
#include "rivulet/loss.h"

namespace rivulet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest |p - y|. Rounding is monotone, so no computed p - y is above it.
double largest_residual(double radius) {
  return radius + 1.0;
}

class SquaredLoss final : public loss::LossOfMany<SquaredLoss> {
 public:
  [[nodiscard]] std::string name() const override { return "squared"; }
  [[nodiscard]] bool is_classification() const override { return false; }
  [[nodiscard]] double value(double prediction, double y) const override { return (prediction - y) * (prediction - y); }
  [[nodiscard]] double derivative(double prediction, double y) const override { return 2.0 * (prediction - y); }
  [[nodiscard]] double lipschitz(double radius) const override { return 2.0 * largest_residual(radius); }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return 2.0; }
  [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 2.0; }
};

class HuberLoss final : public loss::LossOfMany<HuberLoss> {
 public:
  explicit HuberLoss(double threshold) : threshold_(threshold) {}

  [[nodiscard]] std::string name() const override { return "huber:" + shown(threshold_); }
  [[nodiscard]] bool is_classification() const override { return false; }
  [[nodiscard]] double value(double prediction, double y) const override {
    const double distance = std::abs(prediction - y);
    return distance <= threshold_ ? 0.5 * distance * distance : threshold_ * (distance - 0.5 * threshold_);
  }
  [[nodiscard]] double derivative(double prediction, double y) const override {
    return std::clamp(prediction - y, -threshold_, threshold_);
  }
  [[nodiscard]] double lipschitz(double radius) const override {
    return std::min(threshold_, largest_residual(radius));
  }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return 1.0; }  // at p = y = 0
  [[nodiscard]] double strong_convexity(double radius) const override {
    return largest_residual(radius) <= threshold_ ? 1.0 : 0.0;
  }

 private:
  double threshold_;
};

class QuantileLoss final : public loss::LossOfMany<QuantileLoss> {
 public:
  explicit QuantileLoss(double level) : level_(level) {}

  [[nodiscard]] std::string name() const override { return "quantile:" + shown(level_); }
  [[nodiscard]] bool is_classification() const override { return false; }
  [[nodiscard]] double value(double prediction, double y) const override {
    return prediction < y ? level_ * (y - prediction) : (1.0 - level_) * (prediction - y);
  }
  [[nodiscard]] double derivative(double prediction, double y) const override {
    if (prediction == y) return 0.0;
    return prediction < y ? -level_ : 1.0 - level_;
  }
  [[nodiscard]] double lipschitz(double /*radius*/) const override { return std::max(level_, 1.0 - level_); }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return kInfinity; }  // the kink at p = y = 0
  [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 0.0; }

 private:
  double level_;
};

}  // namespace

std::unique_ptr<Loss> make_squared_loss() {
  return std::make_unique<SquaredLoss>();
}

std::unique_ptr<Loss> make_huber_loss(double threshold) {
  loss::require_parameter(loss::positive_finite(threshold), "huber", "threshold", threshold,
                          "a positive finite number, e.g. 0.5");
  return std::make_unique<HuberLoss>(threshold);
}

std::unique_ptr<Loss> make_quantile_loss(double level) {
  loss::require_parameter(level > 0.0 && level < 1.0, "quantile", "level", level,
                          "a number above 0 and below 1, e.g. 0.9");
  return std::make_unique<QuantileLoss>(level);
}

}  // namespace rivulet
