// The losses every property is tried on.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rivulet/loss.h"

namespace rivulet::testing {

inline std::vector<std::shared_ptr<const Loss>> every_loss() {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const char* text : {"squared", "logistic", "hinge", "smooth-hinge:0.3", "smooth-hinge:1", "smooth-hinge:5",
                           "huber:0.1", "huber:1", "huber:7", "quantile:0.5", "quantile:0.9", "quantile:0.05"}) {
    losses.push_back(parse_loss(text));
  }
  return losses;
}

// A y that the loss is meant for, the ends more often than not.
inline double random_target(const Loss& loss, std::mt19937_64& generator) {
  const bool positive = (generator() & 1U) != 0;
  if (loss.is_classification() || generator() % 3 == 0) return positive ? 1.0 : -1.0;
  return std::uniform_real_distribution<double>(-1.0, 1.0)(generator);
}

inline double random_prediction(double radius, std::mt19937_64& generator) {
  if (generator() % 16 == 0) return (generator() & 1U) != 0 ? radius : -radius;
  return std::uniform_real_distribution<double>(-radius, radius)(generator);
}

}  // namespace rivulet::testing
