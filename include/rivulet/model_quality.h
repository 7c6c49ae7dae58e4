// How good a model is: R^2 of its own coefficients, whatever constraint, ridge or solver moved them, on the rows behind
// the statistics. Post-processing of what is published: no privacy cost.
//
//   const rivulet::ModelQuality quality =
//       rivulet::model_quality(options, regression.statistics(), regression.model());
//   print(quality.text());  // R² of the model on the rows so far: -0.56 (95% interval -0.93 to -0.21, ...
//
// R^2 = 1 - sum (y - prediction)^2 / sum (y - mean y)^2, over the usable rows so far with values and targets within the
// declared bounds; without an intercept about 0 instead of the mean. Below 0 the model is worse than the constant.
//
// Promise: an interval misses the R^2 that the rows themselves would give with a probability of about 1 - level
// (docs/inference.md has the table), and so does the verdict. The interval is for the privacy noise alone: it
// says nothing of rows still to come. Time: that of up to 128 fits. The same arguments give the same bits.
#pragma once

#include <optional>
#include <string>

#include "rivulet/model.h"
#include "rivulet/refit.h"
#include "rivulet/stream_options.h"

namespace rivulet {

// Of the model against the best constant: the mean of the target, or 0 where the schema has no intercept.
enum class Verdict { better, no_better, cannot_be_told };

struct ModelQuality {
  struct RSquared {
    double value = 0.0;   // at most 1
    double stddev = 0.0;  // of the privacy noise in `value`
    double lower = 0.0;   // at `level`
    double upper = 0.0;   // at most 1
  };

  double level = 0.95;
  // Nothing where the privacy noise drowns how much the target varies, or where R^2 is not known at all.
  std::optional<RSquared> r_squared;
  Verdict verdict = Verdict::cannot_be_told;  // at `level`, as the interval
  bool against_mean = true;                   // false: against 0
  // Why these statistics cannot say it, however many rows there are: of sketched rows, without the sum of squared
  // targets (profile `paper`), of another loss, of PrivIncERM, or with the solver noisy_proj_grad. Otherwise empty.
  std::string not_known_because;

  // All of it in one sentence.
  [[nodiscard]] std::string text() const;
};

// Of the model that Refit(stream, options) fits to `statistics`, which are those of the whole stream. Throws
// RequestError on a level not strictly between 0 and 1, or statistics, a model or options that do not fit the stream.
ModelQuality model_quality(const StreamOptions& stream, const Refit::Options& options, const Statistics& statistics,
                           const Model& model, double level = 0.95);
// Of the stream's own model.
ModelQuality model_quality(const StreamOptions& stream, const Statistics& statistics, const Model& model,
                           double level = 0.95);

}  // namespace rivulet
