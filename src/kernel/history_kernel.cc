#include "kernel/history_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/shown.h"
#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

// Sums of 2^33 rows of 2^30 each fit 63 bits.
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 32;

}  // namespace

HistoryKernel::HistoryKernel(const privacy::GradientPlan& plan, const Schema& schema, std::shared_ptr<const Loss> loss,
                             double lipschitz, std::unique_ptr<NoiseSource> noise, const Domain& domain)
    : plan_(plan),
      lattice_(schema, plan.limits(), domain),
      loss_(std::move(loss)),
      coefficient_factor_(static_cast<double>(plan.coefficient_limit()) / lipschitz),
      row_unit_(std::ldexp(1.0, -static_cast<int>(plan.limits().bits))),
      noise_(std::move(noise)),
      order_(lattice_.order()),
      quantised_(order_),
      sums_(order_ - 1),
      spend_(plan.mu()) {
  if (order_ - 1 != plan.request().dimension) {
    throw RequestError("schema", "it has " + std::to_string(order_ - 1) +
                                     " coordinates; the mechanism was planned for " +
                                     std::to_string(plan.request().dimension));
  }
  if (!(lipschitz > 0.0) || !std::isfinite(lipschitz) || !std::isfinite(coefficient_factor_)) {
    throw RequestError("loss",
                       "its Lipschitz constant is " + shown(lipschitz) + "; accepted: a positive finite number");
  }
  if (plan.request().units) units_ = std::make_unique<UnitCap>(plan.request().rows_per_unit);
}

void HistoryKernel::observe(std::span<const double> values, double target, std::optional<std::string_view> unit) {
  if (values.size() != lattice_.row_width()) {
    throw RequestError("row", "a row of " + std::to_string(values.size()) + " values was given; the schema has " +
                                  std::to_string(lattice_.row_width()));
  }
  observe_row(values, target, unit);
}

void HistoryKernel::observe(const SparseRow& row, double target, std::optional<std::string_view> unit) {
  observe_row(row, target, unit);
}

template <class Values>
void HistoryKernel::observe_row(const Values& values, double target, std::optional<std::string_view> unit) {
  if (step_is_full()) throw Error("kernel: the step is full; it must be closed before another row");
  if (rows_ >= kMostRows) throw Error("kernel: the history is full");
  if (unit.has_value() != (units_ != nullptr)) {
    throw RequestError("unit", units_ ? "the promise is for units, so every row needs the identifier of its unit"
                                      : "the promise is for single rows; a unit's limit must be part of the request");
  }
  const bool admitted = !unit || units_->admit(*unit);
  if (!admitted) {
    if (!unit->empty()) ++over_limit_;
    std::fill(quantised_.begin(), quantised_.end(), 0.0);
  }
  if (!admitted || lattice_.quantise(values, target, quantised_, scratch_) == RowFate::unusable) ++unusable_;
  // All of the row or nothing: half a row would shift every later one, and with it the bound on their length.
  history_.resize(history_.size() + order_);
  std::transform(quantised_.begin(), quantised_.end(), history_.end() - static_cast<std::ptrdiff_t>(order_),
                 [](double entry) { return static_cast<std::int32_t>(entry); });
  ++rows_;
}

void HistoryKernel::close_step() {
  ++steps_;
  released_rows_ = rows_;
  next_part_ = 0;
}

std::int64_t HistoryKernel::coefficient(const std::int32_t* row, std::span<const double> theta) const {
  double prediction = 0.0;
  for (std::size_t i = 0; i < theta.size(); ++i) prediction += theta[i] * static_cast<double>(row[i]);
  double derivative = 0.0;
  try {
    derivative = loss_->derivative(prediction * row_unit_, static_cast<double>(row[theta.size()]) * row_unit_);
  } catch (...) {
    return 0;  // whether a loss refuses a row is not for the world to see
  }
  const double scaled = derivative * coefficient_factor_;
  if (!(std::abs(scaled) < kLargestEntry * kLargestEntry)) {  // cut below; what is no number counts as nothing
    if (std::isnan(scaled)) return 0;
    return scaled > 0.0 ? plan_.coefficient_limit() : -plan_.coefficient_limit();
  }
  return std::clamp(static_cast<std::int64_t>(scaled), -plan_.coefficient_limit(), plan_.coefficient_limit());
}

void HistoryKernel::charge(double mu_k, std::uint64_t part, std::uint64_t parts) {
  if (parts < 1 || part >= parts) throw Error("kernel: there is no such part of the rows");
  if (sums_released_ >= plan_.request().most_sums) {
    throw Error("kernel: the noisy sums that the plan was charged for are used up");
  }
  if (part == 0) {
    spend_.add(mu_k);
    pass_parts_ = parts;
    pass_mu_ = mu_k;
    pass_rows_ = released_rows_;
  } else if (part != next_part_ || parts != pass_parts_ || mu_k > pass_mu_ || released_rows_ != pass_rows_) {
    throw Error("kernel: the parts of a pass over the rows must follow one another");
  }
  next_part_ = part + 1 < parts ? part + 1 : 0;
  ++sums_released_;
}

void HistoryKernel::noisy_gradient(std::span<const double> theta, double mu_k, NoisyGradient& out, std::uint64_t part,
                                   std::uint64_t parts) {
  if (theta.size() != order_ - 1 ||
      !std::all_of(theta.begin(), theta.end(), [](double t) { return std::isfinite(t); })) {
    throw Error("kernel: theta must have one finite entry for each coordinate");
  }
  const double sigma = plan_.sigma_for(mu_k);
  charge(mu_k, part, parts);
  std::fill(sums_.begin(), sums_.end(), 0);
  std::uint64_t rows = 0;
  for (std::uint64_t i = part; i < released_rows_; i += parts, ++rows) {
    const std::int32_t* row = history_.data() + i * order_;
    const std::int64_t c = coefficient(row, theta);
    if (c == 0) continue;
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += c * row[j];
  }
  std::vector<Int128> values(sums_.begin(), sums_.end());
  noise_->add(values, sigma);
  out.values.swap(values);
  out.rows = rows;
}

}  // namespace rivulet::kernel
