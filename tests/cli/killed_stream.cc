#include "cli/killed_stream.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "rivulet/error.h"
#include "rivulet/release_log.h"

namespace rivulet::cli_testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// Longer than rows and releases of a busy source wait for the commit they share.
constexpr std::chrono::milliseconds kLongerThanTheCommitInterval{105};

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Traces {
  std::filesystem::file_time_type log;
  std::uintmax_t releases = 0;
  bool operator==(const Traces&) const = default;
};

Traces traces_of(const std::string& log, const std::string& releases) {
  std::error_code none;
  return {std::filesystem::last_write_time(log, none), std::filesystem::file_size(releases, none)};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const KilledStream::Counts& counts) {
  return out << counts.kills << " kills, " << counts.before_the_end << " before the last row, " << counts.progress
             << " after progress, " << counts.unpublished << " with committed releases not yet published, "
             << counts.cut_off << " within a line, " << counts.without_a_model << " before there was a model, "
             << counts.unfinished << " of them while it was made";
}

KilledStream::KilledStream(Setup setup) : setup_(std::move(setup)), random_(setup_.seed) {}

microseconds KilledStream::up_to(double milliseconds) {
  return microseconds(
      std::uniform_int_distribution<std::int64_t>(0, static_cast<std::int64_t>(1000 * milliseconds))(random_));
}

void KilledStream::pass(Process& process, microseconds time) const {
  if (setup_.piped.empty()) {
    std::this_thread::sleep_for(time);
  } else {
    process.pass(std::chrono::ceil<std::chrono::milliseconds>(time));
  }
}

void KilledStream::kill(int times) {
  // One that has come to its end is killed while it finds out that there is nothing to do.
  for (int started = 0; counts_.kills < times && started < 2 * times; ++started) {
    kill_once(counts_.kills, times);
    check_releases();
    check_model();
    if (::testing::Test::HasFatalFailure()) return;
    if (last_rows_ < setup_.rows) counts_.before_the_end = counts_.kills;
    if (setup_.grow && last_rows_ + setup_.rows / 20 > setup_.rows) setup_.rows = setup_.grow();
  }
}

void KilledStream::kill_once(int done, int times) {
  constexpr Moment kMoments[] = {Moment::early, Moment::anywhere, Moment::around_a_commit, Moment::around_a_commit};
  const Moment moment = kMoments[random_() % std::size(kMoments)];
  // The kills are to be spread over the whole stream.
  const bool ahead = last_rows_ * static_cast<std::uint64_t>(times) > setup_.rows * static_cast<std::uint64_t>(done);
  const Traces before = traces_of(file("m-wal"), file("r"));
  const auto null = Stream::file("/dev/null");
  Process process(setup_.command,
                  Wiring().with_in(setup_.piped.empty() ? null : Stream{}).with_out(null).with_err(null));
  if (!setup_.piped.empty()) {
    process.write(setup_.piped);
    process.close_input_when_delivered();
  }
  if (moment == Moment::early) {
    pass(process, up_to(8));
  } else if (moment == Moment::anywhere) {
    pass(process, up_to(60));
  } else {
    // Time passes and no row is taken: the next release is committed at once, and killed near that.
    pass(process, up_to(ahead ? 3 : 30));
    process.send(SIGSTOP);
    std::this_thread::sleep_for(kLongerThanTheCommitInterval);
    process.send(SIGCONT);
    const auto deadline = Clock::now() + std::chrono::seconds(1);
    while (traces_of(file("m-wal"), file("r")) == before && Clock::now() < deadline) pass(process, microseconds(100));
    pass(process, up_to(random_() % 2 == 0 ? 0.5 : 4));
  }
  end(process);
}

void KilledStream::kill_in_its_first(std::chrono::milliseconds time) {
  const auto null = Stream::file("/dev/null");
  Process process(setup_.command, Wiring().with_in(null).with_out(null).with_err(null));
  pass(process, up_to(static_cast<double>(time.count())));
  end(process);
  check_releases();
  check_model();
}

void KilledStream::end(Process& process) {
  process.send(setup_.signal);
  const Outcome outcome = process.finish();
  if (outcome.signal == setup_.signal) {
    ++counts_.kills;
    return;
  }
  const bool is_early = outcome.exit_code == 130 && !std::filesystem::exists(file("m"));
  ASSERT_TRUE(outcome.exit_code == 0 || is_early) << "it ended by itself with " << outcome.exit_code;
  if (setup_.signal != SIGKILL) ++counts_.kills;
}

void KilledStream::check_releases() {
  std::string text = bytes_of(file("r"));
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole < text.size()) ++counts_.cut_off;
  text.resize(whole);
  ASSERT_TRUE(text.starts_with(seen_)) << "what was published has changed";
  for (std::size_t begin = seen_.size(); begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const auto line = nlohmann::json::parse(text.substr(begin, end - begin), nullptr, false);
    ASSERT_TRUE(line.is_object()) << text.substr(begin, end - begin);
    ASSERT_EQ(line["step"], last_step_ + 1);
    ASSERT_GT(line["rows"], last_rows_);
    last_step_ = line["step"];
    last_rows_ = line["rows"];
    last_chain_ = line["chain"];
    begin = end + 1;
  }
  seen_ = std::move(text);
}

void KilledStream::check_model() {
  if (!std::filesystem::exists(file("m"))) {
    ++counts_.without_a_model;
    for (const auto& entry : std::filesystem::directory_iterator(setup_.folder)) {
      const std::string name = entry.path().filename();
      const bool has_no_name_yet = name.starts_with("m.") && name.find('-') == std::string::npos;
      counts_.unfinished += has_no_name_yet ? 1 : 0;
      if (has_no_name_yet) std::filesystem::remove(entry.path());
    }
    ASSERT_EQ(last_step_, 0U) << "published from no model";
    return;
  }
  // A look at the files themselves would mend what the next run has to mend.
  const std::string look = setup_.folder / "look";
  std::error_code none;
  std::filesystem::copy_file(file("m"), look, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(look + "-wal");
  std::filesystem::remove(look + "-shm");
  std::filesystem::copy_file(file("m-wal"), look + "-wal", none);
  try {
    const ReleaseLog log(look);
    const std::uint64_t committed = log.last_step();
    ASSERT_GE(committed, last_step_) << "published before it was safe";
    ASSERT_GE(committed, committed_) << "a commit was lost";
    const std::string chain = last_step_ == 0 ? "" : log.at(last_step_).chain;
    ASSERT_EQ(chain, last_chain_) << "published something else than it kept";
    if (committed > last_step_) ++counts_.unpublished;
    if (committed > committed_) ++counts_.progress;
    committed_ = committed;
  } catch (const Error& error) {
    FAIL() << "the model cannot be read: " << error.what();
  }
}

void KilledStream::finish() {
  Process process(setup_.last_command.empty() ? setup_.command : setup_.last_command,
                  Wiring().with_out(Stream::file("/dev/null")));
  process.write(setup_.piped);
  process.close_input_when_delivered();
  const Outcome outcome = process.finish();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  check_releases();
  check_model();
  ASSERT_EQ(last_step_, committed_) << "everything that was kept is published";
  ASSERT_EQ(last_rows_, setup_.rows) << "every row of the input, and no more";
}

}  // namespace rivulet::cli_testing
