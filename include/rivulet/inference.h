// How sure the coefficients are: standard errors, intervals and significance that count the sampling noise of the rows
// and the privacy noise of the statistics together. Post-processing of published statistics: no privacy cost.
//
//   rivulet::Inference inference(options.schema, regression.statistics());
//   for (const auto& c : inference.coefficients()) print(c.name, c.estimate, c.lower, c.upper, Inference::mark(c));
//
// What is estimated: the coefficients of the best linear prediction, with no constraint. The estimate is therefore not
// the published model's coefficient, which a constraint or the noise-aware ridge may have moved; the interval belongs
// to the estimate given here. A coordinate whose variation drowns in the noise is *not determined*: it is left out of
// the fit, as statistics packages leave out an aliased column, and the others are those of the best prediction without
// it.
//
// Promise: an interval misses the coefficient with a probability of about 1 - level (measured: 4.2% to 5.3% for 95%
// intervals, from all-privacy to all-sampling noise; docs/inference.md has the table). It rests on rows that are
// independent, errors of equal variance, and values within the declared bounds and norm. Time O(d^3), memory O(d^2).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rivulet/model.h"
#include "rivulet/schema.h"

namespace rivulet {

// Estimates are always finite. When not determined: estimate 0 (the intercept: what the others leave), both standard
// errors infinite, the interval the whole line, p-value 1.
struct CoefficientInterval {
  std::string name;                   // "(intercept)", "age", "carrier=AA": Schema::coordinate_names()
  double estimate = 0.0;              // the target's units for one unit of the feature; intercept: the target's units
  double standard_error = 0.0;        // same units: sampling and privacy noise
  double lower = 0.0;                 // same units, at the level asked for
  double upper = 0.0;                 // same units
  double naive_standard_error = 0.0;  // same units: what remains if privacy noise is ignored
  double p_value = 1.0;               // two-sided, of a true coefficient of 0
  bool determined = false;
};

// In the target's units.
struct PredictionInterval {
  double value = 0.0;
  double lower = 0.0;  // of a new row's target, not of its mean
  double upper = 0.0;
};

// Immutable; every member may be called from several threads at once. Copies share their content.
class Inference {
 public:
  // Throws RequestError when the level is not strictly between 0 and 1, the statistics do not fit the schema or are not
  // numbers, or they lack the sum of squared targets (profile `paper` does not release it).
  Inference(const Schema& schema, const Statistics& statistics, double level = 0.95);

  // One per schema coordinate, the intercept first when there is one.
  [[nodiscard]] const std::vector<CoefficientInterval>& coefficients() const;
  // Whether every coefficient is determined.
  [[nodiscard]] bool determined() const;

  // "***" below p = 0.001, "**" below 0.01, "*" below 0.05, "." below 0.1, else ""; "" when not determined.
  [[nodiscard]] static const char* mark(const CoefficientInterval& coefficient);

  // Standard deviation of the target about the fit, in the target's units; infinite when no coordinate is determined.
  [[nodiscard]] double residual_stddev() const;
  // Share of the target's variation (about its mean with an intercept, about 0 without) that the estimates explain (a
  // published model: model_quality.h), in [0, 1]; and the standard deviation of the privacy noise in it. 0 and infinite
  // when it cannot be told.
  [[nodiscard]] double r_squared() const;
  [[nodiscard]] double r_squared_stddev() const;
  // A private estimate of the number of rows that could be used; rows that cannot be used are in Statistics::rows, too.
  // Without an intercept, or with a clip norm that may shorten rows, it is Statistics::rows.
  [[nodiscard]] double usable_rows() const;
  [[nodiscard]] double level() const;

  // For a new row of Schema::row_width() values in schema order, affine in them as Model::predict() is. A row that
  // needs a coordinate not determined has the whole line as its interval. Throws RequestError on a wrong width or
  // values that are not finite.
  [[nodiscard]] PredictionInterval predict(std::span<const double> values) const;

 private:
  struct Inside;
  std::shared_ptr<const Inside> inside_;
};

}  // namespace rivulet
