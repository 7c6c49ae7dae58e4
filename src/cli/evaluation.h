// How well a model predicts rows whose target is known. Exact figures of those rows: NOT private.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rivulet/stream_options.h"

namespace rivulet::cli {

class Evaluation {
 public:
  virtual ~Evaluation() = default;
  // One row: the model's prediction, or score, and the target as it was read.
  virtual void add(double prediction, double target) = 0;
  // A figure and, for people, its name; one that is not defined for these rows is no number.
  struct Figure {
    std::string key;
    std::string name;
    double value;
    bool is_share;  // shown as a percentage
  };
  [[nodiscard]] virtual std::vector<Figure> figures() = 0;
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 protected:
  Evaluation() = default;
  Evaluation(const Evaluation&) = default;
  Evaluation& operator=(const Evaluation&) = default;
  std::uint64_t rows_ = 0;
};

// R^2, root mean square error and mean absolute error, with a quantile loss the pinball loss and the share of targets
// at or below the prediction; in the target's units. With classes the share of right answers, log-loss (logistic), area
// under the ROC curve, and the shares of the positive and of the larger class.
std::unique_ptr<Evaluation> make_evaluation(const StreamOptions& options);

// The probability that a random row of the positive class has a higher score than one of the negative, a tie counting
// 1/2; no number when a class is missing. `scores` holds (score, positive) and is put in order. Exact up to rounding;
// time n log n.
double area_under_roc(std::vector<std::pair<double, bool>>& scores);

}  // namespace rivulet::cli
