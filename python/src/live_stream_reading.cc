// What was published, from a live stream; its bindings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "live_stream.h"
#include "turn.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {

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
                      std::to_string(options_.release_every) + (options_.release_every == 1 ? " row" : " rows") +
                      ", or with release()";
    if (durable_ && durable_->waiting_releases() != 0) why = "nothing was published yet; releases wait for commit()";
    throw RequestError("release", why);
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
      .def("observe", &LiveStream::observe, "x"_a.none(), "y"_a.none() = nb::ellipsis(),
           "unit"_a.none() = nb::ellipsis(),
           "Takes one row and says whether it completed a step, so that a new release is out.\n\n"
           "x is a dict by the declared names (what is not there is missing, what was not declared is ignored), or a "
           "list, "
           "tuple or one-dimensional array in their order; y is the target and unit, where the promise is for units, "
           "says whose row it is: left out to take them from the dict, None where they are missing. A row that cannot "
           "be used (missing, text where a number was declared, infinite, an undeclared level, no unit) counts as a "
           "zero row and never stops the stream: what a row says does not decide whether it counts.")
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
