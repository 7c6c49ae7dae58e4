// From the fit in unit-ball units to intervals in the user's. Everything asked for is an affine function of theta, so
// one contrast vector gives its value and both variances.
#include "rivulet/inference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/distributions.h"
#include "infer/noisy_least_squares.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Unusable rows are zero rows: they are counted in Statistics::rows but add nothing to the intercept's own square,
// which every other row raises by 1 / norm_limit^2 unless it is shortened.
double count_usable_rows(const Schema& schema, const Statistics& statistics) {
  const auto rows = static_cast<double>(statistics.rows);
  const double norm_limit = schema.norm_limit();
  const bool may_shorten = schema.clip_norm() && *schema.clip_norm() <= norm_limit;
  if (!schema.has_intercept() || may_shorten) return rows;
  return std::clamp(statistics.gram[0] * norm_limit * norm_limit, 0.0, rows);
}

}  // namespace

struct Inference::Inside {
  // An affine function of theta, in the user's units. Its variance is privacy + weight * residual variance.
  struct Affine {
    double value = 0.0;
    double weight = 0.0;
    double privacy = 0.0;
    bool determined = false;  // needs determined coordinates only
  };

  Inside(const Schema& schema, const Statistics& statistics, double asked_level)
      : level(asked_level),
        scales(schema.value_scales()),
        target(schema.has_classes() ? Schema::Scale{} : schema.target_scale()),  // as the model: a score
        norm_limit(schema.norm_limit()),
        first(schema.has_intercept() ? 1 : 0),
        rows(count_usable_rows(schema, statistics)),
        fit(infer::noisy_least_squares(statistics, rows, schema.has_intercept())) {
    const std::vector<std::string> names = schema.coordinate_names();
    coefficients.reserve(names.size());
    // The intercept is the prediction where every supplied value is zero.
    if (first == 1) coefficients.push_back(interval(names[0], prediction(std::vector<double>(scales.size(), 0.0))));
    for (std::size_t i = 0; i < scales.size(); ++i) coefficients.push_back(interval(names[first + i], slope(i)));
  }

  [[nodiscard]] bool is_in_fit(Index coordinate) const {
    return std::binary_search(fit.determined.begin(), fit.determined.end(), coordinate);
  }

  [[nodiscard]] Affine slope(std::size_t value) const {
    const auto i = static_cast<Index>(first + value);
    const double factor = target.half_range / (norm_limit * scales[value].half_range);
    if (!is_in_fit(i)) return {};
    return {factor * fit.theta(i), factor * factor * fit.sampling(i, i), factor * factor * fit.privacy(i, i), true};
  }

  [[nodiscard]] Affine prediction(std::span<const double> values) const {
    VectorXd contrast(fit.theta.size());
    if (first == 1) contrast(0) = target.half_range / norm_limit;
    for (std::size_t i = 0; i < scales.size(); ++i) {
      const double z = (values[i] - scales[i].centre) / scales[i].half_range;
      contrast(static_cast<Index>(first + i)) = target.half_range * z / norm_limit;
    }
    Affine result;
    result.value = target.centre + contrast.dot(fit.theta);  // the centre is 0 without an intercept, and of classes
    if (fit.determined.empty()) return result;
    result.weight = contrast.dot(fit.sampling * contrast);
    result.privacy = contrast.dot(fit.privacy * contrast);
    result.determined = true;
    for (Index i = 0; i < contrast.size(); ++i) result.determined &= contrast(i) == 0.0 || is_in_fit(i);
    return result;
  }

  [[nodiscard]] double variance(const Affine& affine) const {
    return affine.privacy + affine.weight * fit.residual.mean;
  }
  // Bounds or values near the ends of the range of doubles can make a number that no double holds.
  [[nodiscard]] bool is_representable(const Affine& affine) const {
    return std::isfinite(affine.value) && std::isfinite(variance(affine));
  }
  [[nodiscard]] double degrees_of_freedom(const Affine& affine) const {
    return infer::effective_degrees_of_freedom(fit.residual, affine.weight, affine.privacy);
  }
  [[nodiscard]] double half_width(const Affine& affine) const {
    const double stddev = std::sqrt(variance(affine));
    return stddev > 0.0 ? stddev * two_sided_quantile(1.0 - level, degrees_of_freedom(affine)) : 0.0;
  }

  [[nodiscard]] CoefficientInterval interval(std::string name, const Affine& affine) const {
    CoefficientInterval result{std::move(name), 0.0, kInfinity, -kInfinity, kInfinity, kInfinity, 1.0, false};
    if (std::isfinite(affine.value)) result.estimate = affine.value;
    if (!affine.determined || !is_representable(affine)) return result;
    const double width = half_width(affine);
    result.standard_error = std::sqrt(variance(affine));
    result.lower = result.estimate - width;
    result.upper = result.estimate + width;
    result.naive_standard_error = std::sqrt(affine.weight * fit.residual.mean);
    if (result.standard_error > 0.0) {
      result.p_value = two_sided_tail(result.estimate / result.standard_error, degrees_of_freedom(affine));
    } else {
      result.p_value = result.estimate == 0.0 ? 1.0 : 0.0;
    }
    result.determined = true;
    return result;
  }

  double level;
  std::vector<Schema::Scale> scales;
  Schema::Scale target;
  double norm_limit;
  std::size_t first;  // coordinate of the first supplied value
  double rows;
  infer::NoisyLeastSquares fit;
  std::vector<CoefficientInterval> coefficients;
};

const char* Inference::mark(const CoefficientInterval& coefficient) {
  if (!coefficient.determined) return "";
  if (coefficient.p_value < 0.001) return "***";
  if (coefficient.p_value < 0.01) return "**";
  if (coefficient.p_value < 0.05) return "*";
  return coefficient.p_value < 0.1 ? "." : "";
}

Inference::Inference(const Schema& schema, const Statistics& statistics, double level) {
  infer::check_level(level);
  infer::check_statistics(schema, statistics);
  inside_ = std::make_shared<const Inside>(schema, statistics, level);
}

const std::vector<CoefficientInterval>& Inference::coefficients() const {
  return inside_->coefficients;
}
bool Inference::determined() const {
  return std::all_of(inside_->coefficients.begin(), inside_->coefficients.end(),
                     [](const CoefficientInterval& coefficient) { return coefficient.determined; });
}
double Inference::residual_stddev() const {
  if (inside_->fit.determined.empty()) return kInfinity;
  return inside_->target.half_range * std::sqrt(inside_->fit.residual.mean);
}
double Inference::r_squared() const {
  return inside_->fit.r_squared;
}
double Inference::r_squared_stddev() const {
  return inside_->fit.r_squared_stddev;
}
double Inference::usable_rows() const {
  return inside_->rows;
}
double Inference::level() const {
  return inside_->level;
}

PredictionInterval Inference::predict(std::span<const double> values) const {
  const std::size_t expected = inside_->scales.size();
  if (values.size() != expected) {
    throw RequestError("values", "a row of " + std::to_string(values.size()) +
                                     " values was given; accepted: " + std::to_string(expected) + " values");
  }
  Inside::Affine affine = inside_->prediction(values);
  if (!std::isfinite(affine.value)) {
    throw RequestError(
        "values",
        "one is missing or so large that no prediction can be made; accepted: finite numbers of the size "
        "of the declared bounds");
  }
  // The new row's own error.
  affine.weight += inside_->target.half_range * inside_->target.half_range;
  if (!affine.determined || !inside_->is_representable(affine)) return {affine.value, -kInfinity, kInfinity};
  const double half_width = inside_->half_width(affine);
  return {affine.value, affine.value - half_width, affine.value + half_width};
}

}  // namespace rivulet
