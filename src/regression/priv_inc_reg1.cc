// Algorithm PrivIncReg1, wired: rows -> kernel -> (the wall) -> decoder -> statistics -> model. The only file outside
// src/kernel that may name a row.
#include "rivulet/priv_inc_reg1.h"

#include <algorithm>
#include <utility>

#include "decode/decoder.h"
#include "fit/mechanism.h"
#include "fit/model_fitter.h"
#include "fit/statistics_from.h"
#include "kernel/kernel.h"
#include "privacy/mechanism_plan.h"
#include "regression/regression_state.h"
#include "rivulet/domain.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

std::unique_ptr<kernel::NoiseSource> noise_source(const PrivIncReg1::Options& options) {
  if (options.insecure_seed) return kernel::DiscreteGaussianNoise::insecure(*options.insecure_seed);
  return std::make_unique<kernel::DiscreteGaussianNoise>(kernel::RandomBits::secure());
}

}  // namespace

struct RowBatch::Inside {
  kernel::RowBatch rows;
};

RowBatch::RowBatch(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
RowBatch::RowBatch(RowBatch&&) noexcept = default;
RowBatch& RowBatch::operator=(RowBatch&&) noexcept = default;
RowBatch::~RowBatch() = default;
void RowBatch::observe(std::span<const double> values, double target) {
  inside_->rows.observe(values, target);
}
void RowBatch::merge(RowBatch&& other) {
  inside_->rows.merge(std::move(other.inside_->rows));
}
std::uint64_t RowBatch::rows() const {
  return inside_->rows.rows();
}

struct PrivIncReg1::Inside {
  explicit Inside(const Options& given, const privacy::PlanDecisions* decisions = nullptr)
      : options(fit::with_defaults(given)),
        plan(decisions == nullptr ? privacy::MechanismPlan(fit::mechanism_request(options))
                                  : privacy::MechanismPlan(fit::mechanism_request(options), *decisions)),
        kernel(plan, options.schema, noise_source(options), Domain(options.only_if, options.schema)),
        decoder(decode::make_decoder(plan.strategy(), plan.layout().size())),
        fitter(options.schema, fit::fitter_options(options, plan)) {}

  void require_room() const {
    if (!kernel.may_close_another_step()) {
      throw HorizonExceeded(
          "horizon: the " + std::to_string(plan.last_step()) +
          " steps the privacy promise covers are used up; what was published stays valid, and nothing "
          "more can be published");
    }
  }

  bool observe(std::span<const double> values, double target, std::optional<std::string_view> unit) {
    require_room();
    kernel.observe(values, target, unit);
    if (!kernel.step_is_full()) return false;
    release();
    return true;
  }

  void release() {
    kernel.close_step(noisy);
    decoder->absorb(noisy);
    released_rows = noisy.rows;
  }

  Options options;
  privacy::MechanismPlan plan;
  kernel::Kernel kernel;
  std::unique_ptr<decode::Decoder> decoder;
  fit::ModelFitter fitter;
  NoisyStep noisy;
  Statistics statistics;
  std::uint64_t released_rows = 0;
};

PrivIncReg1::PrivIncReg1(const Options& options) : inside_(std::make_unique<Inside>(options)) {}
PrivIncReg1::PrivIncReg1(PrivIncReg1&&) noexcept = default;
PrivIncReg1& PrivIncReg1::operator=(PrivIncReg1&&) noexcept = default;
PrivIncReg1::~PrivIncReg1() = default;

PrivIncReg1::PrivIncReg1(const Options& options, const privacy::PlanDecisions& decisions)
    : inside_(std::make_unique<Inside>(options, &decisions)) {}

bool PrivIncReg1::observe(std::span<const double> values, double target) {
  return inside_->observe(values, target, std::nullopt);
}

bool PrivIncReg1::observe(std::span<const double> values, double target, std::string_view unit) {
  return inside_->observe(values, target, unit);
}

std::uint64_t PrivIncReg1::observe_many(std::span<const double> values, std::span<const double> targets) {
  const std::size_t width = inside_->options.schema.row_width();
  if (values.size() != targets.size() * width) {
    throw RequestError("values", std::to_string(values.size()) + " values for " + std::to_string(targets.size()) +
                                     " rows of width " + std::to_string(width));
  }
  std::uint64_t releases = 0;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    releases += observe(values.subspan(row * width, width), targets[row]) ? 1 : 0;
  }
  return releases;
}

RowBatch PrivIncReg1::make_batch() const {
  return RowBatch(std::make_unique<RowBatch::Inside>(RowBatch::Inside{inside_->kernel.make_batch()}));
}

bool PrivIncReg1::absorb(RowBatch batch) {
  inside_->require_room();
  inside_->kernel.absorb(std::move(batch.inside_->rows));
  if (!inside_->kernel.step_is_full()) return false;
  inside_->release();
  return true;
}

bool PrivIncReg1::flush() {
  if (inside_->kernel.rows_in_step() == 0) return false;
  inside_->release();
  return true;
}

std::uint64_t PrivIncReg1::step() const {
  return inside_->decoder->step();
}

std::uint64_t PrivIncReg1::released_rows() const {
  return inside_->released_rows;
}

Statistics PrivIncReg1::statistics() const {
  Statistics result;
  fit::read_statistics(inside_->plan, *inside_->decoder, inside_->released_rows, result);
  result.not_private = inside_->options.insecure_seed.has_value();
  return result;
}

Model PrivIncReg1::model() {
  fit::read_statistics(inside_->plan, *inside_->decoder, inside_->released_rows, inside_->statistics);
  inside_->statistics.not_private = inside_->options.insecure_seed.has_value();
  return inside_->fitter.fit(inside_->statistics);
}

const PrivIncReg1::Options& PrivIncReg1::options() const {
  return inside_->options;
}
const privacy::MechanismPlan& PrivIncReg1::plan() const {
  return inside_->plan;
}
std::uint64_t PrivIncReg1::unusable_rows_for_operator() const {
  return inside_->kernel.unusable_rows_for_operator();
}
std::uint64_t PrivIncReg1::over_limit_rows_for_operator() const {
  return inside_->kernel.over_limit_rows_for_operator();
}
std::uint64_t PrivIncReg1::waiting_rows() const {
  return inside_->kernel.rows_in_step();
}

void PrivIncReg1::save(RegressionState& out) {
  inside_->kernel.save(out.sensitive);
  ByteWriter writer;
  inside_->decoder->save(writer);
  out.decoder = writer.take();
  out.released_rows = inside_->released_rows;
}

void PrivIncReg1::restore(const RegressionState& state) {
  inside_->kernel.restore(state.sensitive);
  ByteReader reader(state.decoder, "the decoder's state");
  inside_->decoder->restore(reader);
  reader.finish();
  if (inside_->kernel.steps() != inside_->decoder->step() || inside_->kernel.released_rows() != state.released_rows) {
    reader.damaged("it is of another step than the kernel's");
  }
  inside_->released_rows = state.released_rows;
}

}  // namespace rivulet
