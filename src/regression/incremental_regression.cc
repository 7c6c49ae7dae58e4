// Algorithms PrivIncReg1 and PrivIncReg2, wired: rows -> kernel -> (the wall) -> decoder -> statistics -> model. The
// only file outside src/kernel that may name a row.
#include "rivulet/incremental_regression.h"

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

struct IncrementalRegression::Inside {
  explicit Inside(const StreamOptions& given, const privacy::PlanDecisions* decisions = nullptr)
      : options(fit::with_defaults(given)),
        plan(decisions == nullptr ? privacy::MechanismPlan(fit::mechanism_request(options))
                                  : privacy::MechanismPlan(fit::mechanism_request(options), *decisions)),
        sketch(fit::make_sketch(options)),
        kernel(plan, options.schema, kernel::DiscreteGaussianNoise::seeded_or_secure(options.insecure_seed),
               Domain(options.only_if, options.schema), row_sketch()),
        decoder(decode::make_decoder(plan.strategy(), plan.layout().size())),
        fitter(options.schema, fit::fitter_options(options, plan, sketch)) {}

  [[nodiscard]] std::optional<kernel::RowSketch> row_sketch() const {
    if (!sketch) return std::nullopt;
    return kernel::RowSketch{*fit::embedding_settings(options), sketch};
  }

  void require_room() const {
    if (!kernel.may_close_another_step()) {
      throw HorizonExceeded(
          "horizon: the " + std::to_string(plan.last_step()) +
          " steps the privacy promise covers are used up; what was published stays valid, and nothing "
          "more can be published");
    }
  }

  // A dense row or a sparse one.
  template <class Values>
  bool observe(const Values& values, double target, std::optional<std::string_view> unit) {
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

  StreamOptions options;
  privacy::MechanismPlan plan;
  std::shared_ptr<const LinearMap> sketch;  // Phi; null without
  kernel::Kernel kernel;
  std::unique_ptr<decode::Decoder> decoder;
  fit::ModelFitter fitter;
  NoisyStep noisy;
  Statistics statistics;
  std::vector<double> last_solution;  // with a sketch: where the next step's search begins
  std::vector<double> start;          // where that of step solved_step began, to find the same model again
  std::uint64_t solved_step = 0;
  std::uint64_t released_rows = 0;
};

IncrementalRegression::IncrementalRegression(const StreamOptions& options)
    : inside_(std::make_unique<Inside>(options)) {}
IncrementalRegression::IncrementalRegression(IncrementalRegression&&) noexcept = default;
IncrementalRegression& IncrementalRegression::operator=(IncrementalRegression&&) noexcept = default;
IncrementalRegression::~IncrementalRegression() = default;

IncrementalRegression::IncrementalRegression(const StreamOptions& options, const privacy::PlanDecisions& decisions)
    : inside_(std::make_unique<Inside>(options, &decisions)) {}

bool IncrementalRegression::observe(std::span<const double> values, double target) {
  return inside_->observe(values, target, std::nullopt);
}

bool IncrementalRegression::observe(std::span<const double> values, double target, std::string_view unit) {
  return inside_->observe(values, target, unit);
}

bool IncrementalRegression::observe(const SparseRow& row, double target) {
  return inside_->observe(row, target, std::nullopt);
}

bool IncrementalRegression::observe(const SparseRow& row, double target, std::string_view unit) {
  return inside_->observe(row, target, unit);
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
  return RowBatch(std::make_unique<RowBatch::Inside>(RowBatch::Inside{inside_->kernel.make_batch()}));
}

bool IncrementalRegression::absorb(RowBatch batch) {
  inside_->require_room();
  inside_->kernel.absorb(std::move(batch.inside_->rows));
  if (!inside_->kernel.step_is_full()) return false;
  inside_->release();
  return true;
}

bool IncrementalRegression::flush() {
  if (inside_->kernel.rows_in_step() == 0) return false;
  inside_->release();
  return true;
}

std::uint64_t IncrementalRegression::step() const {
  return inside_->decoder->step();
}

std::uint64_t IncrementalRegression::released_rows() const {
  return inside_->released_rows;
}

Statistics IncrementalRegression::statistics() const {
  Statistics result;
  fit::read_statistics(inside_->plan, *inside_->decoder, inside_->released_rows, result);
  result.not_private = inside_->options.insecure_seed.has_value();
  return result;
}

Model IncrementalRegression::model() {
  fit::read_statistics(inside_->plan, *inside_->decoder, inside_->released_rows, inside_->statistics);
  inside_->statistics.not_private = inside_->options.insecure_seed.has_value();
  if (!inside_->sketch) return inside_->fitter.fit(inside_->statistics);
  if (inside_->solved_step != step()) inside_->start = inside_->last_solution;
  Model model = inside_->fitter.fit(inside_->statistics, inside_->start);
  inside_->last_solution = model.theta;
  inside_->solved_step = step();
  return model;
}

const StreamOptions& IncrementalRegression::options() const {
  return inside_->options;
}
const privacy::MechanismPlan& IncrementalRegression::plan() const {
  return inside_->plan;
}
std::uint64_t IncrementalRegression::unusable_rows_for_operator() const {
  return inside_->kernel.unusable_rows_for_operator();
}
std::uint64_t IncrementalRegression::over_limit_rows_for_operator() const {
  return inside_->kernel.over_limit_rows_for_operator();
}
std::uint64_t IncrementalRegression::distorted_rows_for_operator() const {
  return inside_->kernel.distorted_rows_for_operator();
}
std::uint64_t IncrementalRegression::waiting_rows() const {
  return inside_->kernel.rows_in_step();
}

void IncrementalRegression::save(RegressionState& out) {
  inside_->kernel.save(out.sensitive);
  ByteWriter writer;
  inside_->decoder->save(writer);
  out.decoder = writer.take();
  out.released_rows = inside_->released_rows;
  out.last_solution = inside_->last_solution;
}

void IncrementalRegression::restore(const RegressionState& state) {
  inside_->kernel.restore(state.sensitive);
  ByteReader reader(state.decoder, "the decoder's state");
  inside_->decoder->restore(reader);
  reader.finish();
  if (inside_->kernel.steps() != inside_->decoder->step() || inside_->kernel.released_rows() != state.released_rows) {
    reader.damaged("it is of another step than the kernel's");
  }
  inside_->released_rows = state.released_rows;
  inside_->last_solution = state.last_solution;
}

}  // namespace rivulet
