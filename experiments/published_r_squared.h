// How often the R^2 that is told of a published model is right: real rows, noise drawn anew in every stream, the whole
// pipeline, against the R^2 of the same coefficients on the rows themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rivulet::experiments {

// The first rows of a table in data/, with its configuration and a release every `release_every` rows.
struct QualitySetting {
  std::string table;
  std::uint64_t rows = 1000;
  double epsilon = 1.0;
  std::uint64_t release_every = 100;
  std::string constraint = "l2:2";
  bool noise_aware_ridge = true;
};

// Shares are of all streams.
struct QualityResult {
  double least_r_squared = 0.0;  // of the published coefficients, in truth: 5% of streams are below, 5% above
  double middle_r_squared = 0.0;
  double largest_r_squared = 0.0;
  double worse = 0.0;               // below 0 in truth
  double told = 0.0;                // an interval is given
  double covered = 0.0;             // by the interval, or there is none
  double covered_among_told = 0.0;  // by the interval, of those given
  double middle_width = 0.0;        // median, of those given
  double said_better = 0.0;
  double said_no_better = 0.0;
  double wrongly_better = 0.0;     // said so with R^2 below 0 in truth
  double wrongly_no_better = 0.0;  // the other way round
  double free_fit_covered = 0.0;   // by the unconstrained fit's R^2 +- 1.96 standard deviations (Inference)
  double uncorrected_covered =
      0.0;  // by the same statistics at the coefficients, as if they had not been fitted to them
};

// Streams with the insecure seeds 1, 2, ...; `data` is the folder.
QualityResult measure_quality(const QualitySetting& setting, const std::string& data, std::uint64_t streams);

// Those of docs/inference.md and of the test.
std::vector<QualitySetting> quality_settings();

}  // namespace rivulet::experiments
