#include <utility>

#include "base/shown.h"
#include "loss/parameter.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"

namespace rivulet {

CustomLoss::CustomLoss(std::string name, Function value, Function derivative, Constants constants, Task task)
    : name_(std::move(name)),
      value_(std::move(value)),
      derivative_(std::move(derivative)),
      constants_(constants),
      task_(task) {
  if (name_.empty()) throw RequestError("loss", "the custom loss has no name; accepted: any text but the empty one");
  if (!value_ || !derivative_) {
    throw RequestError("loss",
                       this->name() + " lacks its " + (value_ ? "derivative" : "value") + "; accepted: both functions");
  }
  const std::string positive = "a positive finite number";
  loss::require_parameter(loss::positive_finite(constants_.radius), this->name(), "radius", constants_.radius,
                          positive);
  loss::require_parameter(loss::positive_finite(constants_.lipschitz), this->name(), "Lipschitz constant",
                          constants_.lipschitz, positive);
  loss::require_parameter(constants_.smoothness >= 0.0, this->name(), "smoothness", constants_.smoothness,
                          "0 or more, +infinity for a loss with kinks");
  loss::require_parameter(constants_.strong_convexity >= 0.0 && constants_.strong_convexity <= constants_.smoothness,
                          this->name(), "strong convexity", constants_.strong_convexity,
                          "0 up to the smoothness, which is " + shown(constants_.smoothness));
}

void CustomLoss::require_within(double radius) const {
  if (radius <= constants_.radius) return;
  throw RequestError("loss", name() + ": its constants are asked for at radius " + shown(radius) +
                                 "; accepted: up to " + shown(constants_.radius) + ", the radius they were given for");
}

double CustomLoss::lipschitz(double radius) const {
  require_within(radius);
  return constants_.lipschitz;
}

double CustomLoss::smoothness(double radius) const {
  require_within(radius);
  return constants_.smoothness;
}

double CustomLoss::strong_convexity(double radius) const {
  require_within(radius);
  return constants_.strong_convexity;
}

}  // namespace rivulet
