// How many dimensions a sketch should have, in numbers, before there is any data.
//
// The excess risk of PrivIncReg2 has two parts. The noise costs what fast_solver_bound() says, over Phi K instead of K:
// the image has the width of K, and by Chevet's inequality a diameter of ||K|| + w(K) / sqrt(m) on average. The
// projection misses the inner product <x, theta> by about ||x|| ||theta|| / sqrt(m), so T rows of the unit ball lose at
// most T ||K||^2 / m to it; rows and solutions shorter than their limits lose less, in proportion. More dimensions cost
// memory and time: about m^2 numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "privacy/mechanism_plan.h"
#include "rivulet/constraint.h"
#include "rivulet/stream_options.h"

namespace rivulet::fit {

struct SketchChoice {
  std::size_t dimension = 0;  // m; d: the full matrix, without a sketch
  double memory_bytes = 0.0;  // of kernel and decoder
  double noise_risk = 0.0;    // expected bound on what the noise costs
  double distortion_risk = 0.0;
  [[nodiscard]] double predicted_excess_risk() const { return noise_risk + distortion_risk; }
};

// The memory that an automatically chosen sketch, or the full matrix when it is recommended, may take.
inline constexpr double kMechanismMemory = 1073741824.0;
inline constexpr double kAssumedRows = 1e6;  // T where the stream's length is unknown

class SketchPlan {
 public:
  // Needs options that went through with_defaults() except for the sketch, which is not looked at.
  explicit SketchPlan(const StreamOptions& options, double beta = 0.05);

  // T, W = w(X) + w(K).
  [[nodiscard]] double rows() const { return rows_; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] SketchChoice with_sketch(std::size_t dimension) const;
  [[nodiscard]] SketchChoice full_matrix() const;
  // Doubling dimensions from 25 up to what memory, d or the mechanism allows.
  [[nodiscard]] std::vector<SketchChoice> trade_off() const;
  // The least dimension whose predicted excess risk is within 5% of the least there is.
  [[nodiscard]] SketchChoice best() const;
  // The paper's rule, d at most.
  [[nodiscard]] std::size_t paper_dimension() const;
  // Whether the full matrix fits the memory and is predicted to be better than the best sketch.
  [[nodiscard]] bool recommends_full_matrix() const;
  // The expression of the paper's Theorem 5.7, constants 1, for a best model without loss.
  [[nodiscard]] double theorem_5_7() const;

 private:
  [[nodiscard]] std::size_t most_dimensions() const;
  [[nodiscard]] double memory(double dimension) const;
  [[nodiscard]] double trivial_risk() const;

  std::size_t dimension_;
  std::shared_ptr<const ConstraintSet> set_;
  privacy::MechanismPlan plan_;  // of one dimension: the noise of the others differs by its charges only
  NoiseLevel noise_;
  double rows_;
  double width_;
  double beta_;
};

// m by the sketch's rule.
std::size_t chosen_sketch_dimension(const StreamOptions& options);

}  // namespace rivulet::fit
