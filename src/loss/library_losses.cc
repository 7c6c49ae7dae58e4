#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.h"
#include "base/portable_math.h"
#include "loss/library_loss.h"
#include "rivulet/loss.h"

namespace rivulet {

// Losses of the residual: squared, Huber, pinball.

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

// Losses of the margin y p: logistic, hinge, smoothed hinge.

namespace {

// log(1 + u) for 0 <= u <= 1. What 1 + u loses is made good by the ratio (Kahan).
double log_of_one_plus(double u) {
  const double sum = 1.0 + u;
  return sum == 1.0 ? u : portable_log(sum) * (u / (sum - 1.0));
}

// 1 / (1 + e^margin), through `small`, an exponential that never overflows.
double chance_of_error(double margin, double small) {
  return (margin >= 0.0 ? small : 1.0) / (1.0 + small);
}
double chance_of_error(double margin) {
  return chance_of_error(margin, portable_exp(-std::abs(margin)));
}

class LogisticLoss final : public loss::LossOfMany<LogisticLoss> {
 public:
  [[nodiscard]] std::string name() const override { return "logistic"; }
  [[nodiscard]] bool is_classification() const override { return true; }
  [[nodiscard]] double value(double prediction, double y) const override {
    const double margin = y * prediction;
    return std::max(-margin, 0.0) + log_of_one_plus(portable_exp(-std::abs(margin)));
  }
  [[nodiscard]] double derivative(double prediction, double y) const override {
    return -y * chance_of_error(y * prediction);
  }
  void derivatives(const double* predictions, const double* y, std::size_t count, double* out) const override {
    double largest = 0.0;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(predictions[i]));
    if (!(largest <= 700.0)) return LossOfMany::derivatives(predictions, y, count, out);
    for (std::size_t i = 0; i < count; ++i) {
      const double margin = y[i] * predictions[i];
      out[i] = -y[i] * chance_of_error(margin, portable_exp_within(-std::abs(margin)));
    }
  }
  [[nodiscard]] double lipschitz(double radius) const override {
    // The exponential is not monotone in its last digits, hence the 8 units of rounding.
    constexpr double kRoundedUp = 1.0 + 8.0 * std::numeric_limits<double>::epsilon();
    return std::min(1.0, chance_of_error(-radius) * kRoundedUp);
  }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return 0.25; }  // at p = 0
  [[nodiscard]] double strong_convexity(double radius) const override {
    return chance_of_error(radius) * chance_of_error(-radius);
  }
};

class HingeLoss final : public loss::LossOfMany<HingeLoss> {
 public:
  [[nodiscard]] std::string name() const override { return "hinge"; }
  [[nodiscard]] bool is_classification() const override { return true; }
  [[nodiscard]] double value(double prediction, double y) const override { return std::max(0.0, 1.0 - y * prediction); }
  [[nodiscard]] double derivative(double prediction, double y) const override {
    return y * prediction < 1.0 ? -y : 0.0;
  }
  [[nodiscard]] double lipschitz(double /*radius*/) const override { return 1.0; }
  // Predictions below 1 in size never meet the kink: there the hinge is a straight line.
  [[nodiscard]] double smoothness(double radius) const override { return radius < 1.0 ? 0.0 : kInfinity; }
  [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 0.0; }
};

class SmoothHingeLoss final : public loss::LossOfMany<SmoothHingeLoss> {
 public:
  explicit SmoothHingeLoss(double width) : width_(width) {}

  [[nodiscard]] std::string name() const override { return "smooth-hinge:" + shown(width_); }
  [[nodiscard]] bool is_classification() const override { return true; }
  [[nodiscard]] double value(double prediction, double y) const override {
    const double gap = 1.0 - y * prediction;
    if (gap <= 0.0) return 0.0;
    return gap < width_ ? 0.5 * (gap * (gap / width_)) : gap - 0.5 * width_;
  }
  [[nodiscard]] double derivative(double prediction, double y) const override {
    const double gap = 1.0 - y * prediction;
    if (gap <= 0.0) return 0.0;
    return gap < width_ ? -y * (gap / width_) : -y;
  }
  [[nodiscard]] double lipschitz(double radius) const override { return std::min(1.0, (radius + 1.0) / width_); }
  // Margins up to `radius` meet the parabola, margins above 1 - width, or stay on the straight part.
  [[nodiscard]] double smoothness(double radius) const override { return radius > 1.0 - width_ ? 1.0 / width_ : 0.0; }
  // Strong where every margin is on the parabola.
  [[nodiscard]] double strong_convexity(double radius) const override {
    return radius <= 1.0 && radius + 1.0 <= width_ ? 1.0 / width_ : 0.0;
  }

 private:
  double width_;
};

}  // namespace

std::unique_ptr<Loss> make_logistic_loss() {
  return std::make_unique<LogisticLoss>();
}

std::unique_ptr<Loss> make_hinge_loss() {
  return std::make_unique<HingeLoss>();
}

std::unique_ptr<Loss> make_smooth_hinge_loss(double width) {
  loss::require_parameter(loss::positive_finite(width), "smooth-hinge", "width", width,
                          "a positive finite number, e.g. 0.5");
  return std::make_unique<SmoothHingeLoss>(width);
}

}  // namespace rivulet
