#include "rivulet/durable_regression.h"

#include <algorithm>
#include <utility>

#include "fit/mechanism.h"
#include "log/digest.h"
#include "regression/regression_state.h"
#include "rivulet/error.h"
#include "store/model_file.h"

namespace rivulet {

struct DurableRegression::Inside {
  explicit Inside(const std::string& path) : file(path), regression(restored()) { file.begin_writing(); }

  // What the file holds has passed its digests; that it makes sense to the mechanism is checked here.
  IncrementalRegression restored() {
    try {
      const log::Promise& promise = *file.half().promise();
      IncrementalRegression result(promise.options, promise.plan);
      RegressionState state;
      file.read(state, source, delivered);
      // The search for the next model begins where it would have if nothing had been interrupted.
      if (promise.options.sketch && file.steps() > 0) {
        state.last_solution = file.half().read(file.steps()).model.theta;
      }
      result.restore(state);
      if (result.step() == file.steps()) return result;
      throw DamagedFile("its state is of another step than its last release");
    } catch (const Error& error) {
      const std::string why = error.what();
      if (why.starts_with("model: ")) throw;
      throw DamagedFile("model: '" + file.path() + "' is damaged: " + log::one_line(why) + "; it was left untouched");
    }
  }

  void require_sound() const {
    if (closed) throw Error("model: '" + file.path() + "' was closed");
    if (broken) {
      throw Error("model: an earlier call for '" + file.path() +
                  "' failed; open the file again to go on from what is on disk");
    }
  }

  // A row, or the end of a step. Refusals change nothing; anything else may have left half a step behind, which no
  // commit must keep and no second try must take for nothing.
  template <class Take>
  bool take(Take take) {
    require_sound();
    broken = true;
    bool released = false;
    try {
      released = take();
    } catch (const RequestError&) {
      broken = false;
      throw;
    } catch (const HorizonExceeded&) {
      broken = false;
      throw;
    }
    broken = false;
    return keep_release(released);
  }

  bool keep_release(bool released) {
    if (!released) return false;
    broken = true;  // until it is kept: its noise is drawn, and a commit without it would lose a step
    waiting.push_back({regression.statistics(), regression.model()});
    broken = false;
    return true;
  }

  std::vector<Release> commit(std::string_view new_source, std::string_view event) {
    require_sound();
    broken = true;  // until it is on disk
    std::string kept_source(new_source);
    RegressionState state;
    regression.save(state);
    auto published = file.commit(std::exchange(waiting, {}), {state, new_source, delivered, !announced, event});
    source.swap(kept_source);
    announced = true;
    broken = false;
    return published;
  }

  store::ModelFile file;
  std::string source;
  std::uint64_t delivered = 0;
  IncrementalRegression regression;
  std::vector<store::NewRelease> waiting;
  bool announced = false;  // in the ledger, with the first commit: an open that changes nothing leaves no trace
  bool broken = false;
  bool closed = false;
};

DurableRegression::DurableRegression(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
DurableRegression::DurableRegression(DurableRegression&&) noexcept = default;
DurableRegression& DurableRegression::operator=(DurableRegression&&) noexcept = default;
DurableRegression::~DurableRegression() = default;

DurableRegression DurableRegression::create(const std::string& path, const StreamOptions& options) {
  IncrementalRegression fresh(options);
  RegressionState state;
  fresh.save(state);
  store::ModelFile::create(path, fresh.options(), fresh.plan(), state);
  return open(path);
}

DurableRegression DurableRegression::open(const std::string& path) {
  return DurableRegression(std::make_unique<Inside>(path));
}

std::string DurableRegression::source_of(const std::string& path) {
  return store::read_source(path);
}

bool DurableRegression::observe(std::span<const double> values, double target) {
  return inside_->take([&] { return inside_->regression.observe(values, target); });
}

bool DurableRegression::observe(std::span<const double> values, double target, std::string_view unit) {
  return inside_->take([&] { return inside_->regression.observe(values, target, unit); });
}

bool DurableRegression::observe(const SparseRow& row, double target) {
  return inside_->take([&] { return inside_->regression.observe(row, target); });
}

bool DurableRegression::observe(const SparseRow& row, double target, std::string_view unit) {
  return inside_->take([&] { return inside_->regression.observe(row, target, unit); });
}

bool DurableRegression::flush() {
  return inside_->take([&] { return inside_->regression.flush(); });
}

std::vector<Release> DurableRegression::commit(std::string_view source) {
  return inside_->commit(source, "");
}

std::vector<Release> DurableRegression::close(std::string_view source) {
  auto published = inside_->commit(source, "closed");
  inside_->closed = true;
  return published;
}

const std::string& DurableRegression::source() const {
  return inside_->source;
}
std::uint64_t DurableRegression::committed_step() const {
  return inside_->file.steps();
}
std::size_t DurableRegression::waiting_releases() const {
  return inside_->waiting.size();
}

std::vector<Release> DurableRegression::committed(std::uint64_t from, std::uint64_t to) const {
  std::vector<Release> releases;
  inside_->file.half().scan(from, std::min(to, committed_step()),
                            [&](const Release& release) { releases.push_back(release); });
  return releases;
}

void DurableRegression::require_published(std::uint64_t step, std::string_view chain) const {
  if (step == 0) return;
  if (step > committed_step()) {
    throw ModelConflict("model: '" + path() + "' ends at step " + std::to_string(committed_step()) + ", but step " +
                        std::to_string(step) +
                        " was already published from it: it is an older copy. Going on would publish the steps between "
                        "a second time with other noise, which breaks the promise; put the newer file back. Nothing "
                        "was published or changed");
  }
  if (log::hexadecimal(inside_->file.half().chain(step)).substr(0, chain.size()) != chain || chain.size() < 16) {
    throw ModelConflict("model: step " + std::to_string(step) + " of '" + path() + "' is not the step " +
                        std::to_string(step) +
                        " that was published: the releases are of another model, or of another copy that went its own "
                        "way. Nothing was published or changed");
  }
}

std::uint64_t DurableRegression::delivered() const {
  return inside_->delivered;
}
void DurableRegression::set_delivered(std::uint64_t step) {
  inside_->delivered = step;
}

const StreamOptions& DurableRegression::options() const {
  return inside_->regression.options();
}
const fit::StreamPlan& DurableRegression::plan() const {
  return inside_->regression.plan();
}
std::uint64_t DurableRegression::waiting_rows() const {
  return inside_->regression.waiting_rows();
}
std::uint64_t DurableRegression::unusable_rows_for_operator() const {
  return inside_->regression.unusable_rows_for_operator();
}
std::uint64_t DurableRegression::over_limit_rows_for_operator() const {
  return inside_->regression.over_limit_rows_for_operator();
}
std::uint64_t DurableRegression::distorted_rows_for_operator() const {
  return inside_->regression.distorted_rows_for_operator();
}
const std::string& DurableRegression::path() const {
  return inside_->file.path();
}

}  // namespace rivulet
