#include "kernel/history_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/bytes.h"
#include "base/number_text.h"
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
      noise_(std::move(noise)),
      order_(lattice_.order()),
      quantised_(order_),
      block_(order_, std::ldexp(1.0, -static_cast<int>(plan.limits().bits))),
      coefficients_(block_.width()),
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
  require_sound();
  if (rows_ >= kMostRows) throw Error("kernel: the history is full");
  if (unit.has_value() != (units_ != nullptr)) {
    throw RequestError("unit", units_ ? "the promise is for units, so every row needs the identifier of its unit"
                                      : "the promise is for single rows; a unit's limit must be part of the request");
  }
  // First: once the row is counted, nothing may fail any more.
  if (history_.capacity() - history_.size() < order_) {
    history_.reserve(std::max(2 * history_.capacity(), history_.size() + order_));
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
  call_rows_ = rows_;
  next_part_ = 0;
}

// Calls come in order, so that each row is hashed once, and once more after a restart.
Sha256Digest HistoryKernel::digest_of_rows(std::uint64_t rows) {
  if (rows < hashed_rows_) {
    hashed_ = Sha256();
    hashed_rows_ = 0;
  }
  for (; hashed_rows_ < rows; ++hashed_rows_) {
    const std::int32_t* const row = history_.data() + hashed_rows_ * order_;
    hashed_.update({reinterpret_cast<const char*>(row), order_ * sizeof(std::int32_t)});
  }
  return hashed_.digest();
}

void HistoryKernel::begin_call(const CallOf& call, std::span<const double> start) {
  require_sound();
  if (call.rows > released_rows_ || call.step > steps_)
    throw Error("kernel: a call over rows of steps yet to be closed");
  call_rows_ = call.rows;
  next_part_ = 0;
  if (noise_->call_secret().empty()) {
    noise_->begin_step(call.number);
    return;
  }
  ByteWriter question;
  question.raw("rivulet call 1");
  for (const std::uint64_t number : {call.number, call.step, call.rows}) question.u64(number);
  const Sha256Digest rows = digest_of_rows(call.rows);
  question.raw({reinterpret_cast<const char*>(rows.data()), rows.size()});
  question.u64(start.size());
  for (const double entry : start) question.f64(entry);
  noise_->begin_call(question.bytes());
}

void HistoryKernel::require_sound() const {
  if (broken_) throw Error("kernel: a state was taken up in part only; this stream cannot go on");
}

void HistoryKernel::charge(double mu_k, std::uint64_t part, std::uint64_t parts) {
  require_sound();
  if (parts < 1 || part >= parts) throw Error("kernel: there is no such part of the rows");
  if (sums_released_ >= plan_.request().most_sums) {
    throw Error("kernel: the noisy sums that the plan was charged for are used up");
  }
  if (part == 0) {
    spend_.add(mu_k);
    pass_parts_ = parts;
    pass_mu_ = mu_k;
    pass_rows_ = call_rows_;
  } else if (part != next_part_ || parts != pass_parts_ || mu_k > pass_mu_ || call_rows_ != pass_rows_) {
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
  const std::uint64_t rows = call_rows_ > part ? (call_rows_ - part - 1) / parts + 1 : 0;
  const double limit = static_cast<double>(plan_.coefficient_limit());
  std::fill(sums_.begin(), sums_.end(), 0);
  for (std::uint64_t done = 0; done < rows; done += block_.width()) {
    block_.load(history_.data() + (part + done * parts) * order_, parts * order_,
                std::min<std::uint64_t>(block_.width(), rows - done));
    const std::span<const double> derivatives = block_.derivatives(*loss_, theta);
    hot_loops().cut(derivatives.data(), derivatives.size(), coefficient_factor_, limit, coefficients_.data());
    block_.add_weighted(coefficients_, sums_);
  }
  std::vector<Int128> values(sums_.begin(), sums_.end());
  noise_->add(values, sigma);
  out.values.swap(values);
  out.rows = rows;
}

void HistoryKernel::noisy_minimiser(const MinimiserRequest& request, double mu, NoisyMinimiser& out) {
  const auto* const library = dynamic_cast<const loss::LibraryLoss*>(loss_.get());
  if (library == nullptr) throw Error("kernel: the rounding of a loss that is not the library's is not known");
  if (call_rows_ == 0 || request.iterations == 0) throw Error("kernel: there is nothing to minimise");
  const auto problem = privacy::MinimiserProblem::of(*library, order_ - 1, static_cast<double>(call_rows_),
                                                     request.radius, request.ridge);
  const double unit = problem.lattice_unit(plan_, request.iterations);
  const double sigma = plan_.sigma_for(mu);
  charge(mu, 0, 1);
  RidgeMinimiser minimiser(problem, *library, plan_.limits().bits);
  const std::vector<double> theta =
      minimiser.minimise({history_.data(), call_rows_ * order_}, request.iterations, block_);
  // As integers from here on: below 2^63, because theta is within n 2^30 units and plan_.lattice_sensitivity() of 0.
  std::vector<Int128> values(theta.size());
  std::transform(theta.begin(), theta.end(), values.begin(),
                 [unit](double entry) { return static_cast<Int128>(entry / unit); });
  noise_->add(values, sigma);
  out.values.swap(values);
  out.rows = call_rows_;
}

namespace {

// The second holds what decides the draws; with an insecure seed there is nothing to hold.
constexpr std::string_view kStateMagic = "rivulet history 1";
constexpr std::string_view kSecretStateMagic = "rivulet history 2";

}  // namespace

std::string HistoryKernel::mechanism() const {
  const privacy::GradientRequest& request = plan_.request();
  ByteWriter writer;
  writer.text(loss_->name());
  writer.f64(coefficient_factor_);
  writer.u64(order_);
  writer.u64(plan_.limits().bits);
  writer.u64(request.rows_per_step);
  writer.u64(request.units ? request.rows_per_unit : 0);
  writer.u64(request.most_sums);
  writer.f64(plan_.lattice_sensitivity());
  writer.f64(plan_.mu());
  return writer.take();
}

void HistoryKernel::save(SensitiveState& out) {
  require_sound();
  if (next_part_ != 0) throw Error("kernel: a pass over the rows is under way; its state cannot be kept");
  ByteWriter writer;
  noise_->renew_secret();
  const std::string_view secret = noise_->call_secret();
  writer.raw(secret.empty() ? kStateMagic : kSecretStateMagic);
  writer.text(mechanism());
  if (!secret.empty()) writer.text(secret);
  for (const std::uint64_t number : {steps_, rows_, released_rows_, unusable_, over_limit_, sums_released_}) {
    writer.u64(number);
  }
  for (const double part : spend_.spent()) writer.f64(part);
  if (units_) units_->save(writer);
  ByteWriter rows;
  for (std::size_t i = saved_rows_ * order_; i < history_.size(); ++i) rows.i32(history_[i]);
  out.kernel = SensitiveBytes(writer.take());
  out.history = SensitiveBytes(rows.take());
  out.units = units_ ? units_->take_changes() : std::vector<SensitiveUnitCount>();
  saved_rows_ = rows_;
}

void HistoryKernel::restore(const SensitiveState& state) {
  if (rows_ != 0 || steps_ != 0 || sums_released_ != 0) {
    throw Error("kernel: only a new kernel can take up an earlier one's state");
  }
  require_sound();
  broken_ = true;  // until all of it is there
  ByteReader reader(state.kernel.view(), "the kernel's state");
  const std::string_view magic = reader.raw(kStateMagic.size());
  if (magic != kStateMagic && magic != kSecretStateMagic) reader.damaged("it is not one this version can read");
  if (reader.text() != mechanism()) reader.damaged("it belongs to another mechanism");
  if (magic == kSecretStateMagic) {
    const std::string_view secret = reader.text();
    if (secret.empty() || secret.size() != noise_->call_secret().size()) {
      reader.damaged("what decides its noise is not what it should be");
    }
    noise_->take_up_secret(secret);
  }
  for (std::uint64_t* number : {&steps_, &rows_, &released_rows_, &unusable_, &over_limit_, &sums_released_}) {
    *number = reader.u64();
  }
  const bool consistent = rows_ <= kMostRows && released_rows_ <= rows_ && rows_in_step() <= rows_per_step() &&
                          released_rows_ <= static_cast<UInt128>(steps_) * rows_per_step() && unusable_ <= rows_ &&
                          over_limit_ <= unusable_ && sums_released_ <= plan_.request().most_sums;
  if (!consistent) reader.damaged("its counts contradict each other");
  const double high = reader.f64();
  spend_.restore({high, reader.f64()});
  if (units_) units_->restore(reader, state.units);
  reader.finish();
  restore_history(state.history.view());
  saved_rows_ = rows_;
  call_rows_ = released_rows_;
  broken_ = false;
}

// The promise rests on the length of the kept rows: it is checked again.
void HistoryKernel::restore_history(std::string_view bytes) {
  ByteReader reader(bytes, "the kernel's history");
  if (bytes.size() / sizeof(std::int32_t) / order_ != rows_) reader.damaged("it has another number of rows");
  history_.resize(rows_ * order_);
  for (std::int32_t& entry : history_) entry = reader.i32();
  reader.finish();
  for (std::uint64_t row = 0; row < rows_; ++row) {
    const std::int32_t* const entries = history_.data() + row * order_;
    std::int64_t norm_squared = 0;
    for (std::size_t i = 0; i + 1 < order_; ++i) {
      const std::int64_t entry = entries[i];
      norm_squared += std::min(entry * entry, plan_.limits().covariate_norm_squared() + 1);
    }
    if (!lattice_.within_limits(norm_squared, entries[order_ - 1])) {
      reader.damaged("a row is longer than any that was kept");
    }
  }
}

}  // namespace rivulet::kernel
