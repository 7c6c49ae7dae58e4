#include "kernel/kernel.h"

#include <string>

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

void RowBatch::merge(const RowBatch& other) {
  if (other.lattice_ != lattice_) throw RequestError("batch", "the rows were gathered for another stream");
  sum_.merge(other.sum_);
  unusable_ += other.unusable_;
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

void Kernel::absorb(const RowBatch& batch) {
  if (batch.rows() > rows_per_step() - rows_in_step()) {
    throw RequestError("batch", std::to_string(batch.rows()) +
                                    " rows do not fit the current step, which has room for " +
                                    std::to_string(rows_per_step() - rows_in_step()));
  }
  current_.merge(batch);
}

void Kernel::close_step(NoisyStep& out) {
  if (!may_close_another_step()) {
    throw HorizonExceeded(
        "the stream has more steps than the " + std::to_string(plan_.last_step()) +
        " its privacy promise covers; what was published stays valid, nothing more will be published");
  }
  ++steps_;
  rows_ += current_.rows();
  unusable_ += current_.unusable_;
  current_.sum_.write(plan_.layout(), sums_);
  current_.sum_.clear();
  current_.unusable_ = 0;
  out.step = steps_;
  out.rows = rows_;
  encoder_->encode(steps_, sums_, *noise_, out);
}

}  // namespace rivulet::kernel
