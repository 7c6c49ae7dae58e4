#include "kernel/kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rivulet/error.h"

namespace rivulet::kernel {

void RowBatch::check_width(std::span<const double> values) const {
  if (values.size() != lattice_->row_width()) {
    throw RequestError("row", "a row of " + std::to_string(values.size()) + " values was given; the schema has " +
                                  std::to_string(lattice_->row_width()));
  }
}

void RowBatch::observe(std::span<const double> values, double target) {
  check_width(values);
  count(lattice_->quantise(values, target, sum_.next_row(), scratch_));
  sum_.commit_row();
}

void RowBatch::observe(const SparseRow& row, double target) {
  count(lattice_->quantise(row, target, sum_.next_row(), scratch_));
  sum_.commit_row();
}

void RowBatch::count(RowFate fate) {
  unusable_ += fate == RowFate::unusable ? 1 : 0;
  distorted_ += fate == RowFate::distorted ? 1 : 0;
}

void RowBatch::observe_nothing() {
  const std::span<double> row = sum_.next_row();
  std::fill(row.begin(), row.end(), 0);
  sum_.commit_row();
  ++unusable_;
}

void RowBatch::merge(RowBatch&& other) {
  if (&other == this) throw RequestError("batch", "it cannot be merged into itself");
  if (other.lattice_ != lattice_) throw RequestError("batch", "the rows were gathered for another stream");
  sum_.merge(other.sum_);
  unusable_ += other.unusable_;
  distorted_ += other.distorted_;
  other.clear();
}

void RowBatch::clear() {
  sum_.clear();
  unusable_ = 0;
  distorted_ = 0;
}

Kernel::Kernel(const privacy::MechanismPlan& plan, const Schema& schema, std::unique_ptr<NoiseSource> noise,
               const Domain& domain, const std::optional<RowSketch>& sketch)
    : plan_(plan),
      lattice_(std::make_shared<RowLattice>(schema, plan.limits(), domain, sketch ? sketch->map : nullptr)),
      current_(lattice_),
      encoder_(make_encoder(plan)),
      noise_(std::move(noise)),
      sums_(plan.layout().size()) {
  if (lattice_->order() != plan.layout().dimension + 1) {
    throw RequestError("schema", "it has " + std::to_string(lattice_->order() - 1) +
                                     " coordinates; the mechanism was planned for " +
                                     std::to_string(plan.layout().dimension));
  }
  if (sketch) sketch_ = sketch->settings;
  if (plan.request().units) units_ = std::make_unique<UnitCap>(plan.request().rows_per_unit);
}

void Kernel::observe(std::span<const double> values, double target, std::optional<std::string_view> unit) {
  observe_row(values, target, unit);
}

void Kernel::observe(const SparseRow& row, double target, std::optional<std::string_view> unit) {
  observe_row(row, target, unit);
}

template <class Values>
void Kernel::observe_row(const Values& values, double target, std::optional<std::string_view> unit) {
  if (step_is_full()) throw Error("kernel: the step is full; it must be closed before another row");
  if (unit.has_value() != (units_ != nullptr)) {
    throw RequestError("unit", units_ ? "the promise is for units, so every row needs the identifier of its unit"
                                      : "the promise is for single rows; a unit's limit must be part of the request");
  }
  current_.check_width(values);  // before the unit is asked for: what is refused must not depend on its rows so far
  if (unit && !units_->admit(*unit)) {
    if (!unit->empty()) ++over_limit_;
    current_.observe_nothing();
    return;
  }
  current_.observe(values, target);
}

RowBatch Kernel::make_batch() const {
  if (units_) {
    throw RequestError("unit", "rows of units are taken one at a time, in order; batches are for promises about rows");
  }
  return RowBatch(lattice_);
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
  distorted_ += current_.distorted_;
  current_.sum_.write(plan_.layout(), sums_);
  current_.clear();
  noise_->begin_step(steps_);
  encoder_->encode(steps_, sums_, *noise_, encoded_);
  encoded_.step = steps_;
  encoded_.rows = rows_;
  // Only now, with noise on every number, does anything reach the caller. What comes back in exchange is what it held:
  // noisy too.
  std::swap(out, encoded_);
  broken_ = false;
}

namespace {

constexpr std::string_view kStateMagic = "rivulet kernel 1";

}  // namespace

std::string Kernel::mechanism() const {
  const privacy::MechanismRequest& request = plan_.request();
  const privacy::PlanDecisions decisions = plan_.decisions();
  ByteWriter writer;
  writer.text(to_string(request.strategy.kind));
  writer.u64(plan_.layout().dimension);
  writer.u64(plan_.layout().size());
  writer.u64(request.rows_per_step);
  writer.u64(request.units ? request.rows_per_unit : 0);
  writer.u64(decisions.bits);
  writer.i64(decisions.target_limit);
  writer.u64(decisions.noise_bits);
  writer.u64(decisions.last_step);
  for (const auto sigma : {decisions.sigmas.gram_diagonal, decisions.sigmas.gram_offdiagonal, decisions.sigmas.cross,
                           decisions.sigmas.target_square}) {
    writer.f64(sigma);
  }
  writer.all(decisions.design.theta_gap_numerators);
  writer.all(decisions.design.omega_numerators);
  if (sketch_) {
    writer.text(to_string(sketch_->kind));
    writer.u64(sketch_->rows);
    writer.u64(sketch_->columns);
    writer.u64(sketch_->column_weight);
    writer.u64(sketch_->seed);
  }
  return writer.take();
}

void Kernel::save(SensitiveState& out) {
  if (broken_) throw Error("kernel: an earlier step failed after its noise was drawn; this stream cannot go on");
  ByteWriter writer;
  writer.raw(kStateMagic);
  writer.text(mechanism());
  writer.u64(steps_);
  writer.u64(rows_);
  writer.u64(unusable_);
  writer.u64(over_limit_);
  writer.u64(current_.unusable_);
  current_.sum_.save(writer);
  encoder_->save(writer);
  if (sketch_) {
    writer.u64(distorted_);
    writer.u64(current_.distorted_);
  }
  if (units_) units_->save(writer);
  out.kernel = SensitiveBytes(writer.take());
  out.units = units_ ? units_->take_changes() : std::vector<SensitiveUnitCount>();
}

void Kernel::restore(const SensitiveState& state) {
  if (broken_ || steps_ != 0 || current_.rows() != 0) {
    throw Error("kernel: only a new kernel can take up an earlier one's state");
  }
  broken_ = true;  // until all of it is there
  ByteReader reader(state.kernel.view(), "the kernel's state");
  if (reader.raw(kStateMagic.size()) != kStateMagic) reader.damaged("it is not one this version can read");
  if (reader.text() != mechanism()) reader.damaged("it belongs to another mechanism");
  steps_ = reader.u64();
  rows_ = reader.u64();
  unusable_ = reader.u64();
  over_limit_ = reader.u64();
  current_.unusable_ = reader.u64();
  current_.sum_.restore(reader);
  const bool consistent = steps_ <= plan_.last_step() && rows_ <= static_cast<UInt128>(steps_) * rows_per_step() &&
                          unusable_ <= rows_ && current_.rows() <= rows_per_step() &&
                          current_.unusable_ <= current_.rows() && over_limit_ <= unusable_ + current_.unusable_;
  if (!consistent) reader.damaged("its counts contradict each other");
  encoder_->restore(steps_, reader);
  if (sketch_) {
    distorted_ = reader.u64();
    current_.distorted_ = reader.u64();
    if (distorted_ > rows_ || current_.distorted_ > current_.rows()) reader.damaged("its counts contradict each other");
  }
  if (units_) units_->restore(reader, state.units);
  reader.finish();
  broken_ = false;
}

}  // namespace rivulet::kernel
