// The public half of a model file, or an export of it: what was promised, and every release ever published under that
// promise, with the private statistics it was made from. Everything here is safe to hand out, and enough to refit.
//
//   rivulet::ReleaseLog log("survey.rivulet");
//   const rivulet::Release last = log.at(log.last_step());
//
// Reading changes nothing on disk and does not disturb a process that is writing. What is read is checked: a release
// that is damaged, missing or out of place is an error (DamagedFile), never a number. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rivulet/incremental_regression.h"
#include "rivulet/model.h"

namespace rivulet {

struct Release {
  Statistics statistics;
  Model model;        // as it was published
  std::string chain;  // hexadecimal digest of this release and, through it, of all before it
};

// What happened to the model, in order: "promise" once, then "opened" and "closed" for each run that wrote to it.
struct LedgerEntry {
  std::uint64_t entry = 0;
  std::string time;  // UTC, ISO 8601
  std::string event;
  std::uint64_t step = 0;  // releases so far
  std::uint64_t rows = 0;  // rows in them
  std::string detail;
};

class ReleaseLog {
 public:
  // Throws IoError when there is no such file or it cannot be read, DamagedFile when it is no Rivulet file, damaged,
  // cut short or made by a newer version.
  explicit ReleaseLog(const std::string& path);
  ReleaseLog(ReleaseLog&&) noexcept;
  ReleaseLog& operator=(ReleaseLog&&) noexcept;
  ~ReleaseLog();

  // The stream's request, defaults filled in.
  [[nodiscard]] const StreamOptions& options() const;
  [[nodiscard]] bool is_export() const;
  // The mechanism as it was decided when the model was made. Its type is internal to Rivulet.
  [[nodiscard]] const fit::StreamPlan& plan() const;
  // The version that made the file.
  [[nodiscard]] const std::string& made_by() const;

  // Of the last release on disk now; 0 when there is none. A model that is being written to grows between calls.
  [[nodiscard]] std::uint64_t last_step() const;
  // Throws RequestError naming "at" when there is no such step.
  [[nodiscard]] Release at(std::uint64_t step) const;
  // In order, both ends included; steps beyond the last are not an error.
  void for_each(std::uint64_t from, std::uint64_t to, const std::function<void(const Release&)>& visit) const;
  [[nodiscard]] std::vector<LedgerEntry> ledger() const;

  // Reads and checks everything. Throws DamagedFile.
  void verify() const;
  // Writes the public half, nothing else, to a new file that is safe to hand out. Throws IoError when it cannot be
  // written or exists already; then there is no such file afterwards, or the one that was there.
  void export_to(const std::string& path) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet
