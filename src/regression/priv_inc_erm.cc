// Mechanism PrivIncERM, wired: rows -> history kernel -> (the wall) -> noisy sums of gradients -> batch solver ->
// model.
#include "rivulet/priv_inc_erm.h"

#include <utility>

#include "erm/erm_plan.h"
#include "erm/running_model.h"
#include "fit/user_units.h"
#include "kernel/history_kernel.h"
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

}  // namespace

struct PrivIncErm::Inside {
  explicit Inside(const Options& options)
      : plan(options),
        kernel(plan.gradients(), options.schema, options.loss, plan.lipschitz(),
               kernel::DiscreteGaussianNoise::seeded_or_secure(options.insecure_seed),
               Domain(options.only_if, options.schema)),
        units(options.schema),
        published(nearest_the_origin(plan.set())) {}

  template <class Values>
  bool observe(const Values& values, double target, std::optional<std::string_view> unit) {
    if (kernel.steps() >= plan.last_step()) {
      throw HorizonExceeded(
          "horizon: the " + std::to_string(plan.last_step()) +
          " steps the privacy promise covers are used up; what was published stays valid, and nothing "
          "more can be published");
    }
    kernel.observe(values, target, unit);
    if (!kernel.step_is_full()) return false;
    close_step();
    return true;
  }

  void close_step() {
    kernel.close_step();
    const auto call = plan.call_at(kernel.steps(), kernel.released_rows());
    if (!call) return;
    kernel.begin_call(call->number);
    KernelGradients gradients(kernel, plan);
    const std::vector<double> fresh =
        erm::solve_batch(plan.problem(call->rows), call->settings, call->mu, gradients, published.theta());
    published.take(fresh, call->rows, call->mu, call->window_calls);
    plan.set().project(published.theta());
    calls = call->number;
  }

  erm::ErmPlan plan;
  kernel::HistoryKernel kernel;
  fit::UserUnits units;
  erm::RunningModel published;
  std::uint64_t calls = 0;
};

PrivIncErm::PrivIncErm(const Options& options) : inside_(std::make_unique<Inside>(options)) {}
PrivIncErm::PrivIncErm(PrivIncErm&&) noexcept = default;
PrivIncErm& PrivIncErm::operator=(PrivIncErm&&) noexcept = default;
PrivIncErm::~PrivIncErm() = default;

bool PrivIncErm::observe(std::span<const double> values, double target) {
  return inside_->observe(values, target, std::nullopt);
}
bool PrivIncErm::observe(std::span<const double> values, double target, std::string_view unit) {
  return inside_->observe(values, target, unit);
}
bool PrivIncErm::observe(const SparseRow& row, double target) {
  return inside_->observe(row, target, std::nullopt);
}
bool PrivIncErm::observe(const SparseRow& row, double target, std::string_view unit) {
  return inside_->observe(row, target, unit);
}

bool PrivIncErm::flush() {
  if (inside_->kernel.rows_in_step() == 0) return false;
  inside_->close_step();
  return true;
}

std::uint64_t PrivIncErm::step() const {
  return inside_->kernel.steps();
}
std::uint64_t PrivIncErm::released_rows() const {
  return inside_->kernel.released_rows();
}

Model PrivIncErm::model() const {
  if (step() == 0) throw Error("nothing has been released yet: the first model is out after the first step");
  Statistics released;
  released.step = step();
  released.rows = released_rows();
  released.not_private = options().insecure_seed.has_value();
  return inside_->units.model(released, std::as_const(inside_->published).theta());
}

const PrivIncErm::Options& PrivIncErm::options() const {
  return inside_->plan.options();
}
const erm::ErmPlan& PrivIncErm::plan() const {
  return inside_->plan;
}
std::uint64_t PrivIncErm::calls() const {
  return inside_->calls;
}
double PrivIncErm::spent_mu() const {
  return inside_->kernel.spend().spent_mu();
}
std::uint64_t PrivIncErm::unusable_rows_for_operator() const {
  return inside_->kernel.unusable_rows_for_operator();
}
std::uint64_t PrivIncErm::over_limit_rows_for_operator() const {
  return inside_->kernel.over_limit_rows_for_operator();
}

}  // namespace rivulet
