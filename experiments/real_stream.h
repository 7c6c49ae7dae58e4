// Real tables as streams: how good the private model is on the rows so far, beside least squares without privacy on the
// same rows and the model that ignores them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "not_private/exact_least_squares.h"
#include "rivulet/stream_options.h"

namespace rivulet::experiments {

// R^2 here is that of the target within its declared bounds, on the usable rows so far.
struct Checkpoint {
  std::uint64_t rows = 0;
  double least_squares = 0.0;  // without privacy and without a constraint
  double trivial = 0.0;        // theta = 0: the middle of the target's bounds, whatever the row
  double coefficient = 0.0;    // of least squares: the first feature's, in the user's units
};

struct PrivateFit {
  double r_squared = 0.0;
  double coefficient = 0.0;  // the first feature's
  Model model;
  Statistics statistics;
};

class RealStream {
 public:
  // `data` as `rivulet fit` reads it, with the schema and the constraint of `config` (defaults where it says nothing).
  // Reads at most `limit` rows. Checkpoints at 1000, 2000, 4000, ... rows and at the end.
  RealStream(const std::string& data, const std::string& config, std::uint64_t limit = UINT64_MAX);

  [[nodiscard]] std::uint64_t rows() const { return targets_.size(); }
  [[nodiscard]] const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }
  [[nodiscard]] const StreamOptions& options() const { return options_; }

  // The private models at the checkpoints: the whole stream with a release after every `release_every` rows, which must
  // divide 1000, and the other options as given.
  [[nodiscard]] std::vector<PrivateFit> fit(StreamOptions options) const;

 private:
  StreamOptions options_;
  std::size_t width_ = 0;
  std::vector<double> values_;
  std::vector<double> targets_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<std::unique_ptr<not_private::ExactLeastSquares>> sums_;  // of the rows up to each checkpoint
};

}  // namespace rivulet::experiments
