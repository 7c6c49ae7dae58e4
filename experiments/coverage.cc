#include "coverage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "rivulet/inference.h"
#include "rivulet/priv_inc_reg1.h"
#include "solve/cholesky.h"

namespace rivulet::experiments {
namespace {

constexpr int kFreshRows = 10;

// Rows of a setting in the user's units, and the truth about them.
class Population {
 public:
  Population(const CoverageSetting& setting, std::uint64_t seed)
      : setting_(setting),
        random_(seed),
        level_(setting.level_shares.begin(), setting.level_shares.end()),
        scales_(coverage_schema(setting).value_scales()),
        target_(coverage_schema(setting).target_scale()),
        values_(scales_.size()) {}

  void next() {
    const std::size_t numeric = setting_.slopes.size();
    const double shared = uniform_(random_);
    double y = setting_.intercept ? setting_.constant : 0.0;
    y += setting_.error_stddev * normal_(random_);
    for (std::size_t i = 0; i < numeric; ++i) {
      const double z = (1.0 - setting_.common) * uniform_(random_) + setting_.common * shared;
      y += setting_.slopes[i] * z;
      values_[i] = scales_[i].centre + scales_[i].half_range * z;
    }
    if (!setting_.level_shares.empty()) {
      std::fill(values_.begin() + static_cast<std::ptrdiff_t>(numeric), values_.end(), 0.0);
      const std::size_t level = level_(random_);
      y += setting_.level_effects[level];
      if (level > 0 || !setting_.intercept) values_[numeric + level - (setting_.intercept ? 1 : 0)] = 1.0;
    }
    target_value_ = target_.centre + target_.half_range * y;
  }

  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] double target() const { return target_value_; }
  [[nodiscard]] bool unusable() { return std::bernoulli_distribution(setting_.unusable_share)(random_); }

 private:
  const CoverageSetting& setting_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
  std::normal_distribution<double> normal_;
  std::discrete_distribution<std::size_t> level_;
  std::vector<Schema::Scale> scales_;
  Schema::Scale target_;
  std::vector<double> values_;
  double target_value_ = 0.0;
};

// Coefficients in box units of the best linear prediction from the coordinates in `in_fit`: from the population's
// second moments, which the setting gives in closed form.
std::vector<double> true_coefficients(const CoverageSetting& setting, const std::vector<bool>& in_fit) {
  const std::size_t first = setting.intercept ? 1 : 0;
  const std::size_t numeric = setting.slopes.size();
  const std::size_t dimension = in_fit.size();
  std::vector<double> gram(dimension * dimension, 0.0);
  std::vector<double> full(dimension, 0.0);
  const auto set = [&](std::size_t i, std::size_t j, double value) {
    gram[i * dimension + j] = gram[j * dimension + i] = value;
  };
  if (setting.intercept) {
    full[0] = setting.constant;
    set(0, 0, 1.0);
  }
  for (std::size_t i = 0; i < numeric; ++i) {
    full[first + i] = setting.slopes[i];
    for (std::size_t j = 0; j < i; ++j) set(first + i, first + j, setting.common * setting.common / 3.0);
    set(first + i, first + i, (std::pow(1.0 - setting.common, 2) + std::pow(setting.common, 2)) / 3.0);
  }
  for (std::size_t i = first + numeric; i < dimension; ++i) {
    const std::size_t level = i - numeric;
    full[i] = setting.level_effects[level];
    set(i, i, setting.level_shares[level]);
    if (setting.intercept) set(i, 0, setting.level_shares[level]);
  }
  // Coordinates not in the fit become equations coefficient = 0.
  std::vector<double> right_side(dimension, 0.0);
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) right_side[i] += in_fit[i] ? gram[i * dimension + j] * full[j] : 0.0;
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      if (!in_fit[i] || !in_fit[j]) gram[i * dimension + j] = i == j ? 1.0 : 0.0;
    }
  }
  solve::Cholesky cholesky(dimension);
  if (!cholesky.factor(gram, 0.0)) return full;
  std::vector<double> result(dimension);
  cholesky.solve(right_side, result);
  return result;
}

// Box units to the user's, as Model has them: the intercept first.
std::vector<double> in_user_units(const Schema& schema, const std::vector<double>& box) {
  const Schema::Scale target = schema.target_scale();
  const std::vector<Schema::Scale> scales = schema.value_scales();
  const std::size_t first = schema.has_intercept() ? 1 : 0;
  std::vector<double> user(box.size());
  if (first == 1) user[0] = target.centre + target.half_range * box[0];
  for (std::size_t i = 0; i < scales.size(); ++i) {
    user[first + i] = target.half_range * box[first + i] / scales[i].half_range;
    if (first == 1) user[0] -= user[first + i] * scales[i].centre;
  }
  return user;
}

Statistics private_statistics(const CoverageSetting& setting, const Schema& schema, Population& population,
                              std::uint64_t seed) {
  StreamOptions options;
  options.budget = {setting.epsilon, 1e-6};
  options.schema = schema;
  options.release_every = (setting.rows + setting.releases - 1) / setting.releases;
  options.horizon = Horizon::known(setting.releases);
  options.insecure_seed = seed;
  PrivIncReg1 regression(options);
  for (std::uint64_t row = 0; row < setting.rows; ++row) {
    population.next();
    const bool unusable = setting.unusable_share > 0.0 && population.unusable();
    regression.observe(population.values(), unusable ? std::numeric_limits<double>::quiet_NaN() : population.target());
  }
  regression.flush();
  return regression.statistics();
}

// Sums over streams, coefficient by coefficient.
struct Tally {
  double determined = 0.0;
  double covered = 0.0;
  double naive_covered = 0.0;
  double width = 0.0;
  double naive_width = 0.0;
  double variance = 0.0;
  double sampling_variance = 0.0;
};

}  // namespace

Schema coverage_schema(const CoverageSetting& setting) {
  Schema schema;
  schema.intercept(setting.intercept);
  for (std::size_t i = 0; i < setting.slopes.size(); ++i) {
    const auto k = static_cast<double>(i + 1);
    const Interval bounds = setting.intercept ? Interval{10.0 * k, 30.0 * k} : Interval{-20.0 * k, 20.0 * k};
    schema.feature(std::string("x").append(std::to_string(i + 1)), bounds);
  }
  if (!setting.level_shares.empty()) {
    std::vector<std::string> levels;
    for (std::size_t i = 0; i < setting.level_shares.size(); ++i)
      levels.push_back(std::string("l").append(std::to_string(i)));
    schema.categorical("group", levels);
  }
  schema.target("y", setting.intercept ? Interval{-100.0, 300.0} : Interval{-200.0, 200.0});
  return schema;
}

CoverageResult measure_coverage(const CoverageSetting& setting, std::uint64_t streams, std::uint64_t first_seed) {
  const Schema schema = coverage_schema(setting);
  const std::size_t dimension = schema.dimension();
  const std::vector<Schema::Scale> scales = schema.value_scales();
  const double half_range = schema.target_scale().half_range;
  const std::size_t first = schema.has_intercept() ? 1 : 0;
  constexpr double kNormal95 = 1.959963984540054;
  const double naive_factor = setting.level == 0.95 ? kNormal95 : 1.644853626951473;  // 0.95 and 0.9 are what is run

  std::vector<Tally> tallies(dimension);
  CoverageResult result;
  result.streams = streams;
  double squares = 0.0;
  double predictions = 0.0;
  for (std::uint64_t stream = 0; stream < streams; ++stream) {
    Population population(setting, 2 * (first_seed + stream));
    const Statistics statistics = private_statistics(setting, schema, population, 2 * (first_seed + stream) + 1);
    const Inference inference(schema, statistics, setting.level);
    const std::vector<CoefficientInterval>& coefficients = inference.coefficients();
    // A coordinate is in the fit when its coefficient is determined, and the intercept's when any is.
    std::vector<bool> in_fit(dimension);
    for (std::size_t i = 0; i < dimension; ++i) in_fit[i] = coefficients[i].determined;
    if (first == 1) in_fit[0] = std::find(in_fit.begin(), in_fit.end(), true) != in_fit.end();
    const std::vector<double> truth = in_user_units(schema, true_coefficients(setting, in_fit));

    double missed_here = 0.0;
    for (std::size_t i = 0; i < dimension; ++i) {
      const CoefficientInterval& c = coefficients[i];
      if (!c.determined) continue;
      Tally& tally = tallies[i];
      const double box_unit = half_range / (i < first ? 1.0 : scales[i - first].half_range);
      const double naive_half = naive_factor * c.naive_standard_error;
      const bool covers = c.lower <= truth[i] && truth[i] <= c.upper;
      tally.determined += 1.0;
      tally.covered += covers ? 1.0 : 0.0;
      missed_here += covers ? 0.0 : 1.0;
      tally.naive_covered += std::abs(c.estimate - truth[i]) <= naive_half ? 1.0 : 0.0;
      tally.width += (c.upper - c.lower) / box_unit;
      tally.naive_width += 2.0 * naive_half / box_unit;
      tally.variance += c.standard_error * c.standard_error;
      tally.sampling_variance += c.naive_standard_error * c.naive_standard_error;
    }
    squares += missed_here * missed_here;
    if (std::isfinite(inference.residual_stddev())) {
      result.residual_ratio += std::pow(inference.residual_stddev() / half_range / setting.error_stddev, 2);
    }
    for (int row = 0; row < kFreshRows; ++row) {
      population.next();
      const PredictionInterval p = inference.predict(population.values());
      if (!std::isfinite(p.upper)) continue;
      predictions += 1.0;
      result.mean_prediction_width += (p.upper - p.lower) / half_range;
      result.prediction_coverage += p.lower <= population.target() && population.target() <= p.upper ? 1.0 : 0.0;
    }
  }

  const auto count = static_cast<double>(streams);
  Tally total;
  result.least_privacy_share = std::numeric_limits<double>::infinity();
  for (const Tally& tally : tallies) {
    if (tally.determined == 0.0) continue;
    total.determined += tally.determined;
    total.covered += tally.covered;
    total.naive_covered += tally.naive_covered;
    total.width += tally.width;
    total.naive_width += tally.naive_width;
    result.worst_coverage = std::min(result.worst_coverage, tally.covered / tally.determined);
    const double share = tally.variance / tally.sampling_variance - 1.0;
    result.least_privacy_share = std::min(result.least_privacy_share, share);
    result.most_privacy_share = std::max(result.most_privacy_share, share);
  }
  const double coefficients = count * static_cast<double>(dimension);
  const double missed = total.determined - total.covered;
  result.determined = total.determined / coefficients;
  result.missed = missed / coefficients;
  if (total.determined > 0.0) {
    result.coverage = total.covered / total.determined;
    result.coverage_stddev = std::sqrt(std::max(0.0, squares - missed * missed / count)) / total.determined;
    result.naive_coverage = total.naive_covered / total.determined;
    result.mean_width = total.width / total.determined;
    result.naive_width = total.naive_width / total.determined;
  }
  if (predictions > 0.0) {
    result.prediction_coverage /= predictions;
    result.mean_prediction_width /= predictions;
  }
  result.residual_ratio /= count;
  return result;
}

}  // namespace rivulet::experiments
