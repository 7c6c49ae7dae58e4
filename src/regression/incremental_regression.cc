#include "rivulet/incremental_regression.h"

#include <utility>

#include "fit/mechanism.h"
#include "regression/engine.h"
#include "regression/regression_state.h"
#include "rivulet/error.h"

namespace rivulet {

SensitiveBatchBytes::SensitiveBatchBytes(SensitiveBytes&& bytes)
    : bytes_(std::make_unique<SensitiveBytes>(std::move(bytes))) {}
SensitiveBatchBytes::SensitiveBatchBytes(SensitiveBatchBytes&&) noexcept = default;
SensitiveBatchBytes& SensitiveBatchBytes::operator=(SensitiveBatchBytes&&) noexcept = default;
SensitiveBatchBytes::~SensitiveBatchBytes() = default;
SensitiveBatchBytes SensitiveBatchBytes::received(std::string_view bytes) {
  return SensitiveBatchBytes(SensitiveBytes(std::string(bytes)));
}
std::string_view SensitiveBatchBytes::view() const {
  return bytes_->view();
}

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
void RowBatch::observe(const SparseRow& row, double target) {
  inside_->rows.observe(row, target);
}
void RowBatch::merge(RowBatch&& other) {
  inside_->rows.merge(std::move(other.inside_->rows));
}
std::uint64_t RowBatch::rows() const {
  return inside_->rows.rows();
}
SensitiveBatchBytes RowBatch::bytes_for_trusted_transport() const {
  return SensitiveBatchBytes(inside_->rows.save());
}

struct IncrementalRegression::Inside {
  explicit Inside(const StreamOptions& given)
      : options(fit::with_defaults(given)), plan(options), engine(make_engine()) {}
  Inside(const StreamOptions& given, const fit::StreamPlan& decided)
      : options(fit::completed(given)), plan(decided), engine(make_engine()) {}

  [[nodiscard]] std::unique_ptr<Engine> make_engine() const {
    if (plan.erm() != nullptr) return make_erm_engine(*plan.erm());
    return make_moment_engine(options, plan.moments());
  }

  StreamOptions options;
  fit::StreamPlan plan;
  std::unique_ptr<Engine> engine;
};

IncrementalRegression::IncrementalRegression(const StreamOptions& options)
    : inside_(std::make_unique<Inside>(options)) {}
IncrementalRegression::IncrementalRegression(IncrementalRegression&&) noexcept = default;
IncrementalRegression& IncrementalRegression::operator=(IncrementalRegression&&) noexcept = default;
IncrementalRegression::~IncrementalRegression() = default;

IncrementalRegression::IncrementalRegression(const StreamOptions& options, const fit::StreamPlan& plan)
    : inside_(std::make_unique<Inside>(options, plan)) {}

bool IncrementalRegression::observe(std::span<const double> values, double target) {
  return inside_->engine->observe(values, target, std::nullopt);
}

bool IncrementalRegression::observe(std::span<const double> values, double target, std::string_view unit) {
  return inside_->engine->observe(values, target, unit);
}

bool IncrementalRegression::observe(const SparseRow& row, double target) {
  return inside_->engine->observe(row, target, std::nullopt);
}

bool IncrementalRegression::observe(const SparseRow& row, double target, std::string_view unit) {
  return inside_->engine->observe(row, target, unit);
}

std::uint64_t IncrementalRegression::observe_many(std::span<const double> values, std::span<const double> targets) {
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

RowBatch IncrementalRegression::make_batch() const {
  return RowBatch(std::make_unique<RowBatch::Inside>(RowBatch::Inside{inside_->engine->make_batch()}));
}

RowBatch IncrementalRegression::batch_from_trusted_transport(const SensitiveBatchBytes& bytes) const {
  RowBatch batch = make_batch();
  batch.inside_->rows.restore(*bytes.bytes_);
  return batch;
}

std::array<unsigned char, 32> IncrementalRegression::promise_digest() const {
  return inside_->engine->promise();
}

bool IncrementalRegression::absorb(RowBatch&& batch) {
  return inside_->engine->absorb(std::move(batch.inside_->rows));
}

bool IncrementalRegression::flush() {
  return inside_->engine->flush();
}

std::uint64_t IncrementalRegression::step() const {
  return inside_->engine->step();
}

std::uint64_t IncrementalRegression::released_rows() const {
  return inside_->engine->released_rows();
}

Statistics IncrementalRegression::statistics() const {
  return inside_->engine->statistics();
}

Model IncrementalRegression::model() {
  return inside_->engine->model();
}

const StreamOptions& IncrementalRegression::options() const {
  return inside_->options;
}
const fit::StreamPlan& IncrementalRegression::plan() const {
  return inside_->plan;
}
std::uint64_t IncrementalRegression::unusable_rows_for_operator() const {
  return inside_->engine->unusable_rows_for_operator();
}
std::uint64_t IncrementalRegression::over_limit_rows_for_operator() const {
  return inside_->engine->over_limit_rows_for_operator();
}
std::uint64_t IncrementalRegression::distorted_rows_for_operator() const {
  return inside_->engine->distorted_rows_for_operator();
}
std::uint64_t IncrementalRegression::waiting_rows() const {
  return inside_->engine->waiting_rows();
}

void IncrementalRegression::leave_models() {
  inside_->engine->leave_models();
}

Model IncrementalRegression::solve(const Statistics& statistics, std::span<const double> start) {
  return inside_->engine->solve(statistics, start);
}

void IncrementalRegression::save(RegressionState& out) {
  inside_->engine->save(out);
}

void IncrementalRegression::restore(const RegressionState& state) {
  inside_->engine->restore(state);
}

}  // namespace rivulet
