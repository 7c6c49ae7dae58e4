#include "published_r_squared.h"

#include <algorithm>
#include <cmath>

#include "real_stream.h"
#include "rivulet/inference.h"
#include "rivulet/model_quality.h"

namespace rivulet::experiments {
namespace {

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

// R^2 at the coefficients by the delta method, as if they came from elsewhere: within 1.96 standard deviations?
bool covers_uncorrected(const PrivateFit& fit, bool intercept) {
  const Statistics& s = fit.statistics;
  const std::vector<double>& theta = fit.model.theta;
  const std::size_t d = s.dimension;
  const double mean = intercept ? s.cross[0] / s.gram[0] : 0.0;
  const double total = s.target_square - (intercept ? mean * s.cross[0] : 0.0);
  double left = s.target_square;
  for (std::size_t i = 0; i < d; ++i) {
    left -= 2.0 * theta[i] * s.cross[i];
    for (std::size_t j = 0; j < d; ++j) left += theta[i] * theta[j] * s.gram[i * d + j];
  }
  const double share = left / total;
  double variance = std::pow((1.0 - share) * s.target_square_stddev, 2);
  for (std::size_t i = 0; i < d; ++i) {
    const bool first = intercept && i == 0;
    variance += std::pow((-2.0 * theta[i] + (first ? 2.0 * share * mean : 0.0)) * s.noise.cross, 2);
    variance += std::pow((theta[i] * theta[i] - (first ? share * mean * mean : 0.0)) * s.noise.gram_diagonal, 2);
    for (std::size_t j = 0; j < i; ++j) variance += std::pow(2.0 * theta[i] * theta[j] * s.noise.gram_offdiagonal, 2);
  }
  return std::abs(fit.r_squared - (1.0 - share)) <= 1.96 * std::sqrt(variance) / std::abs(total);
}

}  // namespace

QualityResult measure_quality(const QualitySetting& setting, const std::string& data, std::uint64_t streams) {
  const std::string base = data + "/" + setting.table;
  const RealStream stream(base + ".csv.gz", base + ".toml", setting.rows);
  StreamOptions options = stream.options();
  options.budget.epsilon = setting.epsilon;
  options.release_every = setting.release_every;
  options.constraint = setting.constraint;
  options.noise_aware_ridge = setting.noise_aware_ridge;
  QualityResult result;
  std::vector<double> truths;
  std::vector<double> widths;
  const double one = 1.0 / static_cast<double>(streams);
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    options.insecure_seed = seed;
    const PrivateFit fit = stream.fit(options).back();
    const double truth = fit.r_squared;
    const ModelQuality quality = model_quality(options, fit.statistics, fit.model);
    truths.push_back(truth);
    result.worse += truth < 0.0 ? one : 0.0;
    bool covered = true;
    if (quality.r_squared) {
      covered = quality.r_squared->lower <= truth && truth <= quality.r_squared->upper;
      widths.push_back(quality.r_squared->upper - quality.r_squared->lower);
      result.covered_among_told += covered ? 1.0 : 0.0;
    }
    result.covered += covered ? one : 0.0;
    const bool better = quality.verdict == Verdict::better;
    const bool no_better = quality.verdict == Verdict::no_better;
    result.said_better += better ? one : 0.0;
    result.said_no_better += no_better ? one : 0.0;
    result.wrongly_better += better && truth < 0.0 ? one : 0.0;
    result.wrongly_no_better += no_better && truth > 0.0 ? one : 0.0;
    const Inference inference(options.schema, fit.statistics);
    const bool old = std::abs(truth - inference.r_squared()) <= 1.96 * inference.r_squared_stddev();
    result.free_fit_covered += old ? one : 0.0;
    result.uncorrected_covered += covers_uncorrected(fit, options.schema.has_intercept()) ? one : 0.0;
  }
  result.told = static_cast<double>(widths.size()) * one;
  result.covered_among_told = widths.empty() ? 1.0 : result.covered_among_told / static_cast<double>(widths.size());
  result.middle_width = quantile(widths, 0.5);
  result.least_r_squared = quantile(truths, 0.05);
  result.middle_r_squared = quantile(truths, 0.5);
  result.largest_r_squared = quantile(truths, 0.95);
  return result;
}

std::vector<QualitySetting> quality_settings() {
  return {
      {.table = "flights", .rows = 200},
      {.table = "flights", .rows = 1000, .release_every = 1000},
      {.table = "flights", .rows = 5000, .release_every = 1000},
      {.table = "flights", .rows = 20000, .release_every = 1000},
      {.table = "fertility", .rows = 1000},
      {.table = "fertility", .rows = 5000},
      {.table = "fertility", .rows = 20000},
      {.table = "diamonds", .rows = 1000},
      {.table = "diamonds", .rows = 5000},
      {.table = "diamonds", .rows = 20000},
      {.table = "flights", .rows = 500, .epsilon = 10},
      {.table = "flights", .rows = 2000, .epsilon = 10},
      {.table = "fertility", .rows = 500, .epsilon = 10},
      {.table = "fertility", .rows = 2000, .epsilon = 10},
      {.table = "diamonds", .rows = 500, .epsilon = 10},
      {.table = "diamonds", .rows = 2000, .epsilon = 10},
      {.table = "flights", .rows = 2000, .epsilon = 100},
      {.table = "fertility", .rows = 2000, .epsilon = 100},
      {.table = "diamonds", .rows = 2000, .epsilon = 100},
      {.table = "flights", .rows = 2000, .epsilon = 10, .constraint = "l2:0.2"},
      {.table = "diamonds", .rows = 2000, .epsilon = 10, .constraint = "l1:1"},
      {.table = "flights", .rows = 2000, .epsilon = 10, .constraint = "box:-1:1"},
      {.table = "diamonds", .rows = 2000, .epsilon = 10, .noise_aware_ridge = false},
  };
}

}  // namespace rivulet::experiments
