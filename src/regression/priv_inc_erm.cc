// Mechanism PrivIncERM, wired: rows -> history kernel -> (the wall) -> noisy sums of gradients -> batch solver ->
// model; or a noisy minimiser -> model.
#include "rivulet/priv_inc_erm.h"

#include <utility>
#include <vector>

#include "base/bytes.h"
#include "erm/batch_solver.h"
#include "erm/erm_plan.h"
#include "fit/model_fitter.h"
#include "kernel/history_kernel.h"
#include "regression/engine.h"
#include "rivulet/domain.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

std::vector<double> nearest_the_origin(const ConstraintSet& set) {
  std::vector<double> point(set.dimension(), 0.0);
  set.project(point);
  return point;
}

// The kernel's sums in natural units.
class KernelGradients final : public erm::GradientSource {
 public:
  KernelGradients(kernel::HistoryKernel& kernel, const erm::ErmPlan& plan) : kernel_(kernel), plan_(plan) {}

  void gradient(std::span<const double> theta, double mu_k, std::uint64_t part, std::uint64_t parts,
                std::span<double> out) override {
    kernel_.noisy_gradient(theta, mu_k, sum_, part, parts);
    const double unit = plan_.gradients().lattice_unit(plan_.lipschitz());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(sum_.values[i]) * unit;
  }
  [[nodiscard]] double noise(double mu_k) const override { return plan_.noise(mu_k); }

 private:
  kernel::HistoryKernel& kernel_;
  const erm::ErmPlan& plan_;
  NoisyGradient sum_;
};

[[noreturn]] void refuse_batches() {
  throw RequestError(
      "mechanism",
      "PrivIncERM goes over its rows again and again, so that it keeps them all, in their order; a batch has "
      "only their sums. Accepted: rows one by one");
}

class ErmEngine final : public Engine {
 public:
  explicit ErmEngine(const erm::ErmPlan& plan);

  bool observe(std::span<const double> values, double target, std::optional<std::string_view> unit) override;
  bool observe(const SparseRow& row, double target, std::optional<std::string_view> unit) override;
  bool flush() override;
  [[nodiscard]] kernel::RowBatch make_batch() const override;
  bool absorb(kernel::RowBatch&& batch) override;
  [[nodiscard]] const Sha256Digest& promise() const override;

  [[nodiscard]] std::uint64_t step() const override { return kernel_.steps(); }
  [[nodiscard]] std::uint64_t released_rows() const override { return kernel_.released_rows(); }
  [[nodiscard]] std::uint64_t waiting_rows() const override { return kernel_.rows_in_step(); }
  [[nodiscard]] Statistics statistics() const override;
  [[nodiscard]] Model model() override;

  void leave_models() override { leaves_models_ = true; }
  [[nodiscard]] Model solve(const Statistics& statistics, std::span<const double> start) override;

  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const override {
    return kernel_.unusable_rows_for_operator();
  }
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const override {
    return kernel_.over_limit_rows_for_operator();
  }
  [[nodiscard]] std::uint64_t distorted_rows_for_operator() const override { return 0; }

  void save(RegressionState& out) override;
  void restore(const RegressionState& state) override;

  [[nodiscard]] const erm::ErmPlan& plan() const { return plan_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] double spent_mu() const { return kernel_.spend().spent_mu(); }

 private:
  template <class Values>
  bool take(const Values& values, double target, std::optional<std::string_view> unit);
  void close_step();
  // The call due at a step, if there is one.
  void make_call(std::uint64_t step, std::uint64_t rows);
  std::vector<double> perturbed_minimiser(const erm::ErmCall& call);

  erm::ErmPlan plan_;
  kernel::HistoryKernel kernel_;
  fit::UserUnits units_;
  erm::RunningModel published_;
  std::uint64_t calls_ = 0;
  bool leaves_models_ = false;
};

ErmEngine::ErmEngine(const erm::ErmPlan& plan)
    : plan_(plan),
      kernel_(plan.gradients(), plan.options().schema, plan.options().loss, plan.lipschitz(),
              kernel::DiscreteGaussianNoise::of_calls(plan.options().insecure_seed),
              Domain(plan.options().only_if, plan.options().schema)),
      units_(plan.options().schema),
      published_(nearest_the_origin(plan.set())) {}

template <class Values>
bool ErmEngine::take(const Values& values, double target, std::optional<std::string_view> unit) {
  require_room(kernel_.steps() < plan_.last_step(), plan_.last_step());
  kernel_.observe(values, target, unit);
  if (!kernel_.step_is_full()) return false;
  close_step();
  return true;
}

bool ErmEngine::observe(std::span<const double> values, double target, std::optional<std::string_view> unit) {
  return take(values, target, unit);
}

bool ErmEngine::observe(const SparseRow& row, double target, std::optional<std::string_view> unit) {
  return take(row, target, unit);
}

bool ErmEngine::flush() {
  if (kernel_.rows_in_step() == 0) return false;
  close_step();
  return true;
}

void ErmEngine::close_step() {
  kernel_.close_step();
  if (!leaves_models_) make_call(kernel_.steps(), kernel_.released_rows());
}

void ErmEngine::make_call(std::uint64_t step, std::uint64_t rows) {
  const auto call = plan_.call_at(step, rows);
  if (!call) return;
  if (call->number <= calls_) throw Error("PrivIncERM: a call came out of order");
  kernel_.begin_call({call->number, step, rows}, std::as_const(published_).theta());
  std::vector<double> fresh;
  if (plan_.options().method == ErmMethod::output_perturbation) {
    fresh = perturbed_minimiser(*call);
  } else {
    KernelGradients gradients(kernel_, plan_);
    fresh = erm::solve_batch(plan_.problem(call->rows), call->settings, call->mu, gradients, published_.theta());
  }
  published_.take(fresh, call->rows, call->mu, call->window_calls);
  plan_.set().project(published_.theta());
  calls_ = call->number;
}

std::vector<double> ErmEngine::perturbed_minimiser(const erm::ErmCall& call) {
  NoisyMinimiser noisy;
  kernel_.noisy_minimiser({.radius = plan_.set().euclidean_radius().value(),
                           .ridge = plan_.options().ridge,
                           .iterations = call.settings.iterations},
                          call.mu, noisy);
  const double unit = plan_.minimiser_problem(call.rows).lattice_unit(plan_.gradients(), call.settings.iterations);
  std::vector<double> theta(noisy.values.size());
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = static_cast<double>(noisy.values[i]) * unit;
  plan_.set().project(theta);
  return theta;
}

kernel::RowBatch ErmEngine::make_batch() const {
  refuse_batches();
}
bool ErmEngine::absorb(kernel::RowBatch&& /*batch*/) {
  refuse_batches();
}
const Sha256Digest& ErmEngine::promise() const {
  refuse_batches();
}

Statistics ErmEngine::statistics() const {
  Statistics released;
  released.step = step();
  released.rows = released_rows();
  released.not_private = plan_.options().insecure_seed.has_value();
  return released;
}

Model ErmEngine::model() {
  return units_.model(statistics(), std::as_const(published_).theta());
}

Model ErmEngine::solve(const Statistics& statistics, std::span<const double> /*start*/) {
  make_call(statistics.step, statistics.rows);
  return units_.model(statistics, std::as_const(published_).theta());
}

void ErmEngine::save(RegressionState& out) {
  kernel_.save(out.sensitive);
  ByteWriter writer;
  writer.u64(step());
  writer.u64(calls_);
  published_.save(writer);
  out.decoder = writer.take();
  out.released_rows = released_rows();
}

void ErmEngine::restore(const RegressionState& state) {
  kernel_.restore(state.sensitive);
  ByteReader reader(state.decoder, "the running model");
  const std::uint64_t steps = reader.u64();
  calls_ = reader.u64();
  published_.restore(reader);
  reader.finish();
  if (steps != step() || state.released_rows != released_rows() || calls_ > steps) {
    reader.damaged("it is of another step than the kernel's");
  }
}

}  // namespace

std::unique_ptr<Engine> make_erm_engine(const erm::ErmPlan& plan) {
  return std::make_unique<ErmEngine>(plan);
}

struct PrivIncErm::Inside {
  ErmEngine engine;
};

PrivIncErm::PrivIncErm(const Options& options) : inside_(new Inside{ErmEngine(erm::ErmPlan(options))}) {}
PrivIncErm::PrivIncErm(PrivIncErm&&) noexcept = default;
PrivIncErm& PrivIncErm::operator=(PrivIncErm&&) noexcept = default;
PrivIncErm::~PrivIncErm() = default;

bool PrivIncErm::observe(std::span<const double> values, double target) {
  return inside_->engine.observe(values, target, std::nullopt);
}
bool PrivIncErm::observe(std::span<const double> values, double target, std::string_view unit) {
  return inside_->engine.observe(values, target, unit);
}
bool PrivIncErm::observe(const SparseRow& row, double target) {
  return inside_->engine.observe(row, target, std::nullopt);
}
bool PrivIncErm::observe(const SparseRow& row, double target, std::string_view unit) {
  return inside_->engine.observe(row, target, unit);
}

bool PrivIncErm::flush() {
  return inside_->engine.flush();
}

std::uint64_t PrivIncErm::step() const {
  return inside_->engine.step();
}
std::uint64_t PrivIncErm::released_rows() const {
  return inside_->engine.released_rows();
}

Model PrivIncErm::model() const {
  if (step() == 0) throw Error("nothing has been released yet: the first model is out after the first step");
  return inside_->engine.model();
}

const PrivIncErm::Options& PrivIncErm::options() const {
  return inside_->engine.plan().options();
}
const erm::ErmPlan& PrivIncErm::plan() const {
  return inside_->engine.plan();
}
std::uint64_t PrivIncErm::calls() const {
  return inside_->engine.calls();
}
double PrivIncErm::spent_mu() const {
  return inside_->engine.spent_mu();
}
std::uint64_t PrivIncErm::unusable_rows_for_operator() const {
  return inside_->engine.unusable_rows_for_operator();
}
std::uint64_t PrivIncErm::over_limit_rows_for_operator() const {
  return inside_->engine.over_limit_rows_for_operator();
}

}  // namespace rivulet
