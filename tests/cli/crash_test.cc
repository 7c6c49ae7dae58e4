// A stream killed at any moment, hundreds of times: it publishes what it would have published in one go, no row is lost
// or counted twice, and no step is published twice.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "cli/class_fixture.h"
#include "cli/durable_fixture.h"
#include "cli/exact_state.h"
#include "cli/killed_stream.h"
#include "cli/sparse_fixture.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

class Crash : public DurableTest {
 protected:
  // Real noise unless there is a seed.
  [[nodiscard]] Flags flags(const std::string& release_every) const {
    return durable(fit_flags().without("--insecure-seed").with("--release-every", release_every));
  }

  void expect_the_exact_state(const std::vector<ExactRow>& rows) const {
    expect_releases_are_the_models();
    const std::string stored = stored_kernel_state(path("m"));
    ASSERT_FALSE(stored.empty());
    EXPECT_TRUE(stored == exact_kernel_state(path("m"), rows)) << "rows were lost, counted twice or mixed up";
  }
};

struct CrashCase {
  const char* name;
  const char* release_every;
  std::size_t rows;
  int kills;
};

// RIVULET_KILLS=2000 crash_test: a longer night, with as many more rows.
int times_longer(int kills) {
  const char* wanted = std::getenv("RIVULET_KILLS");
  return wanted == nullptr ? 1 : std::max(1, std::atoi(wanted) / kills);
}

class CrashOfAFile : public Crash, public ::testing::WithParamInterface<CrashCase> {};

TEST_P(CrashOfAFile, AStreamThatIsKilledAgainAndAgainCountsEveryRowOnce) {
  const int times = times_longer(GetParam().kills);
  auto rows = exact_rows(GetParam().rows * static_cast<std::size_t>(times), 1);
  const std::string input = write("d.csv", csv_of(rows));
  const auto grow = [&, seed = 100U]() mutable {
    const auto more = exact_rows(GetParam().rows, ++seed);
    const std::string text = csv_of(more);
    std::ofstream(input, std::ios::app | std::ios::binary) << text.substr(text.find('\n') + 1);
    rows.insert(rows.end(), more.begin(), more.end());
    return rows.size();
  };
  const Flags command = flags(GetParam().release_every).bare("--quiet");
  KilledStream stream({.folder = folder_,
                       .command = command.bare("--whole-steps").fit(input),
                       .piped = "",
                       .rows = rows.size(),
                       .seed = 11,
                       .grow = grow,
                       .last_command = command.fit(input)});
  stream.kill(GetParam().kills * times);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  " << GetParam().name << ", " << rows.size() << " rows: " << stream.counts() << "\n";
  EXPECT_GE(stream.counts().before_the_end, GetParam().kills);
  EXPECT_GT(stream.counts().progress, 10) << "most kills came before anything was done";
  expect_the_exact_state(rows);
}

// The last step of each is a short one.
INSTANTIATE_TEST_SUITE_P(Streams, CrashOfAFile,
                         ::testing::Values(CrashCase{"ReleaseAfterEveryRow", "1", 12000, 210},
                                           CrashCase{"ReleaseEvery100Rows", "100", 400050, 210}),
                         [](const auto& test) { return test.param.name; });

TEST_F(Crash, OfAStreamFromAGzipFileCountsEveryRowOnce) {
  const auto rows = exact_rows(200007, 2);
  const std::string input = write("d.csv.gz", rivulet::testing::gzipped(csv_of(rows)));
  KilledStream stream({folder_, flags("10").fit(input), "", rows.size(), 12});
  stream.kill(30);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  gzip: " << stream.counts() << "\n";
  expect_the_exact_state(rows);
}

TEST_F(Crash, OfAStreamFromAPipeThatIsSentAgainFromItsBeginningCountsEveryRowOnce) {
  const auto rows = exact_rows(100003, 3);
  KilledStream stream({folder_, flags("10").fit(), csv_of(rows), rows.size(), 13});
  stream.kill(30);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  pipe: " << stream.counts() << "\n";
  expect_the_exact_state(rows);
}

TEST_F(Crash, LeavesTheReleasesOfASeededStreamAsTheyWouldBeWithoutOneByteForByte) {
  const auto rows = exact_rows(100005, 4);
  const Flags seeded = fit_flags().with("--release-every", "10");
  // Rows over several lines, quotes in quotes, empty lines, line ends of two characters.
  std::string text;
  std::size_t row = 0;
  for (const std::string& line : whole_lines(csv_of(rows))) {
    text += row == 0 ? "note," : row % 3 == 0 ? "\"1,2,a,3\r\n4,5,b,6\n\"\"\"," : row % 5 == 0 ? "\r\n\n," : "n,";
    text += line + (row % 7 == 0 ? "\n" : "\r\n");
    ++row;
  }
  const std::string input = write("d.csv", text);
  KilledStream stream({folder_, durable(seeded).fit(input), "", rows.size(), 14});
  stream.kill(30);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  seeded: " << stream.counts() << "\n";
  EXPECT_TRUE(read("r") == uninterrupted(seeded, text));
  expect_the_exact_state(rows);
}

// The models too: each search begins where the one before it ended, crash or not.
TEST_F(Crash, OfASketchedStreamOfLibsvmRowsLeavesTheReleasesAsTheyWouldBeWithoutOne) {
  const std::string text = libsvm(40005);
  const Flags seeded = sketch_flags().with("--format", "libsvm").with("--release-every", "20");
  const std::string input = write("d.svm", text);
  KilledStream stream({folder_, durable(seeded).fit(input), "", 40005, 17});
  stream.kill(30);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  sketched: " << stream.counts() << "\n";
  EXPECT_GT(stream.counts().progress, 5);
  EXPECT_TRUE(read("r") == uninterrupted(seeded, text));
  expect_releases_are_the_models();
}

// No row that is kept is lost or kept twice: every call goes over all of them.
TEST_F(Crash, OfPrivIncErmLeavesTheReleasesAsTheyWouldBeWithoutOne) {
  const std::string text = class_csv(100005);
  const Flags seeded = class_flags().without("--horizon").with("--tau", "20").with("--iterations", "40");
  const std::string input = write("d.csv", text);
  KilledStream stream({folder_, durable(seeded).fit(input), "", 100005, 18});
  stream.kill(30);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  PrivIncERM: " << stream.counts() << "\n";
  EXPECT_GT(stream.counts().progress, 5);
  EXPECT_TRUE(read("r") == uninterrupted(seeded, text));
  expect_releases_are_the_models();
}

TEST_F(Crash, AndAnOrderlyStopAtTheSameMomentsComeToTheSame) {
  const auto rows = exact_rows(100005, 7);
  const Flags seeded = fit_flags().with("--release-every", "10");
  const std::string input = write("d.csv", csv_of(rows));
  KilledStream stream({.folder = folder_,
                       .command = durable(seeded).fit(input),
                       .piped = "",
                       .rows = rows.size(),
                       .seed = 16,
                       .signal = SIGTERM});
  stream.kill(30);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  stopped: " << stream.counts() << "\n";
  EXPECT_TRUE(read("r") == uninterrupted(seeded, csv_of(rows)));
  expect_the_exact_state(rows);
}

TEST_F(Crash, KeepsTheCountOfEveryUnitsRows) {
  const auto rows = exact_rows(50005, 5);
  std::string text;
  std::size_t row = 0;
  for (const std::string& line : whole_lines(csv_of(rows))) {
    // Everybody has six rows; many come after a crash, and only the first four count.
    text += row == 0 ? "person," + line + "\n" : "p" + std::to_string(row % 8335) + "," + line + "\n";
    ++row;
  }
  const Flags seeded =
      fit_flags().with("--release-every", "5").with("--unit", "person").with("--max-rows-per-unit", "4");
  const std::string input = write("d.csv", text);
  KilledStream stream({folder_, durable(seeded).fit(input), "", rows.size(), 15});
  stream.kill(30);
  if (HasFatalFailure()) return;
  stream.finish();
  std::cout << "  units: " << stream.counts() << "\n";
  EXPECT_TRUE(read("r") == uninterrupted(seeded, text));
}

TEST_F(Crash, WhileAModelIsMadeLeavesNoneOrAWholeOne) {
  const auto rows = exact_rows(50, 6);
  const std::string input = write("d.csv", csv_of(rows));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run(flags("10").fit(input)).exit_code, 0);
  const auto time = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  KilledStream::Counts all;
  for (unsigned round = 0; round < 60; ++round) {
    for (const char* name : {"m", "m-wal", "m-shm", "r"}) std::filesystem::remove(path(name));
    KilledStream stream({folder_, flags("10").fit(input), "", rows.size(), round});
    stream.kill_in_its_first(time);
    if (HasFatalFailure()) return;
    all.kills += stream.counts().kills;
    all.without_a_model += stream.counts().without_a_model;
    all.unfinished += stream.counts().unfinished;
    all.progress += stream.counts().progress;
    stream.finish();
    if (HasFatalFailure()) return;
    expect_the_exact_state(rows);
  }
  std::cout << "  new models: " << all << "\n";
  EXPECT_GT(all.without_a_model, 5);
}

}  // namespace
}  // namespace rivulet::cli_testing
