// How often confidence intervals cover: many simulated streams through the real pipeline, private statistics at the
// end, intervals against the coefficients the rows were made with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rivulet/schema.h"

namespace rivulet::experiments {

// One population of rows, in box units (schema.h): numeric features with mean 0, uniform or, when `common` is above 0,
// the mixture (1 - common) * own + common * shared of uniform values; at most one categorical feature, independent of
// them; y = constant + slopes + level effect + normal error. Keep the sum of all effects and five error standard
// deviations below 1, and nothing is ever clamped.
struct CoverageSetting {
  std::string name;
  std::vector<double> slopes;
  double common = 0.0;
  std::vector<double> level_shares;   // of the categorical feature, summing to 1; empty: there is none
  std::vector<double> level_effects;  // one per level; the first is the reference and must have 0
  bool intercept = true;
  double constant = 0.1;  // ignored without an intercept
  double error_stddev = 0.1;
  std::uint64_t rows = 2000;
  std::uint64_t releases = 1;
  double unusable_share = 0.0;  // of the rows, arriving with a missing target
  double epsilon = 1.0;         // delta is 1e-6
  double level = 0.95;
};

struct CoverageResult {
  std::uint64_t streams = 0;
  double determined = 0.0;       // share of coefficients
  double missed = 0.0;           // share of all coefficients that a reported interval misses
  double coverage = 0.0;         // share of determined coefficients within their interval
  double coverage_stddev = 0.0;  // of that figure, from stream to stream
  double worst_coverage = 1.0;   // of one coefficient
  double naive_coverage = 0.0;   // with the privacy noise ignored
  double mean_width = 0.0;       // of determined intervals, coefficients in box units
  double naive_width = 0.0;
  double least_privacy_share = 0.0;  // privacy part / sampling part of the variance: smallest and largest coefficient
  double most_privacy_share = 0.0;
  double prediction_coverage = 0.0;    // ten fresh rows a stream; rows without a finite interval left out
  double mean_prediction_width = 0.0;  // in box units
  double residual_ratio = 0.0;         // mean estimated residual variance / true one
};

// The schema of a setting: numeric features in user's units with bounds away from zero, so that the intercept's
// interval is that of a true combination.
Schema coverage_schema(const CoverageSetting& setting);

// Streams with seeds first_seed, first_seed + 1, ...: rows and (insecure) privacy noise are both drawn anew.
CoverageResult measure_coverage(const CoverageSetting& setting, std::uint64_t streams, std::uint64_t first_seed);

// The settings of docs/inference.md and of the test.
std::vector<CoverageSetting> coverage_settings();
// Settings around the limit of what is determined.
std::vector<CoverageSetting> limit_settings();

}  // namespace rivulet::experiments
