// Private incremental regression: what PrivIncReg1 (priv_inc_reg1.h), PrivIncReg2 (priv_inc_reg2.h) and PrivIncERM
// (priv_inc_erm.h) have in common.
//
// Rows arrive one at a time; after every `release_every` rows the model of everything seen so far may be published. All
// publications together are (epsilon, delta)-differentially private for every row, for as long as the stream lasts.
// Which mechanism runs is for the options to say: PrivIncReg2 when they ask for a sketch, PrivIncERM when they say how
// (StreamOptions::erm), PrivIncReg1 else. Not thread-safe;
// RowBatch gathers rows on other threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rivulet/model.h"
#include "rivulet/row_batch.h"
#include "rivulet/sparse_row.h"
#include "rivulet/stream_options.h"

namespace rivulet {

namespace fit {
class StreamPlan;
}
struct RegressionState;

class IncrementalRegression {
 public:
  // Throws RequestError, before any row is seen, when the request cannot be honoured.
  explicit IncrementalRegression(const StreamOptions& options);
  IncrementalRegression(IncrementalRegression&&) noexcept;
  IncrementalRegression& operator=(IncrementalRegression&&) noexcept;
  IncrementalRegression(const IncrementalRegression&) = delete;  // a copy would publish the same steps twice
  IncrementalRegression& operator=(const IncrementalRegression&) = delete;
  ~IncrementalRegression();

  // Takes one row: schema().row_width() values in schema order and the target, in the user's units; NaN marks a missing
  // value. A row that cannot be used counts as a zero row. Returns true when the row completed a step, so that a new
  // release is out. Throws HorizonExceeded, taking nothing, when the promised steps are used up; RequestError on a row
  // of the wrong width.
  bool observe(std::span<const double> values, double target);
  // The same when the promise is for units: `unit` identifies the row's. An empty one makes the row a zero row.
  bool observe(std::span<const double> values, double target, std::string_view unit);
  // The same for a row that is mostly zeros: with a sketch the time depends on the others alone.
  bool observe(const SparseRow& row, double target);
  bool observe(const SparseRow& row, double target, std::string_view unit);
  // Row-major values (rows x row_width()). Returns the number of releases made.
  std::uint64_t observe_many(std::span<const double> values, std::span<const double> targets);

  // A batch for this stream, or any other with the same promise. Not when the promise is for units, and not for
  // PrivIncERM: RequestError.
  [[nodiscard]] RowBatch make_batch() const;
  // A batch that another process sent. Throws DamagedFile when the bytes are not those of a batch, whole and unchanged;
  // RequestError when it was gathered for another promise, and as make_batch().
  [[nodiscard]] RowBatch batch_from_trusted_transport(const SensitiveBatchBytes& bytes) const;
  // Takes the batch's rows over and leaves it empty. Returns as observe() does. Throws RequestError when the rows do
  // not fit the current step or are for another promise, HorizonExceeded as observe(); the batch then stays as it was.
  bool absorb(RowBatch&& batch);
  // 32 bytes that name the promise: what was asked for and what was decided. The same in every process with the same
  // settings; streams take batches of equal digests. Public. RequestError where there are no batches.
  [[nodiscard]] std::array<unsigned char, 32> promise_digest() const;

  // Ends a step early, e.g. at the end of the input. Returns false, doing nothing, when no row has come since the last
  // step.
  bool flush();

  // Releases so far.
  [[nodiscard]] std::uint64_t step() const;
  // Rows in those releases; rows of the step under way are not among them.
  [[nodiscard]] std::uint64_t released_rows() const;
  // Private statistics and the model as of the last release. step() must be at least 1. With a sketch the statistics
  // are those of the sketched rows, and the search for a model begins at the last one that was asked for. PrivIncERM
  // has no statistics: their dimension is 0. With classes a model's predictions are scores, log-odds of the positive
  // class for the logistic loss.
  [[nodiscard]] Statistics statistics() const;
  [[nodiscard]] Model model();

  // Defaults filled in: what `auto` stood for, the seed of the sketch.
  [[nodiscard]] const StreamOptions& options() const;
  // The mechanism's public description (noise, sensitivity, accounting): what `rivulet plan` prints. Its type is
  // internal to Rivulet.
  [[nodiscard]] const fit::StreamPlan& plan() const;

  // For the operator's eyes only: an exact count of rows that could not be used. NOT private; never publish it.
  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const;
  // Those among them that came after their unit's last row that counts.
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const;
  // Rows whose length the sketch changed to less than half or more than twice before it was corrected: none to speak of
  // unless somebody aims at the sketch. 0 without a sketch.
  [[nodiscard]] std::uint64_t distorted_rows_for_operator() const;
  // Rows of the step under way.
  [[nodiscard]] std::uint64_t waiting_rows() const;

 private:
  // Going on from a saved state is for the model file alone: it sees to it that no step is published twice.
  friend class DurableRegression;
  IncrementalRegression(const StreamOptions& options, const fit::StreamPlan& plan);
  void save(RegressionState& out);
  void restore(const RegressionState& state);
  // It keeps what was drawn, and asks for models afterwards (src/regression/engine.h).
  void leave_models();
  Model solve(const Statistics& statistics, std::span<const double> start);

  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet
