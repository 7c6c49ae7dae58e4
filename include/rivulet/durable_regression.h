// IncrementalRegression whose life is in a model file: it survives crashes, restarts and full disks without ever
// publishing a step twice, losing a published release or counting a row twice.
//
//   auto regression = rivulet::DurableRegression::create("survey.rivulet", options);   // or open("survey.rivulet")
//   while (next_row(values, target)) {
//     regression.observe(values, target);
//     if (time_to_commit()) for (const rivulet::Release& release : regression.commit(position)) publish(release);
//   }
//   for (const rivulet::Release& release : regression.close(position)) publish(release);
//
// Draw, commit, then solve. A step that is closed has its noise drawn and stays inside, out of everybody's reach.
// commit() writes all of them, the kernel's state and the caller's source position to disk in one transaction; then it
// finds their models, writes those, and hands the releases out. After a crash, open() goes on from the last commit: the
// rows since then are as if never seen and must be fed again, from the stored position; a step that was not committed
// was never published and draws fresh noise; one that was is never drawn again, even if the crash came before its model
// was found: open() finds it then, from the same numbers. Of PrivIncERM, which draws while it solves, what decides the
// draws is committed first.
//
// The file. SQLite, readable by its owner alone (0600): besides the releases it holds the kernel's exact sums, which
// are sensitive. ReleaseLog::export_to() writes the public half to a file that is safe to hand out. One process at a
// time may have a model open for writing. Meanwhile, and after a crash, the last commits are in a second file beside
// it, its name with "-wal" behind: the two are moved and copied together, or after an orderly end. A model that lost
// its log is refused.
//
// An old copy of the file, put back behind releases that were already published, would publish those steps again with
// other noise. Nothing inside the file can tell; the place the releases went to can: require_published() with the last
// step and chain value known there refuses to go on.
//
// Cost of a commit: one fsync (a few more for the first of a run and now and then), O(d^2) bytes, O(d^2) for each
// release, and the time its model takes. Memory: that of IncrementalRegression and of the releases since the last
// commit. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/incremental_regression.h"
#include "rivulet/release_log.h"

namespace rivulet {

// Rows that no position in `source` tells of, by the door they came through.
struct Door {
  std::string name;
  std::uint64_t rows = 0;
  bool operator==(const Door&) const = default;
};

class DurableRegression {
 public:
  // Throws RequestError as IncrementalRegression does, IoError when the file exists already or cannot be made.
  static DurableRegression create(const std::string& path, const StreamOptions& options);
  // Throws IoError (no such file, read-only), DamagedFile, ModelConflict when another process has it open. All releases
  // are read and checked first; a file that is refused is left as it was.
  static DurableRegression open(const std::string& path);

  // For the operator's eyes only: source() of a model that may be in use, without opening it for writing. Sensitive.
  static std::string source_of(const std::string& path);
  // The same of doors().
  static std::vector<Door> doors_of(const std::string& path);

  DurableRegression(DurableRegression&&) noexcept;
  DurableRegression& operator=(DurableRegression&&) noexcept;
  // Forgets what was not committed.
  ~DurableRegression();

  // As IncrementalRegression::observe(); the step, if the row completed one, waits for commit(). After a failed
  // commit() every call throws Error: what is on disk is the truth, open() it again.
  bool observe(std::span<const double> values, double target);
  bool observe(std::span<const double> values, double target, std::string_view unit);
  bool observe(const SparseRow& row, double target);
  bool observe(const SparseRow& row, double target, std::string_view unit);
  bool flush();
  // As those of IncrementalRegression. Absorbed rows are committed like observed ones: those since the last commit are
  // lost in a crash and must be absorbed again, those before must not; `source` is where to write down which is which.
  [[nodiscard]] RowBatch make_batch() const;
  [[nodiscard]] RowBatch batch_from_trusted_transport(const SensitiveBatchBytes& bytes) const;
  bool absorb(RowBatch&& batch);
  [[nodiscard]] std::array<unsigned char, 32> promise_digest() const;

  // Makes everything so far durable, together with `source` (where to go on reading: any bytes, kept in the sensitive
  // half). Returns the releases that may be published now, oldest first. Throws IoError when the disk refuses, and
  // passes on what a search for a model throws: the steps are on disk then, and open() gets their models.
  std::vector<Release> commit(std::string_view source);
  // The same, and notes in the ledger that this run ended; nothing can be observed afterwards.
  std::vector<Release> close(std::string_view source);

  // From now on rows come through a door that leaves no position in `source`, e.g. "python": commit() counts them under
  // this name, in the order they came. Whoever reads rows from a file later is to know that they may be among its own.
  void set_door(std::string name);

  // As of the last commit().
  [[nodiscard]] const std::vector<Door>& doors() const;
  [[nodiscard]] const std::string& source() const;
  [[nodiscard]] std::uint64_t committed_step() const;
  // Steps closed since, waiting for commit().
  [[nodiscard]] std::size_t waiting_releases() const;
  // Whether they are as many as a commit had better take at a time: some thousands, or 64 MiB of statistics. From
  // 512 MiB on no row is taken before they are committed: RequestError.
  [[nodiscard]] bool commit_is_due() const;

  // Committed releases, both ends included, e.g. those that a crash kept from being published.
  [[nodiscard]] std::vector<Release> committed(std::uint64_t from, std::uint64_t to) const;
  // What the place the releases go to has last seen: throws ModelConflict unless this model published exactly that.
  // Step 0 is always right.
  void require_published(std::uint64_t step, std::string_view chain) const;
  // For places that cannot be asked: the last step known to have been handed on, stored with the next commit.
  [[nodiscard]] std::uint64_t delivered() const;
  void set_delivered(std::uint64_t step);

  // The request, defaults filled in, and the mechanism as it was decided (its type is internal to Rivulet).
  [[nodiscard]] const StreamOptions& options() const;
  [[nodiscard]] const fit::StreamPlan& plan() const;
  // Rows of the step under way.
  [[nodiscard]] std::uint64_t waiting_rows() const;
  // All rows taken so far, unusable ones and those of the step under way included.
  [[nodiscard]] std::uint64_t rows() const;
  // For the operator's eyes only, as those of IncrementalRegression. NOT private; never publish them.
  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const;
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const;
  [[nodiscard]] std::uint64_t distorted_rows_for_operator() const;
  [[nodiscard]] const std::string& path() const;

 private:
  struct Inside;
  explicit DurableRegression(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet
