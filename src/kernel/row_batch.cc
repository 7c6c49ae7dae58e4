#include "kernel/row_batch.h"

#include <algorithm>
#include <string>
#include <variant>

#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

constexpr std::string_view kMagic = "rivulet batch\r\n\x1a";  // as PNG's: a transfer that changes line ends shows
constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kPromiseMark = "rivulet batch promise 1";

[[noreturn]] void refuse_promise() {
  throw RequestError("batch",
                     "its rows were gathered for another promise (schema, budget, mechanism or sketch differ); "
                     "accepted: batches of a stream with the same settings. Nothing was taken from it");
}

std::string_view text_of(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Sha256Digest digest_of(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.digest();
}

void write_request(const privacy::MechanismRequest& request, ByteWriter& out) {
  out.f64(request.budget.epsilon);
  out.f64(request.budget.delta);
  out.text(to_string(request.neighbours));
  out.text(to_string(request.profile));
  out.u64(request.strategy.horizon.is_known() ? request.strategy.horizon.steps() : 0);
}

void write_interval(const Interval& interval, ByteWriter& out) {
  out.f64(interval.lo);
  out.f64(interval.hi);
}

void write_schema(const Schema& schema, ByteWriter& out) {
  out.u64(schema.features().size());
  for (const Feature& feature : schema.features()) {
    out.text(feature.name);
    out.u64(feature.domain.index());
    if (const auto* bounds = std::get_if<Interval>(&feature.domain)) {
      write_interval(*bounds, out);
    } else if (const auto* block = std::get_if<Block>(&feature.domain)) {
      out.u64(block->columns);
      write_interval(block->bounds, out);
    } else {
      const std::vector<std::string>& names = std::get<Levels>(feature.domain).names;
      out.u64(names.size());
      for (const std::string& name : names) out.text(name);
    }
  }
  out.u64(schema.has_intercept() ? 1 : 0);
  out.u64(schema.clip_norm() ? 1 : 0);
  if (schema.clip_norm()) out.f64(*schema.clip_norm());
  out.text(schema.target_name());
  write_interval(schema.target_bounds(), out);
  out.u64(schema.has_classes() ? 1 : 0);
  out.f64(schema.target_scale().half_range);
  out.u64(schema.class_words() ? 1 : 0);
  if (schema.class_words()) {
    for (const std::string& word : *schema.class_words()) out.text(word);
  }
}

void write_domain(const Domain& domain, ByteWriter& out) {
  out.u64(domain.conditions().size());
  for (const Domain::Condition& condition : domain.conditions()) {
    out.u64(static_cast<std::uint64_t>(condition.kind));
    out.u64(condition.value);
    out.f64(condition.lo);
    out.f64(condition.hi);
  }
}

}  // namespace

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
  if (other.promise_ != promise_) refuse_promise();
  if (other.rows() > MomentSum::kMostRows - rows()) {
    throw RequestError("batch", "more rows than a batch can hold; accepted: up to " +
                                    std::to_string(MomentSum::kMostRows) + " together");
  }
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

SensitiveBytes RowBatch::save() {
  ByteWriter writer;
  writer.raw(kMagic);
  writer.u64(kVersion);
  writer.raw(text_of(promise_));
  writer.u64(unusable_);
  writer.u64(distorted_);
  sum_.save(writer);
  writer.raw(text_of(digest_of(writer.bytes())));
  return SensitiveBytes(writer.take());
}

void RowBatch::restore(const SensitiveBytes& bytes) {
  if (rows() != 0) throw Error("batch: only one without rows can take up another's");
  try {
    read(bytes.view());
  } catch (...) {
    clear();
    throw;
  }
}

void RowBatch::read(std::string_view bytes) {
  ByteReader reader(bytes, "batch: its content");
  if (reader.raw(kMagic.size()) != kMagic) reader.damaged("it does not begin like a batch");
  if (reader.u64() != kVersion) reader.damaged("it is of a version that this one cannot read");
  constexpr std::size_t kDigest = sizeof(Sha256Digest);
  const std::string_view promise = reader.raw(kDigest);
  (void)ByteReader(reader).raw(kDigest);  // there is another one to compare with
  const std::string_view covered = bytes.substr(0, bytes.size() - kDigest);
  if (bytes.substr(covered.size()) != text_of(digest_of(covered))) reader.damaged("it does not fit its checksum");
  if (promise != text_of(promise_)) refuse_promise();

  unusable_ = reader.u64();
  distorted_ = reader.u64();
  sum_.restore(reader);
  (void)reader.raw(kDigest);
  reader.finish();
  if (unusable_ > rows() || distorted_ > rows() - unusable_) reader.damaged("its counts contradict each other");
  if (!sum_.could_come_from(lattice_->limits())) reader.damaged("no rows can have made its sums");
}

void write_mechanism(const privacy::MechanismPlan& plan, const std::optional<sketch::EmbeddingSettings>& sketch,
                     ByteWriter& writer) {
  const privacy::MechanismRequest& request = plan.request();
  const privacy::PlanDecisions decisions = plan.decisions();
  writer.text(to_string(request.strategy.kind));
  writer.u64(plan.layout().dimension);
  writer.u64(plan.layout().size());
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
  if (sketch) {
    writer.text(to_string(sketch->kind));
    writer.u64(sketch->rows);
    writer.u64(sketch->columns);
    writer.u64(sketch->column_weight);
    writer.u64(sketch->seed);
  }
}

Sha256Digest promise_of(const privacy::MechanismPlan& plan, const Schema& schema, const Domain& domain,
                        const std::optional<RowSketch>& sketch) {
  ByteWriter writer;
  writer.raw(kPromiseMark);
  write_mechanism(plan, sketch ? std::optional(sketch->settings) : std::nullopt, writer);
  write_request(plan.request(), writer);
  write_schema(schema, writer);
  write_domain(domain, writer);
  return digest_of(writer.bytes());
}

}  // namespace rivulet::kernel
