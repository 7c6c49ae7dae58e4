#include "live_stream.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>

#include <algorithm>

#include "errors.h"
#include "python_value.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

std::atomic<std::uint64_t> forks_seen{0};

std::uint64_t fork_generation() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks_seen.fetch_add(1); });
  if (registered != 0) throw Error("stream: cannot register the fork handler");
  return forks_seen.load(std::memory_order_relaxed);
}

constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;
// Rows between two looks at whether somebody pressed Ctrl-C.
constexpr std::size_t kRowsBetweenSignals = std::size_t{1} << 18;
// Above this a row is worth letting other threads run.
constexpr std::size_t kWideRow = 256;

std::unique_ptr<DurableRegression> durable(DurableRegression regression) {
  return std::make_unique<DurableRegression>(std::move(regression));
}

}  // namespace

// One caller at a time, and none that would publish a step twice.
class LiveStream::Turn {
 public:
  // Lets go of the GIL while it waits.
  explicit Turn(LiveStream& stream, bool for_writing = true) : stream_(stream), lock_(stream.mutex_, std::defer_lock) {
    if (stream.fork_generation_ != forks_seen.load(std::memory_order_relaxed)) {
      throw Misuse(
          "stream: this process is a copy (fork) of the one that made the stream; going on in both would publish the "
          "same "
          "steps twice. Use it in the process that made it, or keep it in a file (path=...) that one process opens");
    }
    if (stream.owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
      throw Error("stream: called from within a call that is under way, which was left alone");
    }
    if (!lock_.try_lock()) {
      const nb::gil_scoped_release no_gil;
      lock_.lock();
    }
    stream.owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    if (for_writing && stream.closed_) {
      release();
      throw Error("stream: it was closed" +
                  (stream.path_ ? "; rivulet.Stream.open('" + *stream.path_ + "') goes on with it" : std::string()));
    }
  }
  ~Turn() { release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  void release() {
    if (lock_.owns_lock()) {
      stream_.owner_.store({}, std::memory_order_relaxed);
      lock_.unlock();
    }
  }
  LiveStream& stream_;
  std::unique_lock<std::mutex> lock_;
};

LiveStream::LiveStream(const StreamOptions& options, const std::optional<std::string>& path, bool autocommit,
                       std::optional<std::size_t> history)
    : fork_generation_(fork_generation()),
      memory_(path ? nullptr : std::make_unique<IncrementalRegression>(options)),
      durable_(path ? durable(DurableRegression::create(*path, options)) : nullptr),
      options_(durable_ ? durable_->options() : memory_->options()),
      schema_(std::make_shared<const Schema>(options_.schema)),
      path_(path),
      autocommit_(autocommit),
      slow_rows_(has_slow_rows()),
      one_row_(options_.schema),
      history_limit_(history) {}

LiveStream::LiveStream(const std::string& path, bool autocommit)
    : fork_generation_(fork_generation()),
      durable_(durable(DurableRegression::open(path))),
      options_(durable_->options()),
      schema_(std::make_shared<const Schema>(options_.schema)),
      path_(path),
      autocommit_(autocommit),
      slow_rows_(has_slow_rows()),
      one_row_(options_.schema) {}

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

bool LiveStream::observe(nb::handle x, nb::handle y, nb::handle unit) {
  const Turn turn(*this);
  require_row_kind(!unit.is_none());
  std::string unit_text;
  std::string_view unit_view;
  if (!unit.is_none()) unit_view = unit_text = unit_from(unit.ptr());
  const std::string_view* whose = unit.is_none() ? nullptr : &unit_view;
  one_row_.read(x);
  const double target = one_row_.target(y, x);
  const auto work = [&] {
    return kept(one_row_.is_sparse() ? observe_sparse(one_row_.sparse_row(), target, whose)
                                     : observe_values(one_row_.values(), target, whose));
  };
  // A row that only adds to a sum takes less time than letting go of the GIL.
  const std::uint64_t waiting = with_regression([](auto& regression) { return regression.waiting_rows(); });
  if (waiting + 1 < options_.release_every && !slow_rows_) return work();
  const nb::gil_scoped_release no_gil;
  const bool released = work();
  commit_if_due(released);
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
        if (released) releases += kept(true) ? 1 : 0;
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

std::uint64_t LiveStream::last_step() const {
  return durable_ ? durable_->committed_step() : log_ ? log_->last_step() : memory_->step();
}

std::uint64_t LiveStream::released_rows() const {
  if (!durable_) return memory_->released_rows();
  const std::uint64_t step = durable_->committed_step();
  return step == 0 ? 0 : durable_->committed(step, step).at(0).statistics.rows;
}

std::uint64_t LiveStream::step() {
  const Turn turn(*this, false);
  return last_step();
}

std::uint64_t LiveStream::counted_rows() {
  return released_rows() + with_regression([](auto& regression) { return regression.waiting_rows(); });
}

std::uint64_t LiveStream::rows() {
  const Turn turn(*this, false);
  if (durable_ && durable_->waiting_releases() != 0) {
    throw Error("rows: releases wait for commit(), and how many rows are safe can be told after it");
  }
  return log_ ? closed_rows_ : counted_rows();
}

std::uint64_t LiveStream::waiting_rows() {
  const Turn turn(*this, false);
  if (log_) return closed_rows_ - (log_->last_step() == 0 ? 0 : log_->at(log_->last_step()).statistics.rows);
  return with_regression([](auto& regression) { return regression.waiting_rows(); });
}

std::uint64_t LiveStream::waiting_releases() {
  const Turn turn(*this, false);
  return durable_ ? durable_->waiting_releases() : 0;
}

std::uint64_t LiveStream::first_kept() {
  const Turn turn(*this, false);
  return path_ ? 1 : memory_->step() + 1 - history_.size();
}

void LiveStream::require_published(std::uint64_t step) const {
  const std::uint64_t last = last_step();
  if (last == 0) {
    std::string why = "nothing was published yet; the first release comes after " +
                      std::to_string(options_.release_every) + " rows, or with release()";
    if (durable_ && durable_->waiting_releases() != 0) why = "nothing was published yet; releases wait for commit()";
    throw RequestError("t", why);
  }
  const std::uint64_t first = path_ ? 1 : last + 1 - history_.size();
  if (step < first || step > last) {
    throw RequestError("t", "there is no release " + std::to_string(step) + "; accepted: " + std::to_string(first) +
                                " to " + std::to_string(last) +
                                (first > 1 ? " (older ones are no longer kept; history= says how many are)" : ""));
  }
}

PublishedRelease LiveStream::publish(Kept& kept) {
  if (!kept.model) {
    if (!own_fit_) own_fit_.emplace(options_, Refit::settings_of(options_), memory_->plan());
    kept.model = own_fit_->fit(kept.statistics);
  }
  std::optional<Statistics> statistics;
  if (!options_.erm) statistics = kept.statistics;
  return {std::move(statistics), {*kept.model, schema_}, ""};
}

PublishedRelease LiveStream::at(std::uint64_t step) {
  const Turn turn(*this, false);
  require_published(step);
  const nb::gil_scoped_release no_gil;
  if (log_) return published_from(log_->at(step), schema_);
  if (!durable_) return publish(history_[history_.size() - 1 - (last_step() - step)]);
  return published_from(durable_->committed(step, step).at(0), schema_);
}

std::vector<PublishedRelease> LiveStream::range(std::uint64_t from, std::uint64_t to) {
  const Turn turn(*this, false);
  const nb::gil_scoped_release no_gil;
  std::vector<PublishedRelease> releases;
  const std::uint64_t last = last_step();
  to = std::min(to, last);
  if (log_) {
    log_->for_each(from, to, [&](const Release& release) { releases.push_back(published_from(release, schema_)); });
    return releases;
  }
  if (durable_) {
    if (from > to) return releases;
    for (const Release& release : durable_->committed(from, to)) {
      releases.push_back(published_from(release, schema_));
    }
    return releases;
  }
  for (std::uint64_t step = std::max(from, last + 1 - history_.size()); step <= to && step > 0; ++step) {
    releases.push_back(publish(history_[history_.size() - 1 - (last - step)]));
  }
  return releases;
}

nb::dict LiveStream::operator_counts() {
  const Turn turn(*this, path_.has_value());
  nb::dict counts;
  with_regression([&](auto& regression) {
    counts["unusable_rows"] = regression.unusable_rows_for_operator();
    counts["over_limit_rows"] = regression.over_limit_rows_for_operator();
    counts["distorted_rows"] = regression.distorted_rows_for_operator();
  });
  return counts;
}

void bind_live_stream(nb::module_& module) {
  nb::class_<LiveStream>(module, "StreamBase")
      .def(nb::init<const StreamOptions&, const std::optional<std::string>&, bool, std::optional<std::size_t>>(),
           "options"_a, "path"_a.none(), "autocommit"_a, "history"_a.none())
      .def(nb::init<const std::string&, bool>(), "path"_a, "autocommit"_a)
      .def(
          "observe", &LiveStream::observe, "x"_a.none(), "y"_a.none() = nb::none(), "unit"_a.none() = nb::none(),
          "Takes one row and says whether it completed a step, so that a new release is out.\n\n"
          "x is a dict by the declared names (what is not there is missing, what was not declared is ignored), or a "
          "list, "
          "tuple or one-dimensional array in their order; y is the target, or None to take it from the dict; unit says "
          "whose row it is where the promise is for units. A row that cannot be used (missing, NaN, infinite, an "
          "undeclared level) counts as a zero row and never stops the stream.")
      .def("_take", &LiveStream::take, "rows"_a)
      .def("_flush", &LiveStream::flush)
      .def("_commit", &LiveStream::commit)
      .def("_abandon", &LiveStream::abandon)
      .def("_watch", &LiveStream::watch)
      .def("_fingerprint", &LiveStream::fingerprint)
      .def("close", &LiveStream::close,
           "Ends the run. A stream in a file keeps the rows of an unfinished step there, and Stream.open() goes on.")
      .def_prop_ro("step", &LiveStream::step, "Releases so far.")
      .def_prop_ro(
          "rows", &LiveStream::rows,
          "Rows taken so far, those of the step under way included: where to go on reading after Stream.open().")
      .def_prop_ro("waiting_rows", &LiveStream::waiting_rows, "Rows of the step under way.")
      .def_prop_ro("waiting_releases", &LiveStream::waiting_releases, "Releases that wait for commit().")
      .def_prop_ro("_first_kept", &LiveStream::first_kept)
      .def_prop_ro("closed", &LiveStream::is_closed)
      .def_prop_ro("options", &LiveStream::options)
      .def_prop_ro("path", &LiveStream::path)
      .def("_at", &LiveStream::at, "step"_a)
      .def("_range", &LiveStream::range, "first"_a, "last"_a)
      .def("operator_counts", &LiveStream::operator_counts,
           "For the operator's eyes only: exact counts of rows that could not be used. NOT private; never publish "
           "them.");
}

}  // namespace rivulet::python
