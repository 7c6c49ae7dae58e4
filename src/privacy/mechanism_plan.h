// The complete, public description of one private mechanism: lattice, strategy, noise, and the accounting that ties
// them to the budget. Made before the first row is read; the kernel, the decoders and `rivulet plan` all work from the
// same object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "privacy/calibration.h"
#include "rivulet/budget.h"
#include "rivulet/model.h"
#include "strategy/strategy.h"

namespace rivulet::privacy {

// The full matrix of more would not fit any memory; a sketch (PrivIncReg2) has fewer dimensions than its rows.
inline constexpr std::size_t kMostDimensions = 20000;

struct MechanismRequest {
  Budget budget{1.0, 1e-6};
  Neighbours neighbours = Neighbours::replace;
  Profile profile = Profile::tight;
  strategy::Strategy::Options strategy;
  std::size_t dimension = 1;        // covariates, intercept included
  std::uint64_t rows_per_step = 1;  // release-every
  bool units = false;               // the promise is for units, not rows: rows carry the identifier of theirs
  std::uint64_t rows_per_unit = 1;  // how many of its rows count, and are protected together
  double diameter = 1.0;            // of the constraint set, in unit-ball units: decides s only, never privacy
};

// Where each statistic stands in a released vector, in this order: diagonal of sum x x^T, its upper triangle by columns
// ((0,1), (0,2), (1,2), (0,3), ...), sum x y, and sum y^2 (absent in profile `paper`).
struct ReleaseLayout {
  std::size_t dimension = 0;
  bool has_target_square = true;

  [[nodiscard]] std::size_t diagonal_begin() const { return 0; }
  [[nodiscard]] std::size_t offdiagonal_begin() const { return dimension; }
  [[nodiscard]] std::size_t cross_begin() const { return dimension + dimension * (dimension - 1) / 2; }
  [[nodiscard]] std::size_t target_square() const { return cross_begin() + dimension; }
  [[nodiscard]] std::size_t size() const { return target_square() + (has_target_square ? 1 : 0); }
};

// Noise standard deviations, in lattice units, of the four parts of a released vector.
struct BlockSigmas {
  double gram_diagonal = 0.0;
  double gram_offdiagonal = 0.0;
  double cross = 0.0;
  double target_square = 0.0;
};

// What was decided for a request when a stream began: everything its noise depends on. A stream that goes on, perhaps
// years later under a version that designs better strategies, must go on with exactly these.
struct PlanDecisions {
  unsigned bits = 0;
  std::int64_t target_limit = 0;
  unsigned noise_bits = 0;
  BlockSigmas sigmas;
  std::uint64_t last_step = 0;
  strategy::Design design;
};

class MechanismPlan {
 public:
  // Throws RequestError when the request cannot be honoured.
  explicit MechanismPlan(const MechanismRequest& request);
  // The plan of an earlier run. The decisions are not trusted: the accounting is done again for them, and noise below
  // what the budget demands, or a lattice that does not carry it, is refused (RequestError).
  MechanismPlan(const MechanismRequest& request, const PlanDecisions& decisions);
  [[nodiscard]] PlanDecisions decisions() const;

  [[nodiscard]] const MechanismRequest& request() const { return request_; }
  [[nodiscard]] const strategy::Strategy& strategy() const { return *strategy_; }
  [[nodiscard]] const LatticeLimits& limits() const { return limits_; }
  [[nodiscard]] const ReleaseLayout& layout() const { return layout_; }
  // Extra fraction bits of the noise lattice below the squared row lattice: one unit is 2^-(2 bits + noise_bits).
  [[nodiscard]] unsigned noise_bits() const { return noise_bits_; }
  [[nodiscard]] const BlockSigmas& sigmas() const { return sigmas_; }
  // The last step that may be published.
  [[nodiscard]] std::uint64_t last_step() const { return last_step_; }

  // --- the accounting ---
  // mu of the whole endless stream of releases.
  [[nodiscard]] double mu() const { return mu_; }
  // L2 sensitivity of one step's release to all rows of a unit, in natural units.
  [[nodiscard]] double l2_sensitivity() const { return l2_sensitivity_; }
  // What fixed-point rounding adds to ||C|| * l2_sensitivity, relative to it.
  [[nodiscard]] double rounding_share() const { return rounding_share_; }
  [[nodiscard]] const Charge& charge() const { return charge_; }

  // --- what the decoded prefix sums will look like ---
  // Noise of the decoded prefix at `step`, in natural units (of x and y, the factor s already undone).
  [[nodiscard]] NoiseLevel noise_at(std::uint64_t step) const { return noise_for(strategy_->decoder_norm(step)); }
  [[nodiscard]] NoiseLevel noise_for(double decoder_norm) const;
  // Natural value of one noise-lattice unit of the Gram part; cross entries have a further 1/s, sum y^2 1/s^2.
  [[nodiscard]] double lattice_unit() const;

 private:
  void choose_lattice();
  bool try_lattice(unsigned bits, double rounding_tolerance);
  void calibrate(unsigned noise_bits);
  // Whether the noise just calibrated is drawn and charged within the sampler's range.
  [[nodiscard]] bool carries_noise(double rounding_tolerance) const;
  // The last step whose sums and states fit their integers; 0 when a known horizon does not fit.
  [[nodiscard]] std::uint64_t last_step_in_range() const;
  void calibrate_tight(unsigned noise_bits);
  void calibrate_paper(unsigned noise_bits);
  [[nodiscard]] double smallest_sigma() const;
  [[nodiscard]] double largest_sigma() const;

  MechanismRequest request_;
  std::shared_ptr<const strategy::Strategy> strategy_;
  LatticeLimits limits_;
  ReleaseLayout layout_;
  unsigned noise_bits_ = 0;
  BlockSigmas sigmas_;
  std::uint64_t last_step_ = 0;
  double mu_ = 0.0;
  double l2_sensitivity_ = 0.0;
  double rounding_share_ = 0.0;
  Charge charge_;
};

}  // namespace rivulet::privacy
