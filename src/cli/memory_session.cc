// `rivulet fit` without a model file: releases are handed on as they are made, and gone with the process.
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/fit_session.h"
#include "cli/operator_counts.h"
#include "cli/release_writer.h"
#include "input/byte_source.h"
#include "input/row_source.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

// "-" is the stream given; nothing when the path leads to no regular file, which no writing can destroy.
std::optional<struct stat> regular_file(const std::string& path, int stream) {
  struct stat status {};
  const int result = path == "-" ? fstat(stream, &status) : stat(path.c_str(), &status);
  return result == 0 && S_ISREG(status.st_mode) ? std::optional(status) : std::nullopt;
}

class MemorySession final : public FitSession {
 public:
  MemorySession(const FitJob& job)
      : regression_(job.request()),
        source_(job.input.value_or("-"), &stop_flag()),
        rows_(input::open_rows(source_, regression_.options().schema,
                               {.format = job.row_format(),
                                .delimiter = job.delimiter.value_or(','),
                                .unit_column = unit_column(regression_.options())})),
        on_stdout_(job.releases == "-") {
    if (job.releases) {
      if (const auto earlier = regular_file(*job.releases, STDOUT_FILENO);
          *job.releases != "-" && !regression_.options().insecure_seed && earlier && earlier->st_size != 0) {
        tell(
            "rivulet: the file of releases was not empty and is overwritten; if it held releases of the same rows, "
            "these "
            "are a second publication, and the budgets of the two add up (with --model a stream goes on instead)\n");
      }
      writer_ = std::make_unique<ReleaseWriter>(*job.releases, release_form(regression_.options(), regression_.plan()),
                                                !source_.total_bytes());
    }
  }

  bool begin(Progress& /*progress*/) override { return true; }
  input::RowSource& rows() override { return *rows_; }
  [[nodiscard]] const input::FileSource& source() const override { return source_; }

  bool observe(const input::Row& row) override {
    const bool released = observe_row(regression_, row);
    account_.took(row, rows_->tally(), regression_);
    return !released || publish();
  }
  bool end_of_input() override { return !regression_.flush() || publish(); }
  bool finish() override { return !writer_ || writer_->flush(); }

  [[nodiscard]] std::uint64_t step() const override { return regression_.step(); }
  [[nodiscard]] const StreamOptions& options() const override { return regression_.options(); }
  Statistics last_statistics() override { return regression_.statistics(); }
  Model last_model() override { return regression_.model(); }
  [[nodiscard]] bool releases_on_stdout() const override { return on_stdout_; }
  [[nodiscard]] OperatorCounts counts() const override { return account_.counts(regression_); }

 private:
  bool publish() { return !writer_ || writer_->write(regression_.model()); }

  IncrementalRegression regression_;
  input::FileSource source_;
  std::unique_ptr<input::RowSource> rows_;
  bool on_stdout_;
  RowAccount account_;
  std::unique_ptr<ReleaseWriter> writer_;
};

}  // namespace

void refuse_overwriting(const std::string& releases, const std::string& read, const std::string& what) {
  const auto written = regular_file(releases, STDOUT_FILENO);
  const auto source = regular_file(read, STDIN_FILENO);
  if (written && source && written->st_dev == source->st_dev && written->st_ino == source->st_ino) {
    throw RequestError("releases",
                       "'" + releases + "' is the " + what + " itself; accepted: another file; it was left untouched");
  }
}

std::unique_ptr<FitSession> make_memory_session(const FitJob& job) {
  return std::make_unique<MemorySession>(job);
}

}  // namespace rivulet::cli
