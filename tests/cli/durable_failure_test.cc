// Disks that are full, files that may not be written, pages that are damaged: one line, an exit code, nothing lost, and
// the same command finishes the job when the cause is mended.
#include <gtest/gtest.h>

#include <memory>

#include "cli/circumstances.h"
#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class DurableFailure : public DurableTest {
 protected:
  void expect_a_write_failure(const Outcome& outcome) const {
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "what was published up to now is safe in the model, and the same command goes on"));
  }
  // Every line that got out stands in the model. One may be cut off.
  void expect_published_is_safe(const std::string& releases, const std::string& model) const {
    const ReleaseLog log(path(model));
    const auto lines = whole_lines(read(releases).value_or(""));
    ASSERT_LE(lines.size(), log.last_step());
    log.for_each(1, lines.size(),
                 [&](const Release& release) { EXPECT_TRUE(is_release(lines[release.model.step - 1], release)); });
  }
  static const Flags& every_row() {
    static const Flags flags = fit_flags().with("--release-every", "1");
    return flags;
  }
};

// A commit that cannot be written while rows are being read from a file.
TEST_F(DurableFailure, AModelThatCannotGrowStopsAndGoesOnWhenItCan) {
  const std::string file = write("d.csv", csv(9000));
  for (const rlim_t bytes : {90'000, 300'000, 1'200'000}) {
    for (const char* name : {"m", "m-wal", "m-shm", "r"}) std::filesystem::remove(path(name));
    std::unique_ptr<Process> process;
    {
      const FileSizeLimit limit(bytes);
      process = std::make_unique<Process>(durable(every_row()).fit(file));
    }
    expect_a_write_failure(process->finish());
    expect_published_is_safe("r", "m");
    ASSERT_EQ(run(durable(every_row()).fit(file)).exit_code, 0);
    EXPECT_TRUE(read("r") == uninterrupted(every_row(), csv(9000)));
  }
}

// The same while the input pauses.
TEST_F(DurableFailure, AModelThatCannotGrowWhileThePipeIsIdleSaysThatItIsTheModel) {
  std::unique_ptr<Process> process;
  {
    const FileSizeLimit limit(250'000);
    process = std::make_unique<Process>(durable(every_row()).fit());
  }
  process->write(std::string(kHeader) + "\n");
  const auto lines = data_lines(2000);
  std::size_t sent = 0;
  for (; sent < lines.size(); ++sent) {
    process->write(lines[sent] + "\n");
    if (sent % 10 != 9) continue;
    const bool alive = process->wait_until([&] { return whole_lines(read("r").value_or("")).size() == sent + 1; },
                                           std::chrono::milliseconds(1500));
    if (!alive) break;
  }
  ASSERT_LT(sent, lines.size()) << "the limit was never met";
  const Outcome outcome = process->finish(std::chrono::seconds(5));
  expect_a_write_failure(outcome);
  EXPECT_TRUE(holds(outcome.err, "rivulet: model: cannot use '" + path("m")));
  expect_published_is_safe("r", "m");
  ASSERT_EQ(run(durable(every_row()).fit(), csv(2000)).exit_code, 0);
  EXPECT_TRUE(read("r") == uninterrupted(every_row(), csv(2000)));
}

TEST_F(DurableFailure, AModelOnADiskThatIsFullStopsAndGoesOnWhenThereIsRoom) {
  const SmallDisk disk(path("disk"), "300k");
  if (!disk.is_mounted()) GTEST_SKIP() << "may not mount a disk here";
  const std::string file = write("d.csv", csv(5000));
  const Flags flags = durable(every_row()).with("--model", path("disk/m"));
  expect_a_write_failure(run(flags.fit(file)));
  expect_published_is_safe("r", "disk/m");
  disk.grow("20m");
  ASSERT_EQ(run(flags.fit(file)).exit_code, 0);
  EXPECT_TRUE(read("r") == uninterrupted(every_row(), csv(5000)));
}

TEST_F(DurableFailure, ADiskWithoutRoomForANewModelIsLeftEmpty) {
  const SmallDisk disk(path("disk"), "20k");
  if (!disk.is_mounted()) GTEST_SKIP() << "may not mount a disk here";
  const Outcome outcome = run(durable().with("--model", path("disk/m")).fit(), csv(20));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(std::filesystem::is_empty(path("disk")));
  disk.grow("20m");
  ASSERT_EQ(run(durable().with("--model", path("disk/m")).fit(), csv(20)).exit_code, 0);
  expect_releases_are_the_models("r", "disk/m");
}

TEST_F(DurableFailure, ReleasesOnADiskThatIsFullAreCompletedWhenThereIsRoom) {
  const SmallDisk disk(path("disk"), "100k");
  if (!disk.is_mounted()) GTEST_SKIP() << "may not mount a disk here";
  const std::string file = write("d.csv", csv(2000));
  const Flags flags = durable(every_row()).with("--releases", path("disk/r"));
  const Outcome outcome = run(flags.fit(file));
  expect_a_write_failure(outcome);
  EXPECT_TRUE(holds(outcome.err, "rivulet: releases: cannot write to " + path("disk/r") + ": No space left on device"));
  EXPECT_FALSE(whole_lines(read("disk/r").value_or("")).empty());
  expect_published_is_safe("disk/r", "m");
  disk.grow("20m");
  ASSERT_EQ(run(flags.fit(file)).exit_code, 0);
  EXPECT_TRUE(read("disk/r") == uninterrupted(every_row(), csv(2000)));
}

TEST_F(DurableFailure, ReleasesThatCannotBeWrittenWaitInTheModel) {
  const std::string file = write("d.csv", csv(30));
  const Outcome full = run(durable().with("--releases", "/dev/full").fit(file));
  expect_a_write_failure(full);
  EXPECT_TRUE(holds(full.err, "rivulet: releases: cannot write to /dev/full: No space left on device"));
  expect_a_write_failure(run(go_on({"--releases", "-"}), Wiring().with_out(Stream::file("/dev/full"))));
  ASSERT_EQ(run(go_on({"--releases", path("r")})).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(30)));
}

TEST_F(DurableFailure, APlaceForReleasesThatCannotBeMadeMakesNoModelEither) {
  const std::string file = write("d.csv", csv(30));
  const Outcome outcome = run(durable().with("--releases", path("no/such/folder")).fit(file));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(holds(outcome.err, "releases: cannot write '" + path("no/such/folder") + "'"));
  EXPECT_EQ(everything().size(), 1U);
  const Outcome model = run(durable().with("--model", path("no/such/model")).fit(file));
  EXPECT_EQ(model.exit_code, 1);
  EXPECT_TRUE(is_one_line(model.err));
  EXPECT_TRUE(holds(model.err, "model: cannot create '" + path("no/such/model") + "': No such file or directory"));
}

TEST_F(DurableFailure, AModelThatMayNotBeWrittenIsReadAndNeverContinued) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  for (const char* name : {"d.csv", "r"}) AsNobody::give(path(name), 0600);
  struct Case {
    const char* what;
    unsigned model;
    unsigned folder;
  };
  for (const Case& c : {Case{"the file", 0400, 0700}, Case{"the folder", 0600, 0500}}) {
    AsNobody::give(path("m"), c.model);
    AsNobody::give(folder_, c.folder);
    const auto before = everything();
    {
      const AsNobody nobody;
      const Outcome outcome = run(go_on());
      EXPECT_EQ(outcome.exit_code, 1) << c.what << outcome.err;
      EXPECT_TRUE(is_one_line(outcome.err)) << c.what;
      EXPECT_TRUE(holds(outcome.err, "rivulet: model: cannot ")) << c.what;
      for (const char* command : {"summary", "refit", "inspect"}) {
        EXPECT_EQ(run({command, path("m")}).exit_code, 0) << c.what << command;
      }
    }
    EXPECT_EQ(everything(), before) << c.what;
  }
  AsNobody::give(folder_, 0700);
  AsNobody::give(path("m"), 0600);
  const AsNobody nobody;
  write("d.csv", csv(40));
  EXPECT_EQ(run(go_on()).exit_code, 0);
  expect_releases_are_the_models();
}

TEST_F(DurableFailure, WhatMayNotBeReadOrMadeIsNamed) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  AsNobody::give(path("m"), 0000);
  AsNobody::give(path("r"), 0400);
  AsNobody::give(path("d.csv"), 0400);
  AsNobody::give(folder_, 0500);
  const AsNobody nobody;
  for (const Arguments& command : {go_on(), Arguments{"summary", path("m")}, Arguments{"inspect", path("m")}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 1) << command[0];
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "Permission denied"));
  }
  const Outcome made = run(fit_flags().with("--model", path("new")).fit(file));
  EXPECT_EQ(made.exit_code, 1);
  EXPECT_TRUE(is_one_line(made.err));
  EXPECT_TRUE(holds(made.err, "model: cannot create '" + path("new") + "': Permission denied"));
}

TEST_F(DurableFailure, ReleasesThatMayNotBeWrittenStopItBeforeARowIsTaken) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  write("d.csv", csv(40));
  AsNobody::give(path("m"), 0600);
  AsNobody::give(path("d.csv"), 0600);
  AsNobody::give(path("r"), 0400);
  AsNobody::give(folder_, 0700);
  const auto before = everything();
  const AsNobody nobody;
  const Outcome outcome = run(go_on());
  expect_a_write_failure(outcome);
  EXPECT_TRUE(holds(outcome.err, "releases: cannot write '" + path("r") + "': Permission denied"));
  EXPECT_EQ(everything(), before);
  AsNobody::give(path("r"), 0600);
  ASSERT_EQ(run(go_on()).exit_code, 0);
  expect_releases_are_the_models();
}

TEST_F(DurableFailure, ADamagedPageIsRefusedWithEverythingUntouched) {
  const std::string file = write("d.csv", csv(200));
  ASSERT_EQ(run(durable(every_row()).fit(file)).exit_code, 0);
  write("d.csv", csv(250));
  const std::string good = *read("m");
  const std::string releases = *read("r");
  constexpr std::size_t kPage = 4096;
  ASSERT_GT(good.size(), 10 * kPage);
  std::size_t refused = 0;
  for (std::size_t page = 0; page < good.size() / kPage; page += 3) {
    std::string damaged = good;
    for (std::size_t i = 0; i < 64; ++i) damaged[page * kPage + kPage - 200 + i] ^= 0x5a;
    write("m", damaged);
    const auto before = everything();
    const Outcome outcome = run(go_on());
    if (outcome.exit_code == 0) {
      // Those bytes meant nothing. Then nothing is different.
      EXPECT_TRUE(read("r") == uninterrupted(every_row(), csv(250))) << page;
      write("r", releases);
      continue;
    }
    ++refused;
    EXPECT_EQ(outcome.exit_code, 4) << page << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_EQ(everything(), before) << page;
  }
  EXPECT_GT(refused, good.size() / kPage / 6);
}

TEST_F(DurableFailure, AModelThatIsTakenAwayWhileItIsOpenEndsTheStream) {
  Process process(durable().fit());
  process.write(csv(20));
  ASSERT_TRUE(process.wait_until([&] { return whole_lines(read("r").value_or("")).size() == 2; }));
  std::filesystem::rename(path("m"), path("elsewhere"));
  if (std::filesystem::exists(path("m-wal"))) std::filesystem::rename(path("m-wal"), path("elsewhere-wal"));
  process.write(csv(40).substr(csv(20).size()));
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(holds(outcome.err, "was moved, removed or replaced while it was open"));
  ASSERT_EQ(run({"fit", "--model", path("elsewhere"), "-"}, csv(40)).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(40)));
}

}  // namespace
}  // namespace rivulet::cli_testing
