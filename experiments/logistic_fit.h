// Logistic regression WITHOUT privacy, and measures of how good a score is: what the private models are held against.
// For experiments only: it keeps rows, and nothing it returns about them may be published.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rivulet/model.h"
#include "rivulet/schema.h"

namespace rivulet::experiments {

// Usable rows in the user's units, as given; the label is -1 or 1.
struct LabelledRows {
  std::size_t width = 0;
  std::vector<double> values;  // row after row
  std::vector<double> labels;

  [[nodiscard]] std::size_t size() const { return labels.size(); }
  [[nodiscard]] std::vector<double> row(std::size_t i) const {
    return {values.begin() + static_cast<std::ptrdiff_t>(i * width),
            values.begin() + static_cast<std::ptrdiff_t>((i + 1) * width)};
  }
  // Clamps to the schema's bounds, as the kernel does. Rows with a missing value or label are passed over.
  void add(const Schema& schema, std::span<const double> row, double label);
};

// A score: log-odds of label 1, intercept first.
using Score = std::vector<double>;

Score score_of(const Model& model);

struct Quality {
  double accuracy = 0.0;  // of the sign
  double log_loss = 0.0;  // mean
  double auc = 0.0;       // area under the ROC curve
};
Quality quality(const Score& score, const LabelledRows& rows);

// The maximum likelihood fit, by Newton's method.
Score fit_logistic(const LabelledRows& rows);

}  // namespace rivulet::experiments
