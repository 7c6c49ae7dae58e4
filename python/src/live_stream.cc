#include "live_stream.h"

#include <algorithm>

#include "python_value.h"
#include "turn.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;
// Rows between two looks at whether somebody pressed Ctrl-C.
constexpr std::size_t kRowsBetweenSignals = std::size_t{1} << 18;
// Above this a row is worth letting other threads run.
constexpr std::size_t kWideRow = 256;

// Its rows come from memory, at no position that a file could be read again up to.
std::unique_ptr<DurableRegression> durable(DurableRegression regression) {
  auto made = std::make_unique<DurableRegression>(std::move(regression));
  made->set_door("python");
  return made;
}

}  // namespace

LiveStream::LiveStream(const StreamOptions& options, const std::optional<std::string>& path, bool autocommit,
                       std::optional<std::size_t> history)
    : memory_(path ? nullptr : std::make_unique<IncrementalRegression>(options)),
      durable_(path ? durable(DurableRegression::create(*path, options)) : nullptr),
      options_(durable_ ? durable_->options() : memory_->options()),
      schema_(std::make_shared<const Schema>(options_.schema)),
      path_(path),
      autocommit_(autocommit),
      slow_rows_(has_slow_rows()),
      one_row_(options_.schema, options_.unit ? options_.unit->name : ""),
      history_limit_(history) {}

LiveStream::LiveStream(const std::string& path, bool autocommit)
    : durable_(durable(DurableRegression::open(path))),
      options_(durable_->options()),
      schema_(std::make_shared<const Schema>(options_.schema)),
      path_(path),
      autocommit_(autocommit),
      slow_rows_(has_slow_rows()),
      one_row_(options_.schema, options_.unit ? options_.unit->name : "") {}

bool LiveStream::has_slow_rows() const {
  return options_.sketch || options_.erm || options_.schema.row_width() > kWideRow;
}

void LiveStream::require_row_kind(bool has_unit) const {
  if (has_unit && !options_.unit) {
    throw RequestError("unit",
                       "was given, but the stream's promise is for single rows; accepted: unit=(name, rows that "
                       "count) when the stream is made");
  }
  if (!has_unit && options_.unit) {
    throw RequestError("unit", "not given; the promise is for all rows of a '" + options_.unit->name +
                                   "', so every row must say whose it is");
  }
}

bool LiveStream::observe_values(std::span<const double> values, double target, const std::string_view* unit) {
  if (watched_) watched_->add(values, target);
  return with_regression([&](auto& regression) {
    return unit != nullptr ? regression.observe(values, target, *unit) : regression.observe(values, target);
  });
}

bool LiveStream::observe_sparse(const SparseRow& row, double target, const std::string_view* unit) {
  if (watched_) watched_->add(row, target);
  return with_regression([&](auto& regression) {
    return unit != nullptr ? regression.observe(row, target, *unit) : regression.observe(row, target);
  });
}

// After the row has counted, because whether it has a target is what the row says: an error would take it back.
void LiveStream::warn_forgotten_target() const {
  const std::string text = "y: not given, and the row has no '" + schema_->target_name() +
                           "': it counted as a zero row. Give the target, or None where it is missing";
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

bool LiveStream::observe(nb::handle x, nb::handle y, nb::handle unit) {
  const Turn turn(*this);
  const bool unit_given = unit.ptr() != Py_Ellipsis;
  if (unit_given && !unit.is_none()) require_row_kind(true);
  const OneRow::Named named = one_row_.read(x);
  // What was left out of the call may stand in a row that goes by names; where it does not, the row counts all the
  // same.
  if (!named.is_named) {
    require_row_kind(unit_given && (options_.unit || !unit.is_none()));
    if (y.ptr() == Py_Ellipsis) {
      throw RequestError("y",
                         "not given, and a row without names cannot hold it; accepted: the target, or None where "
                         "it is missing. The row was not counted");
    }
  }
  PyObject* target_cell = y.ptr();
  if (target_cell == Py_Ellipsis || target_cell == Py_None) {
    target_cell = named.target.is_valid() ? named.target.ptr() : Py_None;
  }
  const double target = target_of(target_cell, one_row_.layout());
  std::string unit_text;
  if (unit_given) {
    unit_text = unit_of(unit.ptr());
  } else if (named.unit.is_valid()) {
    unit_text = unit_of(named.unit.ptr());
  }
  const std::string_view unit_view = unit_text;
  const std::string_view* whose = options_.unit ? &unit_view : nullptr;
  const bool forgotten = y.ptr() == Py_Ellipsis && !named.target.is_valid();
  const auto work = [&] {
    return kept(one_row_.is_sparse() ? observe_sparse(one_row_.sparse_row(), target, whose)
                                     : observe_values(one_row_.values(), target, whose));
  };
  // A row that only adds to a sum takes less time than letting go of the GIL.
  const std::uint64_t waiting = with_regression([](auto& regression) { return regression.waiting_rows(); });
  bool released = false;
  if (waiting + 1 < options_.release_every && !slow_rows_) {
    released = work();
  } else {
    const nb::gil_scoped_release no_gil;
    released = work();
    commit_if_due(released);
  }
  if (forgotten) warn_forgotten_target();
  return released;
}

std::uint64_t LiveStream::take(Rows& rows) {
  const Turn turn(*this);
  if (rows.width() != options_.schema.row_width()) {
    throw RequestError("X", "rows of " + std::to_string(rows.width()) + " values were given; accepted: " +
                                std::to_string(options_.schema.row_width()) + ". No row was taken");
  }
  const nb::gil_scoped_release no_gil;
  std::uint64_t releases = 0;
  std::size_t since_signals = 0;
  const std::size_t width = rows.width();
  RowBlock block;
  try {
    while (rows.next(block)) {
      require_row_kind(block.units != nullptr);
      if (block.targets == nullptr) throw RequestError("y", "not given; accepted: a target a row");
      for (std::size_t row = 0; row < block.count; ++row) {
        const std::string_view* unit = block.units != nullptr ? block.units + row : nullptr;
        const bool released = block.sparse()
                                  ? observe_sparse(block.sparse_row(row), block.targets[row], unit)
                                  : observe_values({block.values + row * width, width}, block.targets[row], unit);
        if (released) {
          releases += kept(true) ? 1 : 0;
          commit_if_due(durable_ && durable_->commit_is_due());
        }
        if (++since_signals == kRowsBetweenSignals) {
          since_signals = 0;
          const nb::gil_scoped_acquire gil;
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
      }
    }
  } catch (const HorizonExceeded&) {
    commit_if_due(releases > 0);  // what was made before is made
    throw;
  }
  commit_if_due(releases > 0);
  return releases;
}

bool LiveStream::flush() {
  const Turn turn(*this);
  const nb::gil_scoped_release no_gil;
  const bool released = kept(with_regression([](auto& regression) { return regression.flush(); }));
  commit_if_due(released);
  return released;
}

bool LiveStream::kept(bool released) {
  if (released && memory_) keep_release();
  return released;
}

void LiveStream::keep_release() {
  Kept kept{memory_->statistics(), std::nullopt};
  if (options_.sketch || options_.erm) kept.model = memory_->model();
  history_.push_back(std::move(kept));
  if (!history_limit_) {
    const std::size_t dimension = history_.back().statistics.dimension;
    const std::size_t bytes = sizeof(Kept) + 8 * (dimension + 1) * (dimension + 1);
    history_limit_ = std::max<std::size_t>(1, kHistoryBytes / bytes);
  }
  while (history_.size() > std::max<std::size_t>(1, *history_limit_)) history_.pop_front();
}

void LiveStream::commit_if_due(bool released) {
  if (durable_ && released && autocommit_) durable_->commit(durable_->source());
}

void LiveStream::commit() {
  const Turn turn(*this);
  const nb::gil_scoped_release no_gil;
  if (durable_) durable_->commit(durable_->source());
}

void LiveStream::close() {
  const Turn turn(*this, false);
  if (closed_) return;
  const nb::gil_scoped_release no_gil;
  if (durable_) durable_->close(durable_->source());
  end_run();
}

void LiveStream::abandon() {
  const Turn turn(*this, false);
  if (closed_) return;
  const nb::gil_scoped_release no_gil;
  end_run();
}

// The file is free for others; what was published can still be read.
void LiveStream::end_run() {
  closed_ = true;
  if (!durable_) return;
  closed_rows_ = counted_rows();
  durable_.reset();
  log_ = std::make_unique<ReleaseLog>(*path_);
}

void LiveStream::watch() {
  const Turn turn(*this);
  if (!watched_) watched_ = std::make_unique<Fingerprint>();
}

Fingerprint LiveStream::fingerprint() {
  const Turn turn(*this, false);
  Fingerprint copy;
  if (watched_) copy.merge(*watched_);
  return copy;
}

}  // namespace rivulet::python
