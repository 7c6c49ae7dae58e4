// Losses of PrivIncERM. A model theta pays j(theta; (x, y)) = phi(<x, theta>, y) for a row, plus a ridge when asked
// for. Rows stand in unit-ball units, ||x|| <= 1 and |y| <= 1, so over a constraint set K a prediction <x, theta> lies
// within
// [-||K||, ||K||] (||K|| is ConstraintSet::diameter()). Everything here is public mathematics: it knows no rows.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "rivulet/constraint.h"

namespace rivulet {

// phi(prediction, y): convex in the prediction and never negative. Immutable: every member may be called from several
// threads at once, and answers by its arguments alone: the promise of PrivIncERM does not hold for a loss that
// remembers what it was asked before. Predictions are finite and |y| <= 1; a classification loss is meant for y = -1
// and y = +1 (its formula and constants, strong_convexity() apart, hold for every |y| <= 1, so a zero row does no
// harm). value() and derivative() of the losses below are the same bits on every machine. Constants are for predictions
// in [-radius, radius], radius >= 0 and finite, and the worst y.
class Loss {
 public:
  virtual ~Loss() = default;

  // A text that parse_loss() reads back as the same loss, e.g. "huber:0.5". A CustomLoss has none: "custom:NAME".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual bool is_classification() const = 0;

  [[nodiscard]] virtual double value(double prediction, double y) const = 0;
  // d phi / d prediction; at a kink the subgradient that each loss names below.
  [[nodiscard]] virtual double derivative(double prediction, double y) const = 0;

  // sup |phi'|, as computed: derivative() never returns more, not by a rounding error either (a
  // CustomLoss says so of itself).
  [[nodiscard]] virtual double lipschitz(double radius) const = 0;
  // sup phi'', +infinity where phi has a kink, to within rounding.
  [[nodiscard]] virtual double smoothness(double radius) const = 0;
  // inf phi'', to within rounding; 0 when phi is not strongly convex in the prediction. In theta no loss of one row is,
  // in more than one dimension: only a ridge makes it so.
  [[nodiscard]] virtual double strong_convexity(double radius) const = 0;

  // Looks for a contradiction, on a grid and at random points of predictions in [-radius, radius] and all y allowed:
  // values that are not finite, negative or different when asked for again; values not convex in the prediction;
  // derivatives that finite differences rule out; constants that are exceeded. Throws RequestError naming the field
  // "loss", what failed and where. A search, not a proof: it finds a violation of 0.1% that extends over 1% of the
  // range, and a kink of 1% of the Lipschitz constant in a loss that bends gently otherwise. Takes about 10 ms for a
  // loss that costs 10 ns.
  void check(double radius) const;

 protected:
  Loss() = default;
  Loss(const Loss&) = default;
  Loss& operator=(const Loss&) = default;
};

// (y - p)^2, the paper's. Lipschitz 2 (radius + 1), smooth and strongly convex: 2.
std::unique_ptr<Loss> make_squared_loss();
// log(1 + e^(-y p)), classification. Lipschitz 1 / (1 + e^-radius), smooth: 1/4. Error below 8 units of rounding.
std::unique_ptr<Loss> make_logistic_loss();
// max(0, 1 - y p), classification. Lipschitz 1; the kink y p = 1 has derivative 0.
std::unique_ptr<Loss> make_hinge_loss();
// The hinge with its corner replaced by a parabola of the given width: (1 - y p)^2 / (2 width) while 0 < 1 - y p <
// width, then 1 - y p - width / 2. Classification. Lipschitz min(1, (radius + 1) / width), smooth: 1 / width.
std::unique_ptr<Loss> make_smooth_hinge_loss(double width);
// (p - y)^2 / 2 while |p - y| <= threshold, then threshold (|p - y| - threshold / 2). Lipschitz min(threshold, radius +
// 1), smooth: 1.
std::unique_ptr<Loss> make_huber_loss(double threshold);
// The pinball: level (y - p) below y, (1 - level) (p - y) above it; its minimiser is a quantile of that level.
// Lipschitz max(level, 1 - level); the kink p = y has derivative 0.
std::unique_ptr<Loss> make_quantile_loss(double level);
// Width and threshold are positive and finite, 0 < level < 1; RequestError naming "loss" otherwise.

// Reads squared, logistic, hinge, smooth-hinge:WIDTH, huber:THRESHOLD, quantile:LEVEL. Throws RequestError naming
// `field`, the text and what would be accepted.
std::unique_ptr<Loss> parse_loss(std::string_view text, std::string_view field = "loss");

// A loss of the user's own. The functions must be pure and safe to call from several threads; call check() before use.
// What the privacy promise rests on is that lipschitz() is never exceeded, and whoever uses derivative() next to rows
// clamps it to that.
class CustomLoss : public Loss {
 public:
  using Function = std::function<double(double prediction, double y)>;

  // What the user vouches for, for predictions in [-radius, radius].
  struct Constants {
    double radius = 1.0;
    double lipschitz = 0.0;
    double smoothness = std::numeric_limits<double>::infinity();
    double strong_convexity = 0.0;
  };
  enum class Task { regression, classification };

  // Throws RequestError naming "loss" unless the name is not empty, both functions are there, radius and lipschitz are
  // positive and finite and 0 <= strong_convexity <= smoothness.
  CustomLoss(std::string name, Function value, Function derivative, Constants constants, Task task = Task::regression);

  [[nodiscard]] std::string name() const override { return "custom:" + name_; }
  [[nodiscard]] bool is_classification() const override { return task_ == Task::classification; }
  [[nodiscard]] double value(double prediction, double y) const override { return value_(prediction, y); }
  [[nodiscard]] double derivative(double prediction, double y) const override { return derivative_(prediction, y); }
  // These throw RequestError for a radius beyond the one vouched for.
  [[nodiscard]] double lipschitz(double radius) const override;
  [[nodiscard]] double smoothness(double radius) const override;
  [[nodiscard]] double strong_convexity(double radius) const override;

 private:
  void require_within(double radius) const;

  std::string name_;
  Function value_;
  Function derivative_;
  Constants constants_;
  Task task_;
};

// What is minimised: j(theta; (x, y)) = phi(<x, theta>, y) + (ridge / 2) ||theta||^2, summed over the rows, over theta
// in K. Its constants, in the Euclidean norm and for the worst row:
class ErmObjective {
 public:
  // Throws RequestError naming "loss" when there is none, "ridge" unless it is finite and 0 or more.
  explicit ErmObjective(std::shared_ptr<const Loss> loss, double ridge = 0.0);

  [[nodiscard]] const Loss& loss() const { return *loss_; }
  [[nodiscard]] double ridge() const { return ridge_; }

  // The paper's L: lipschitz(||K||) + ridge ||K||, rounded up.
  [[nodiscard]] double lipschitz(const ConstraintSet& constraint) const;
  // Of the gradient: smoothness(||K||) + ridge.
  [[nodiscard]] double smoothness(const ConstraintSet& constraint) const;
  // The paper's nu: the ridge; in one dimension, too, because a row may have x = 0.
  [[nodiscard]] double strong_convexity() const { return ridge_; }
  // An upper bound of the paper's curvature constant
  //   C_j = sup over a, b in K, 0 < l <= 1, c = a + l (b - a), all rows, of
  //         (2 / l^2) (j(c) - j(a) - <c - a, grad j(a)>),
  // namely smoothness sup <x, a - b>^2 <= (smoothness(||K||) + ridge) (2 ||K||)^2. For the squared loss C_j is exactly
  // 2 sup ||a - b||^2: 8 ||K||^2 where K = -K, so that the bound is attained, and 4 ||K||^2 on the simplex. (The
  // paper's "C_l <= ||K||^2" holds for 1 / l^2 in place of 2 / l^2 and the largest distance in place of ||K||, the
  // convention of Clarkson 2010; under the paper's own definitions it is too small by 8.)
  [[nodiscard]] double curvature(const ConstraintSet& constraint) const;

 private:
  std::shared_ptr<const Loss> loss_;
  double ridge_;
};

}  // namespace rivulet
