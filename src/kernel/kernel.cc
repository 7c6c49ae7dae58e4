#include "kernel/kernel.h"

#include <string>
#include <utility>

#include "rivulet/error.h"

namespace rivulet::kernel {

Kernel::Kernel(const privacy::MechanismPlan& plan, const Schema& schema, std::unique_ptr<NoiseSource> noise,
               const Domain& domain, const std::optional<RowSketch>& sketch)
    : plan_(plan),
      lattice_(std::make_shared<RowLattice>(schema, plan.limits(), domain, sketch ? sketch->map : nullptr)),
      promise_(promise_of(plan, schema, domain, sketch)),
      current_(lattice_, promise_),
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
    throw RequestError(
        "unit",
        "the first rows of a unit count, so that rows of units are taken one at a time, in order; a batch has only "
        "their sums. Accepted: batches for promises about rows");
  }
  return {lattice_, promise_};
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
  ByteWriter writer;
  write_mechanism(plan_, sketch_, writer);
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
