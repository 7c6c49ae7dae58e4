#include <cmath>
#include <utility>

#include "base/shown.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"

namespace rivulet {

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
