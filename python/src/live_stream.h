// A private stream as Python holds it: in memory, or in a model file. Threads take turns; a copy of the process (fork)
// is refused, because it would publish the same steps again.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fingerprint.h"
#include "one_row.h"
#include "published.h"
#include "rivulet/durable_regression.h"
#include "rivulet/incremental_regression.h"
#include "rivulet/process_mark.h"
#include "rows.h"

namespace rivulet::python {

class LiveStream {
 public:
  // In memory without a path. `history`: how many of the newest releases are kept there, as many as 64 MiB hold unless
  // given.
  LiveStream(const StreamOptions& options, const std::optional<std::string>& path, bool autocommit,
             std::optional<std::size_t> history);
  // Goes on with a model file.
  LiveStream(const std::string& path, bool autocommit);

  // All need the GIL, and let go of it while they work or wait.
  bool observe(nanobind::handle x, nanobind::handle y, nanobind::handle unit);
  std::uint64_t take(Rows& rows);
  bool flush();
  void commit();
  void close();
  // Ends the run as a crash would: what was not committed is forgotten.
  void abandon();

  // From now on rows leave keyed hashes behind (fingerprint.h).
  void watch();
  [[nodiscard]] Fingerprint fingerprint();

  [[nodiscard]] std::uint64_t step();
  [[nodiscard]] std::uint64_t rows();
  [[nodiscard]] std::uint64_t waiting_rows();
  [[nodiscard]] std::uint64_t waiting_releases();
  [[nodiscard]] std::uint64_t first_kept();
  [[nodiscard]] bool is_closed() const { return closed_; }
  [[nodiscard]] PublishedRelease at(std::uint64_t step);
  [[nodiscard]] std::vector<PublishedRelease> range(std::uint64_t from, std::uint64_t to);
  [[nodiscard]] const StreamOptions& options() const { return options_; }
  [[nodiscard]] const std::optional<std::string>& path() const { return path_; }
  [[nodiscard]] nanobind::dict operator_counts();

 private:
  struct Kept {
    Statistics statistics;
    std::optional<Model> model;  // solved when asked for; with a sketch at once, because each search begins at the last
  };
  class Turn;

  template <typename Use>
  auto with_regression(Use use) {
    return durable_ ? use(*durable_) : use(*memory_);
  }
  void end_run();
  [[nodiscard]] std::uint64_t counted_rows();
  bool observe_values(std::span<const double> values, double target, const std::string_view* unit);
  bool observe_sparse(const SparseRow& row, double target, const std::string_view* unit);
  bool kept(bool released);
  void keep_release();
  void commit_if_due(bool released);
  void require_row_kind(bool has_unit) const;
  void warn_forgotten_target() const;
  [[nodiscard]] PublishedRelease publish(Kept& kept);
  [[nodiscard]] std::uint64_t last_step() const;
  [[nodiscard]] std::uint64_t released_rows() const;
  void require_published(std::uint64_t step) const;

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
  ProcessMark process_;  // that made the stream
  std::unique_ptr<IncrementalRegression> memory_;
  std::unique_ptr<DurableRegression> durable_;
  StreamOptions options_;
  std::shared_ptr<const Schema> schema_;
  std::optional<std::string> path_;
  bool autocommit_ = true;
  bool slow_rows_ = false;  // a row may take longer than letting go of the GIL does
  bool closed_ = false;
  OneRow one_row_;
  std::unique_ptr<Fingerprint> watched_;
  std::optional<std::size_t> history_limit_;
  std::deque<Kept> history_;  // the newest releases of a stream in memory
  std::optional<Refit> own_fit_;
  std::unique_ptr<ReleaseLog> log_;  // of a file that was closed: others may write to it now
  std::uint64_t closed_rows_ = 0;

  [[nodiscard]] bool has_slow_rows() const;
};

void bind_live_stream(nanobind::module_& module);

}  // namespace rivulet::python
