// What stands around the losses: their text, a user's own loss, the objective of PrivIncERM.
#include "rivulet/loss.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "base/number_text.h"
#include "loss/library_loss.h"
#include "rivulet/error.h"

namespace rivulet {

// Losses as text.

namespace {

constexpr std::string_view kAccepted =
    "squared, logistic, hinge, smooth-hinge:WIDTH, huber:THRESHOLD with a positive finite number, or quantile:LEVEL "
    "with a number above 0 and below 1, e.g. huber:0.5";

}  // namespace

void loss::require_parameter(bool good, const std::string& loss, const std::string& what, double value,
                             const std::string& accepted) {
  if (!good) throw RequestError("loss", loss + ": the " + what + " is " + shown(value) + "; accepted: " + accepted);
}

std::unique_ptr<Loss> parse_loss(std::string_view text, std::string_view field) {
  const auto refusal = [&](const std::string& fault) {
    return RequestError(std::string(field), shown(text) + " " + fault + "; accepted: " + std::string(kAccepted));
  };
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  std::optional<std::string_view> word;
  if (colon != std::string_view::npos) word = text.substr(colon + 1);

  using Maker = std::unique_ptr<Loss> (*)();
  for (const auto& [name, make] : {std::pair<std::string_view, Maker>{"squared", make_squared_loss},
                                   {"logistic", make_logistic_loss},
                                   {"hinge", make_hinge_loss}}) {
    if (kind != name) continue;
    if (word) throw refusal("has a number where '" + std::string(name) + "' takes none");
    return make();
  }

  struct Numbered {
    std::string_view name;
    std::string what;
    std::unique_ptr<Loss> (*make)(double);
    double below;  // the number is positive and below this
  };
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  for (const Numbered& numbered : {Numbered{"smooth-hinge", "width", make_smooth_hinge_loss, kUnlimited},
                                   {"huber", "threshold", make_huber_loss, kUnlimited},
                                   {"quantile", "level", make_quantile_loss, 1.0}}) {
    if (kind != numbered.name) continue;
    if (!word || word->empty()) throw refusal("has no " + numbered.what);
    double value = 0.0;
    const auto [end, status] = std::from_chars(word->data(), word->data() + word->size(), value);
    if (status == std::errc::result_out_of_range) {
      throw refusal("has a " + numbered.what + " beyond the range of a double");
    }
    if (status != std::errc{} || end != word->data() + word->size()) {
      throw refusal("has a " + numbered.what + " that is not a number");
    }
    if (!(value > 0.0 && value < numbered.below)) throw refusal("has " + numbered.what + " " + shown(value));
    return numbered.make(value);
  }
  if (kind == "custom") throw refusal("names a loss that exists in the program that made it only");
  throw refusal("is not the name of a loss");
}

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

ErmObjective::ErmObjective(std::shared_ptr<const Loss> loss, double ridge) : loss_(std::move(loss)), ridge_(ridge) {
  if (!loss_) throw RequestError("loss", "there is none; accepted: any loss");
  if (!(ridge_ >= 0.0) || std::isinf(ridge_)) {
    throw RequestError("ridge", shown(ridge_) + " is not a weight; accepted: a finite number, 0 or more");
  }
}

double ErmObjective::lipschitz(const ConstraintSet& constraint) const {
  const double radius = constraint.diameter();
  const double of_loss = loss_->lipschitz(radius);
  if (ridge_ == 0.0) return of_loss;
  const double up = std::numeric_limits<double>::infinity();
  return std::nextafter(of_loss + std::nextafter(ridge_ * radius, up), up);
}

double ErmObjective::smoothness(const ConstraintSet& constraint) const {
  return loss_->smoothness(constraint.diameter()) + ridge_;
}

double ErmObjective::curvature(const ConstraintSet& constraint) const {
  const double largest_distance = 2.0 * constraint.diameter();
  return smoothness(constraint) * largest_distance * largest_distance;
}

}  // namespace rivulet
