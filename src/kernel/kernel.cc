#include "kernel/kernel.h"

#include <string>
#include <utility>

#include "rivulet/error.h"

namespace rivulet::kernel {

void RowBatch::observe(std::span<const double> values, double target) {
  if (values.size() != lattice_->row_width()) {
    throw RequestError("row", "a row of " + std::to_string(values.size()) + " values was given; the schema has " +
                                  std::to_string(lattice_->row_width()));
  }
  if (!lattice_->quantise(values, target, sum_.next_row(), scratch_)) ++unusable_;
  sum_.commit_row();
}

void RowBatch::merge(RowBatch&& other) {
  if (&other == this) throw RequestError("batch", "it cannot be merged into itself");
  if (other.lattice_ != lattice_) throw RequestError("batch", "the rows were gathered for another stream");
  sum_.merge(other.sum_);
  unusable_ += other.unusable_;
  other.clear();
}

void RowBatch::clear() {
  sum_.clear();
  unusable_ = 0;
}

Kernel::Kernel(const privacy::MechanismPlan& plan, const Schema& schema, std::unique_ptr<NoiseSource> noise)
    : plan_(plan),
      lattice_(std::make_shared<RowLattice>(schema, plan.limits())),
      current_(lattice_),
      encoder_(make_encoder(plan)),
      noise_(std::move(noise)),
      sums_(plan.layout().size()) {
  if (lattice_->order() != plan.layout().dimension + 1) {
    throw RequestError("schema", "it has " + std::to_string(lattice_->order() - 1) +
                                     " coordinates; the mechanism was planned for " +
                                     std::to_string(plan.layout().dimension));
  }
}

void Kernel::observe(std::span<const double> values, double target) {
  if (step_is_full()) throw Error("kernel: the step is full; it must be closed before another row");
  current_.observe(values, target);
}

void Kernel::absorb(RowBatch&& batch) {
  const std::uint64_t room = step_is_full() ? 0 : rows_per_step() - rows_in_step();
  if (batch.rows() > room) {
    throw RequestError("batch", std::to_string(batch.rows()) +
                                    " rows do not fit the current step, which has room for " + std::to_string(room));
  }
  current_.merge(std::move(batch));
}

void Kernel::close_step(NoisyStep& out) {
  if (!may_close_another_step()) {
    throw HorizonExceeded(
        "the stream has more steps than the " + std::to_string(plan_.last_step()) +
        " its privacy promise covers; what was published stays valid, nothing more will be published");
  }
  if (broken_) throw Error("kernel: an earlier step failed after its noise was drawn; this stream cannot go on");
  broken_ = true;
  ++steps_;
  rows_ += current_.rows();
  unusable_ += current_.unusable_;
  current_.sum_.write(plan_.layout(), sums_);
  current_.clear();
  encoder_->encode(steps_, sums_, *noise_, encoded_);
  encoded_.step = steps_;
  encoded_.rows = rows_;
  // Only now, with noise on every number, does anything reach the caller. What comes back in exchange is what it held:
  // noisy too.
  std::swap(out, encoded_);
  broken_ = false;
}

}  // namespace rivulet::kernel
