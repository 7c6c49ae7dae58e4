// The kernel: the one place where rows exist. Rows go in; only noisy integers come out.
//
// Promise. For neighbouring streams of rows (even when every row is chosen after seeing all releases so far), the
// sequence of all NoisyStep values ever returned is (epsilon, delta)-indistinguishable for the plan's budget;
// docs/privacy.md proves it. Memory is independent of the number of steps (blt) or grows with its logarithm (tree,
// hybrid).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/encoder.h"
#include "kernel/inside.h"
#include "kernel/noise_source.h"
#include "kernel/row_batch.h"
#include "kernel/unit_cap.h"
#include "privacy/mechanism_plan.h"
#include "wall/noisy_step.h"
#include "wall/sensitive_state.h"

namespace rivulet::kernel {

class Kernel {
 public:
  // The mechanism, the rows it is made for and where its noise comes from. `domain` is the set G: a row outside counts
  // as a zero row. With plan.request().units a row needs the identifier of its unit. With a sketch the plan is for the
  // sketch's dimension.
  Kernel(const privacy::MechanismPlan& plan, const Schema& schema, std::unique_ptr<NoiseSource> noise,
         const Domain& domain = {}, const std::optional<RowSketch>& sketch = std::nullopt);

  // Throws Error when the current step is full: close it first. `unit` is the row's unit when the promise is for units
  // (RequestError when one is given and it is not, or the other way round); an empty one makes the row a zero row, and
  // so does being past the unit's limit.
  void observe(std::span<const double> values, double target, std::optional<std::string_view> unit = std::nullopt);
  void observe(const SparseRow& row, double target, std::optional<std::string_view> unit = std::nullopt);
  // Takes the batch's rows over and leaves it empty. Throws RequestError, leaving it as it was, when it has more rows
  // than the current step has room for or was gathered for another promise.
  void absorb(RowBatch&& batch);
  // Throws RequestError when the promise is for units: which of their rows count depends on the order.
  [[nodiscard]] RowBatch make_batch() const;
  // What names the promise: the request and what was decided for it. Public.
  [[nodiscard]] const Sha256Digest& promise() const { return promise_; }

  [[nodiscard]] std::uint64_t rows_in_step() const { return current_.rows(); }
  [[nodiscard]] std::uint64_t rows_per_step() const { return plan_.request().rows_per_step; }
  [[nodiscard]] bool step_is_full() const { return rows_in_step() >= rows_per_step(); }

  // Ends the current step and writes what may be published. Throws HorizonExceeded, changing nothing and drawing
  // nothing, once the promised number of steps is used up. If anything fails between drawing noise and handing it out,
  // `out` is left as it was and the kernel refuses to go on: a step whose noise may have been seen is never drawn
  // again.
  void close_step(NoisyStep& out);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // In the steps closed so far.
  [[nodiscard]] std::uint64_t released_rows() const { return rows_; }
  [[nodiscard]] bool may_close_another_step() const { return steps_ < plan_.last_step(); }

  // Everything a kernel needs to go on as if nothing had happened, rows of the unfinished step included; noise is never
  // part of it. Sensitive. Throws Error when the kernel is broken (see close_step): its state must not outlive it.
  void save(SensitiveState& out);
  // For a kernel that has seen no row yet, made with the same plan: lattice, strategy, noise and limits must all be
  // those of the kernel that saved it. Throws DamagedFile when it is not such a state; the kernel then does nothing
  // more.
  void restore(const SensitiveState& state);

  // For the operator's eyes only: exact, not private, never to be published.
  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const { return unusable_ + current_.unusable_; }
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const { return over_limit_; }
  [[nodiscard]] std::uint64_t distorted_rows_for_operator() const { return distorted_ + current_.distorted_; }

 private:
  template <class Values>
  void observe_row(const Values& values, double target, std::optional<std::string_view> unit);
  // Everything that gives a state's integers their meaning and the noise to come its width.
  [[nodiscard]] std::string mechanism() const;

  privacy::MechanismPlan plan_;
  std::optional<sketch::EmbeddingSettings> sketch_;
  std::shared_ptr<const RowLattice> lattice_;
  Sha256Digest promise_;
  RowBatch current_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<NoiseSource> noise_;
  std::vector<Int128> sums_;
  NoisyStep encoded_;
  std::uint64_t steps_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t unusable_ = 0;
  std::uint64_t distorted_ = 0;
  std::uint64_t over_limit_ = 0;    // not usable, because the unit had its share
  std::unique_ptr<UnitCap> units_;  // none when the unit is the row
  bool broken_ = false;
};

}  // namespace rivulet::kernel
