// Loss::check: what a loss claims of itself, against its own values. All points tried are made up here.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "base/number_text.h"
#include "loss/library_loss.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"

namespace rivulet {
namespace {

// How far correct code may be off by rounding: relative to the largest value, and to the largest derivative.
constexpr double kValueRounding = 1e-13;
constexpr double kDerivativeRounding = 1e-9;
// Slack of the constants themselves, so that one given to six digits passes.
constexpr double kConstantSlack = 1e-6;

// `cells` equal cells of [-radius, radius], and as many random points again divided by 4, in increasing order.
std::vector<double> points_within(double radius, int cells, std::mt19937_64& generator) {
  std::vector<double> points;
  for (int i = 0; i <= cells; ++i) points.push_back(radius * (2.0 * i / cells - 1.0));
  for (int i = 0; i < cells / 4; ++i) {
    const double unit = static_cast<double>(generator() >> 11) * 0x1p-53;
    points.push_back(radius * (2.0 * unit - 1.0));
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// phi(., y) for one y, at all points tried.
class LossOfTarget {
 public:
  LossOfTarget(const Loss& loss, double radius, double y, const std::vector<double>& points)
      : loss_(loss),
        y_(y),
        points_(points),
        lipschitz_(loss.lipschitz(radius)),
        smoothness_(loss.smoothness(radius)),
        strong_convexity_(loss.strong_convexity(radius)),
        radius_(radius) {
    for (const double p : points_) {
      values_.push_back(value_at(p));
      slopes_.push_back(slope_at(p));
      largest_ = std::max(largest_, std::abs(values_.back()));
    }
    value_rounding_ = kValueRounding * (largest_ + lipschitz_ * radius_);
    slope_rounding_ = kDerivativeRounding * lipschitz_;
  }

  void check() const {
    for (std::size_t i = 0; i < points_.size(); ++i) check_point(i);
    for (const std::size_t stride : {1U, 4U, 16U, 64U}) {
      for (std::size_t i = stride; i + stride < points_.size(); ++i) check_convex(i - stride, i, i + stride);
    }
    for (std::size_t i = 0; i < points_.size(); ++i) check_differences(i);
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) check_growth(i);
  }

 private:
  [[noreturn]] void fail(double p, const std::string& fault) const {
    throw RequestError("loss", loss_.name() + " at prediction " + shown(p) + " and y " + shown(y_) + ": " + fault);
  }

  [[nodiscard]] double value_at(double p) const {
    const double value = loss_.value(p, y_);
    if (!std::isfinite(value)) fail(p, "the value is " + shown(value) + "; accepted: a finite number");
    return value;
  }
  [[nodiscard]] double slope_at(double p) const {
    const double slope = loss_.derivative(p, y_);
    if (!std::isfinite(slope)) fail(p, "the derivative is " + shown(slope) + "; accepted: a finite number");
    return slope;
  }

  void check_point(std::size_t i) const {
    const double p = points_[i];
    if (values_[i] < -value_rounding_) {
      fail(p, "the value is " + shown(values_[i]) + "; accepted: a loss that is never negative");
    }
    if (value_at(p) != values_[i] || slope_at(p) != slopes_[i]) {
      fail(p, "the answer changes when asked for again; accepted: a function of prediction and y alone");
    }
    if (std::abs(slopes_[i]) > lipschitz_ * (1.0 + kDerivativeRounding)) {
      fail(p, "the derivative is " + shown(slopes_[i]) + ", beyond the Lipschitz constant " + shown(lipschitz_) +
                  "; accepted: a constant that bounds it for predictions up to " + shown(radius_));
    }
  }

  void check_convex(std::size_t left, std::size_t middle, std::size_t right) const {
    const double share = (points_[middle] - points_[left]) / (points_[right] - points_[left]);
    const double chord = values_[left] + share * (values_[right] - values_[left]);
    if (values_[middle] <= chord + value_rounding_) return;
    fail(points_[middle], "the value " + shown(values_[middle]) + " lies above the chord " + shown(chord) +
                              " between predictions " + shown(points_[left]) + " and " + shown(points_[right]) +
                              "; accepted: a loss that is convex in the prediction");
  }

  // A convex function's difference quotients to the left and to the right enclose its derivative.
  void check_differences(std::size_t i) const {
    const double p = points_[i];
    const double step = 1e-4 * radius_;
    const double rounding = 2.0 * value_rounding_ / step + slope_rounding_;
    if (p - step >= -radius_) {
      const double before = (values_[i] - value_at(p - step)) / step;
      if (slopes_[i] < before - rounding) fail_derivative(i, before, "at least");
    }
    if (p + step <= radius_) {
      const double after = (value_at(p + step) - values_[i]) / step;
      if (slopes_[i] > after + rounding) fail_derivative(i, after, "at most");
    }
  }
  [[noreturn]] void fail_derivative(std::size_t i, double quotient, const std::string& relation) const {
    fail(points_[i], "the derivative is " + shown(slopes_[i]) + "; accepted: " + relation + " " + shown(quotient) +
                         ", by the values next to it");
  }

  // The derivative grows from point i to the next as fast as the constants say. The cell is then halved towards its
  // steeper half: that is how a kink, or a bend narrower than a cell, shows.
  void check_growth(std::size_t i) const {
    double a = points_[i];
    double b = points_[i + 1];
    double slope_a = slopes_[i];
    double slope_b = slopes_[i + 1];
    const double weakest = strong_convexity_ * (1.0 - kConstantSlack) * (b - a);
    if (slope_b - slope_a < weakest - slope_rounding_) {
      fail(a, "the derivative grows by " + shown(slope_b - slope_a) + " up to prediction " + shown(b) +
                  ", less than the strong convexity " + shown(strong_convexity_) + " allows; accepted: a smaller one");
    }
    if (std::isinf(smoothness_)) return;
    for (int halving = 0; halving < 40; ++halving) {
      if (slope_b - slope_a > smoothness_ * (1.0 + kConstantSlack) * (b - a) + slope_rounding_) {
        fail(a, "the derivative grows by " + shown(slope_b - slope_a) + " up to prediction " + shown(b) +
                    ", more than the smoothness " + shown(smoothness_) +
                    " allows; accepted: a larger one, +infinity for a kink");
      }
      const double middle = a + (b - a) / 2.0;
      if (!(middle > a && middle < b)) return;
      const double slope = slope_at(middle);
      if (slope - slope_a > slope_b - slope) {
        b = middle;
        slope_b = slope;
      } else {
        a = middle;
        slope_a = slope;
      }
    }
  }

  const Loss& loss_;
  double y_;
  const std::vector<double>& points_;
  double lipschitz_;
  double smoothness_;
  double strong_convexity_;
  double radius_;
  std::vector<double> values_;
  std::vector<double> slopes_;
  double largest_ = 0.0;
  double value_rounding_ = 0.0;
  double slope_rounding_ = 0.0;
};

}  // namespace

void Loss::check(double radius) const {
  loss::require_parameter(loss::positive_finite(radius), name(), "radius to check it for", radius,
                          "a positive finite number");
  std::mt19937_64 generator(1);
  std::vector<double> targets = {-1.0, 1.0};
  if (!is_classification()) targets = points_within(1.0, 20, generator);
  const std::vector<double> points = points_within(radius, 400, generator);
  for (const double y : targets) LossOfTarget(*this, radius, y, points).check();
}

}  // namespace rivulet
