#include "rivulet/release_log.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "log/database.h"
#include "log/files.h"
#include "log/promise.h"
#include "log/public_half.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

constexpr std::string_view kExportNotice =
    "Made by Rivulet. The public half of a model: what was promised and every release published under that promise. "
    "Safe "
    "to hand out; read it with rivulet refit, summary, inspect or predict.";

// Releases read at a time: enough for speed, few enough for memory.
constexpr std::size_t kBytesAtATime = std::size_t{1} << 22;

std::size_t releases_at_a_time(std::size_t dimension) {
  return std::clamp<std::size_t>(kBytesAtATime / (sizeof(double) * (dimension * dimension + 1)), 1, 1024);
}

}  // namespace

struct ReleaseLog::Inside {
  log::Reader reader;
};

ReleaseLog::ReleaseLog(const std::string& path) : inside_(new Inside{log::Reader(path)}) {}
ReleaseLog::ReleaseLog(ReleaseLog&&) noexcept = default;
ReleaseLog& ReleaseLog::operator=(ReleaseLog&&) noexcept = default;
ReleaseLog::~ReleaseLog() = default;

const StreamOptions& ReleaseLog::options() const {
  return inside_->reader.promise()->options;
}
bool ReleaseLog::is_export() const {
  return inside_->reader.kind() == log::FileKind::exported;
}
const fit::StreamPlan& ReleaseLog::plan() const {
  return inside_->reader.promise()->plan;
}
const std::string& ReleaseLog::made_by() const {
  return inside_->reader.promise()->made_by;
}
std::uint64_t ReleaseLog::last_step() const {
  return inside_->reader.read([](log::ReadConnection& file) { return file.half.tip().step; });
}

Release ReleaseLog::at(std::uint64_t step) const {
  const std::uint64_t last = last_step();
  if (last == 0) throw RequestError("at", "nothing has been released yet");
  if (step < 1 || step > last) {
    throw RequestError("at", std::to_string(step) + " is not a release; accepted: 1 to " + std::to_string(last));
  }
  return inside_->reader.read([&](log::ReadConnection& file) { return file.half.read(step); });
}

void ReleaseLog::for_each(std::uint64_t from, std::uint64_t to,
                          const std::function<void(const Release&)>& visit) const {
  const std::uint64_t last = std::min(to, last_step());
  const std::size_t at_a_time = releases_at_a_time(inside_->reader.promise()->plan.statistics_dimension());
  for (std::uint64_t next = std::max<std::uint64_t>(from, 1); next <= last;) {
    // Nothing stays open while the visitor is busy, whatever it does with the file.
    const auto releases = inside_->reader.read([&](log::ReadConnection& file) {
      std::vector<Release> some;
      file.half.scan(next, std::min(last, next + at_a_time - 1),
                     [&](const Release& release) { some.push_back(release); });
      return some;
    });
    if (releases.empty()) {
      throw DamagedFile("model: '" + inside_->reader.path() + "': releases disappeared while they were being read");
    }
    for (const Release& release : releases) visit(release);
    next += releases.size();
  }
}

std::vector<LedgerEntry> ReleaseLog::ledger() const {
  return inside_->reader.read([](log::ReadConnection& file) { return file.half.ledger(); });
}

void ReleaseLog::verify() const {
  inside_->reader.read([](log::ReadConnection& file) {
    log::check_pages(file.database);
    file.half.scan(1, std::numeric_limits<std::uint64_t>::max(), [](const Release&) {});
    return file.half.ledger();
  });
}

void ReleaseLog::export_to(const std::string& path) const {
  std::optional<log::UnfinishedFile> unfinished;
  inside_->reader.read([&](log::ReadConnection& file) {
    unfinished.emplace(path, 0644, "export");
    {
      log::Database destination(unfinished->path(), log::Database::Mode::write);
      // Until it has its name nobody minds what becomes of it.
      destination.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
      const log::Snapshot snapshot(file.database);
      log::Transaction transaction(destination);
      log::create_public_half(destination, log::FileKind::exported, file.half.promise()->format_version(),
                              kExportNotice);
      file.half.copy_to(destination);
      transaction.commit();
    }
    ReleaseLog(unfinished->path()).verify();
    return 0;
  });
  unfinished->finish();
}

}  // namespace rivulet
