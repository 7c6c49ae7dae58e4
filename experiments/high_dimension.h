// PrivIncReg2 against PrivIncReg1 on sparse streams: excess risk, memory and time of each, in a process of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rivulet/budget.h"
#include "rivulet/stream_options.h"

namespace rivulet::experiments {

// A stream of SparseStream rows, ten active features each, coefficients of L1 norm `theta_l1` on five of them (3: L2
// norm 1.342).
struct HighDimensionSetting {
  std::size_t dimension = 4000;
  std::optional<std::size_t> sketch{};  // m; none: the full matrix
  EmbeddingKind embedding = EmbeddingKind::sparse_sign;
  std::optional<unsigned> column_weight{};  // of sparse signs
  std::string constraint = "l1:3";
  std::uint64_t rows = 1 << 17;
  std::uint64_t release_every = 1024;
  Budget budget{1.0, 1e-6};
  std::uint64_t seed = 1;
  double zipf = 1.0;  // of the features' frequencies
  double theta_l1 = 3.0;
  double noise = 0.05;               // of the targets
  bool corrected = true;             // for the sketch's cross-talk
  bool model_every_release = false;  // otherwise one model, at the end
  bool against_best = false;         // excess over the best model of the set; otherwise over the one that made the data
};

struct HighDimensionOutcome {
  double excess = 0.0;           // of the last model
  double trivial = 0.0;          // of the model 0
  double reference = 0.0;        // the loss that excesses are over: OPT where that is the best model's
  double rows_per_second = 0.0;  // processor time of rows and releases, models included where every release has one
  double model_seconds = 0.0;    // processor time of the last model
  double peak_bytes = 0.0;       // resident memory of the process above what it had with nothing but the rows
  std::uint64_t nonzeros = 0;    // of the last model
  std::uint64_t distorted = 0;   // rows, as the operator would see them
};

// Rows are made beforehand. Runs in a child process, whose memory is measured.
HighDimensionOutcome measure_high_dimension(const HighDimensionSetting& setting);

}  // namespace rivulet::experiments
