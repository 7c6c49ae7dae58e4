#include "rivulet/durable_regression.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fit/mechanism.h"
#include "log/statistics_bytes.h"
#include "regression/regression_state.h"
#include "rivulet/error.h"
#include "store/model_file.h"
#include "store/sensitive_half.h"

namespace rivulet {
namespace {

constexpr std::size_t kEnoughSteps = 4096;
constexpr std::size_t kEnoughBytes = std::size_t{64} << 20;
// A commit keeps them in one place of the file, which has room for 10^9 bytes.
constexpr std::size_t kMostBytes = std::size_t{512} << 20;

}  // namespace

struct DurableRegression::Inside {
  explicit Inside(const std::string& path) : file(path), regression(restored()) {
    file.begin_writing();
    // A run that was interrupted between the two transactions of a commit left these behind.
    if (!drawn.empty()) (void)publish(store::source_bytes(doors, source), "");
  }

  // What the file holds has passed its digests; that it makes sense to the mechanism is checked here.
  IncrementalRegression restored() {
    try {
      const log::Promise& promise = *file.half().promise();
      IncrementalRegression result(promise.options, promise.plan);
      RegressionState state;
      std::string stored;
      file.read(state, drawn, stored, delivered);
      std::tie(doors, source) = store::parse_source(stored, file.path());
      result.leave_models();
      // The search for the next model begins where it would have if nothing had been interrupted.
      if (promise.options.sketch && file.steps() > 0) last_solution = file.half().read(file.steps()).model.theta;
      result.restore(state);
      counted_rows = result.released_rows() + result.waiting_rows();
      if (result.step() == file.steps() + drawn.size()) return result;
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
    if (drawn_bytes() >= kMostBytes) {
      throw RequestError("commit",
                         std::to_string(drawn.size()) +
                             " steps wait for a commit, which is as much as one takes; accepted: commit them, "
                             "then more rows. No row was taken");
    }
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

  // All have the same size.
  [[nodiscard]] std::size_t drawn_bytes() const {
    if (drawn.empty()) return 0;
    return drawn.size() * sizeof(double) * (drawn[0].gram.size() / 2 + 2 * drawn[0].cross.size() + 8);
  }

  bool keep_release(bool released) {
    if (!released) return false;
    broken = true;  // until it is kept: its noise is drawn, and a commit without it would lose a step
    drawn.push_back(regression.statistics());
    broken = false;
    return true;
  }

  // Nothing that depends on what was drawn happens before it is on disk: a model whose search fails, or takes too long,
  // or too much memory, cannot have another one drawn in its place.
  std::vector<Release> commit(std::string_view new_source, std::string_view event) {
    require_sound();
    broken = true;  // until it is on disk
    std::string kept_source(new_source);
    const std::uint64_t rows = regression.released_rows() + regression.waiting_rows();
    std::vector<Door> kept_doors = store::through(doors, door, rows - counted_rows);
    const std::string bytes = store::source_bytes(kept_doors, new_source);
    {
      RegressionState state;
      regression.save(state);
      file.keep(drawn, {state, bytes, delivered, !announced, event});
    }
    std::vector<Release> published;
    if (!drawn.empty()) published = publish(bytes, event);
    source.swap(kept_source);
    doors.swap(kept_doors);
    counted_rows = rows;
    announced = true;
    broken = false;
    return published;
  }

  std::vector<Release> publish(std::string_view kept_source, std::string_view event) {
    std::vector<Model> models;
    models.reserve(drawn.size());
    for (const Statistics& statistics : drawn) {
      models.push_back(regression.solve(statistics, last_solution));
      if (regression.options().sketch) last_solution = models.back().theta;
    }
    RegressionState state;
    regression.save(state);
    return file.publish(std::exchange(drawn, {}), std::move(models), {state, kept_source, delivered, false, event});
  }

  store::ModelFile file;
  std::string source;
  std::vector<Door> doors;
  std::string door;                // rows come through it now; empty: `source` tells of them
  std::uint64_t counted_rows = 0;  // at the last commit
  std::uint64_t delivered = 0;
  std::vector<Statistics> drawn;      // since the last commit
  std::vector<double> last_solution;  // with a sketch: of the step before
  IncrementalRegression regression;
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
  return store::parse_source(store::read_source(path), path).second;
}

std::vector<Door> DurableRegression::doors_of(const std::string& path) {
  return store::parse_source(store::read_source(path), path).first;
}

void DurableRegression::set_door(std::string name) {
  inside_->door = std::move(name);
}

const std::vector<Door>& DurableRegression::doors() const {
  return inside_->doors;
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

RowBatch DurableRegression::make_batch() const {
  return inside_->regression.make_batch();
}

RowBatch DurableRegression::batch_from_trusted_transport(const SensitiveBatchBytes& bytes) const {
  return inside_->regression.batch_from_trusted_transport(bytes);
}

bool DurableRegression::absorb(RowBatch&& batch) {
  return inside_->take([&] { return inside_->regression.absorb(std::move(batch)); });
}

std::array<unsigned char, 32> DurableRegression::promise_digest() const {
  return inside_->regression.promise_digest();
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
  return inside_->drawn.size();
}

bool DurableRegression::commit_is_due() const {
  return waiting_releases() >= kEnoughSteps || inside_->drawn_bytes() >= kEnoughBytes;
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
std::uint64_t DurableRegression::rows() const {
  return inside_->regression.released_rows() + waiting_rows();
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
