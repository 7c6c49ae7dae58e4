// Decoders: from noisy vectors back to estimates of the prefix sums. Post-processing; several may listen to one stream.
// Strategy::make_decoder() makes them.
//
// An estimate is kept as an exact integer plus a floating-point correction that depends on noise alone, so with zero
// noise every decoder returns the exact prefix sum, whatever its size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include "base/bytes.h"
#include "base/int128.h"
#include "wall/noisy_step.h"
#include <memory>
#include <optional>
#include "rivulet/budget.h"

namespace rivulet::strategy {

class Decoder {
 public:
  virtual ~Decoder() = default;

  // What is needed to go on later; made of noisy numbers alone, so as public as they are. restore() is for a decoder
  // that has absorbed nothing; throws DamagedFile when the state is not one of this kind of decoder, which is then of
  // no further use: it absorbs nothing.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

  // Steps must come in order from 1; throws Error otherwise, leaving the state as it was.
  void absorb(const NoisyStep& step);

  [[nodiscard]] std::uint64_t step() const { return step_; }
  // The estimate of coordinate i's prefix sum, in noise-lattice units.
  [[nodiscard]] double prefix(std::size_t i) const {
    return static_cast<double>(whole_[i]) + (correction_.empty() ? 0.0 : correction_[i]);
  }
  [[nodiscard]] std::size_t coordinates() const { return whole_.size(); }
  // The exact integer part (the whole estimate when there is no noise).
  [[nodiscard]] std::span<const Int128> whole() const { return whole_; }
  // Standard deviation of every coordinate's estimate in units of that coordinate's sigma.
  [[nodiscard]] virtual double norm() const = 0;

 protected:
  explicit Decoder(std::size_t coordinates) : whole_(coordinates, 0) {}
  virtual void decode(const NoisyStep& step) = 0;
  // Beyond step and estimate.
  virtual void save_more(ByteWriter& out) const = 0;
  virtual void restore_more(std::uint64_t step, ByteReader& in) = 0;

  std::vector<Int128> whole_;
  std::vector<double> correction_;  // empty: none

 private:
  std::uint64_t step_ = 0;
  bool unusable_ = false;  // a restore() failed half-way
};

// Estimates of sums stay far below this many bits (mechanism_plan.cc counts 100, noise fewer), and a sum of 64 of them
// fits its integer.
inline constexpr unsigned kEstimateBits = 120;

// A floating-point correction: one finite number per coordinate, or none at all.
void restore_correction(ByteReader& in, std::size_t coordinates, std::vector<double>& correction);


// A strategy C: how the sequence of step sums is encoded before noise is added. Public parameters only.
//
// Each strategy is a class with a file of its own (blt.h, tree.h, hybrid.h), which also holds its decoder. To add one:
// its file, its line in the table of strategy.cc, its word in base/budget.cc, and its encoder, which is inside the wall
// (kernel/encoder.cc). Nobody else asks which strategy it is.

class Decoder;

// No stream is longer than this; an unbounded horizon means "up to the cap". At a thousand steps a second it lasts 34
// years.
inline constexpr std::uint64_t kStepCap = std::uint64_t{1} << 40;
// The step count an unbounded strategy is tuned for. Privacy does not depend on it: only where accuracy is best does.
inline constexpr std::uint64_t kUnboundedDesignSteps = std::uint64_t{1} << 30;

// What a search for good parameters found, exactly, so that a stream can go on with them under a version that would
// find others. Empty for a strategy that has nothing to search for.
struct Design {
  std::vector<std::int64_t> theta_gap_numerators;
  std::vector<std::int64_t> omega_numerators;
  std::vector<double> inverse_gaps;
};

// One noisy vector that leaves at a step, as the definition of C has it: how often the sums of steps 1, 2, ..., `step`
// are in it, and how wide its noise is.
struct PublishedVector {
  std::uint64_t step = 0;  // at which it is published
  double widening = 1.0;   // of its noise, against the plan's sigmas
  std::vector<double> coefficients;

  [[nodiscard]] double coefficient(std::uint64_t of_step) const {
    return of_step <= coefficients.size() ? coefficients[of_step - 1] : 0.0;
  }
};

class Strategy {
 public:
  struct Options {
    StrategyKind kind = StrategyKind::blt;
    Horizon horizon = Horizon::unbounded();
    std::optional<unsigned> buffers;  // blt only; chosen when absent
    TreeDecoding tree_decoding = TreeDecoding::optimal;
  };

  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  [[nodiscard]] StrategyKind kind() const { return options_.kind; }
  [[nodiscard]] const Horizon& horizon() const { return options_.horizon; }
  // The last step that may be published: the horizon, or kStepCap.
  [[nodiscard]] std::uint64_t last_step() const;

  // --- what the accounting rests on ---
  // ||C||: the largest column norm in units of the noise's standard deviation.
  [[nodiscard]] double norm() const { return norm_; }
  // Upper bound on the number of noisy vectors published up to last_step().
  [[nodiscard]] virtual double published_vectors() const = 0;
  // How much more than the exact linear map two streams' encodings can differ, per coordinate and step, in
  // noise-lattice units. 0 where the encoding is exact.
  [[nodiscard]] virtual double rounding_width() const { return 0.0; }
  // The largest widening of a vector up to last_step().
  [[nodiscard]] virtual double largest_widening() const { return 1.0; }
  // The vectors that leave at `step`, in their order. O(step) time and memory: for audits and tests.
  [[nodiscard]] virtual std::vector<PublishedVector> published_at(std::uint64_t step) const = 0;

  // --- decoding ---
  // For released vectors of so many coordinates.
  [[nodiscard]] virtual std::unique_ptr<Decoder> make_decoder(std::size_t coordinates) const = 0;
  // Standard deviation of the decoded prefix at step t for unit noise.
  [[nodiscard]] virtual double decoder_norm(std::uint64_t step) const = 0;
  // The largest of those up to the horizon, or up to kUnboundedDesignSteps when there is none.
  [[nodiscard]] virtual double max_decoder_norm() const = 0;

  // --- what it is made of ---
  [[nodiscard]] virtual Design design() const { return {}; }
  // Of a strategy whose buffers can be chosen.
  [[nodiscard]] virtual std::optional<unsigned> buffers() const { return std::nullopt; }
  // About how many numbers a coordinate encoder and decoder each keep up to a step.
  [[nodiscard]] virtual double kept_numbers(std::uint64_t last_step) const = 0;

 protected:
  Strategy(const Options& options, double norm) : options_(options), norm_(norm) {}
  [[nodiscard]] TreeDecoding tree_decoding() const { return options_.tree_decoding; }
  // The horizon, or kUnboundedDesignSteps.
  [[nodiscard]] std::uint64_t design_steps() const;

 private:
  Options options_;
  double norm_;
};

// Throws RequestError: tree without a known horizon, a horizon above kStepCap, buffers outside 1..kMaxBuffers or where
// there are none.
std::shared_ptr<const Strategy> make_strategy(const Strategy::Options& options);
// With an earlier design. Throws std::invalid_argument when it is not one of this kind of strategy, RequestError when
// it is not one for these options.
std::shared_ptr<const Strategy> make_strategy(const Strategy::Options& options, const Design& design);

// Whether strategies of this kind publish trees, so that TreeDecoding means something.
bool has_tree(StrategyKind kind);
// Throws RequestError: a tree decoding was asked of a strategy that has no tree.
void require_tree(StrategyKind kind);

}  // namespace rivulet::strategy
