// How `rivulet fit` ends when it is not by the end of its input.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <zlib.h>

#include <algorithm>

#include "cli/fit_fixture.h"

namespace rivulet::cli_testing {
namespace {

class FitEnding : public FitTest {};

class FitSignal : public FitTest, public ::testing::WithParamInterface<int> {};

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_P(FitSignal, WhileWaitingForRowsEndsWithCompleteLinesAndTheTable) {
  Process process(fit_flags().with("--releases", "-").fit());
  process.write(csv(25));
  ASSERT_TRUE(process.wait_until([&] { return count_lines(process.out()) == 2; }));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(json_lines(outcome.out).size(), 2u);
  EXPECT_TRUE(holds(outcome.err, "Model of y after 20 rows (release 2)"));
  EXPECT_TRUE(
      holds(outcome.err, "rivulet: interrupted; 2 releases are out, rows after the last one were not published\n"));
}

TEST_P(FitSignal, WhileReadingAFileLeavesCompleteLines) {
  const std::string file = write("d.csv", long_csv());
  Process process(fit_flags().with("--release-every", "1").with("--releases", path("r")).fit(file));
  ASSERT_TRUE(process.wait_until([&] { return read("r").value_or("").size() > 1000; }));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 130);
  const auto lines = json_lines(read("r").value_or(""));
  ASSERT_FALSE(lines.empty());
  EXPECT_LT(lines.size(), kLongRows);
  EXPECT_TRUE(holds(outcome.out, "(release " + std::to_string(lines.size()) + ")")) << "the table is of the last line";
}

TEST_P(FitSignal, BeforeTheHeaderPublishesNothing) {
  Process process(fit_flags().with("--releases", path("r")).fit());
  process.write("x,z,ki");
  ASSERT_TRUE(process.wait_until([&] { return process.handles(GetParam()); }));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "rivulet: interrupted before the first row; nothing was published\n");
  EXPECT_FALSE(read("r").has_value());
}

TEST_P(FitSignal, BeforeTheFirstStepSaysThatNothingIsOut) {
  Process process(fit_flags().with("--releases", "-").fit());
  process.write(csv(5));
  // The row reader has the header once the pipe is empty.
  ASSERT_TRUE(process.wait_until([&] { return process.handles(GetParam()); }));
  process.pass(std::chrono::milliseconds(200));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(holds(outcome.err, "nothing was published"));
}

INSTANTIATE_TEST_SUITE_P(Signals, FitSignal, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& test) { return test.param == SIGINT ? "Interrupt" : "Terminate"; });

TEST_F(FitEnding, AReaderWhoLeavesEndsTheStreamQuietly) {
  const std::string file = write("d.csv", long_csv());
  Process process(fit_flags().with("--release-every", "1").with("--releases", "-").fit(file));
  ASSERT_TRUE(process.wait_until([&] { return count_lines(process.out()) >= 1; }));
  process.close_output();
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err, "rivulet: the reader of the releases has gone; stopped at release "));
}

TEST_F(FitEnding, AReaderWhoLeavesBeforeTheTableIsNoFailure) {
  Process process(fit_flags().fit());
  process.close_output();
  process.write(csv(20));
  process.close_input_when_delivered();
  EXPECT_EQ(process.finish().exit_code, 0);
}

TEST_F(FitEnding, ExactlyTheHorizonIsPublishedThenItStops) {
  const Flags flags = fit_flags().with("--horizon", "3").with("--releases", path("r"));
  const Outcome outcome = run(flags.fit(), csv(35));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(json_lines(read("r").value_or("")).size(), 3u);
  EXPECT_TRUE(holds(outcome.out, "Model of y after 30 rows (release 3)"));
  EXPECT_EQ(outcome.err,
            "rivulet: horizon: the 3 steps the privacy promise covers are used up; what was published stays valid, and "
            "nothing more can be published\n");
  EXPECT_EQ(run(flags.fit(), csv(30)).exit_code, 0) << "a stream of exactly that length is fine";
}

TEST_F(FitEnding, AnEndlessStreamStopsByItselfAtItsHorizon) {
  Process process(fit_flags().with("--horizon", "3").with("--releases", "-").fit());
  process.write(csv(35));
  const Outcome outcome = process.finish(std::chrono::seconds(5));  // the pipe stays open
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(json_lines(outcome.out).size(), 3u);
}

TEST_F(FitEnding, AnInputThatBreaksHalfwayDeliversWhatWasMadeOfItsGoodPart) {
  const std::string file = path("d.csv.gz");
  gzFile compressed = gzopen(file.c_str(), "wb");
  const std::string text = csv(20000);
  gzwrite(compressed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(compressed);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);

  const Outcome outcome = run(fit_flags().with("--releases", path("r")).fit(file));
  EXPECT_EQ(outcome.exit_code, 1);
  const auto lines = json_lines(read("r").value_or(""));
  ASSERT_GT(lines.size(), 100u);
  EXPECT_TRUE(holds(outcome.out, "(release " + std::to_string(lines.size()) + ")"));
  EXPECT_TRUE(holds(outcome.err, "rivulet: " + file + ": "));
  EXPECT_TRUE(holds(outcome.err, "; " + std::to_string(lines.size()) +
                                     " releases are out, rows after the last one were not published\n"));
}

TEST_F(FitEnding, AnInputThatCannotBeOpenedIsNamed) {
  const Outcome missing = run(fit_flags().with("--releases", path("r")).fit(path("none.csv")));
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.err, "rivulet: " + path("none.csv") + ": cannot be opened: No such file or directory\n");
  const Outcome folder = run(fit_flags().with("--releases", path("r")).fit(folder_));
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_EQ(folder.err, "rivulet: " + folder_.string() + ": cannot be read: Is a directory\n");
  const Outcome config = run(fit_flags().with("--config", path("none.toml")).fit(), csv(10));
  EXPECT_EQ(config.exit_code, 1);
  EXPECT_TRUE(holds(config.err, "none.toml: cannot be opened"));
  EXPECT_FALSE(read("r").has_value());
  EXPECT_EQ(missing.out + folder.out + config.out, "");
}

TEST_F(FitEnding, ReleasesThatCannotBeWrittenAreNamed) {
  for (const std::string& target : {path("no/such/folder"), folder_.string(), std::string("/dev/full")}) {
    const Outcome outcome = run(fit_flags().with("--releases", target).fit(), csv(20));
    EXPECT_EQ(outcome.exit_code, 1) << target;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(holds(outcome.err, "rivulet: releases: cannot write"));
    EXPECT_TRUE(holds(outcome.err, target));
    EXPECT_EQ(count_lines(outcome.err), 1u);
  }
}

TEST_F(FitEnding, ATableThatCannotBeWrittenIsAFailure) {
  const Outcome outcome = run(fit_flags().fit(write("d.csv", csv(20))), Wiring().with_out(Stream::file("/dev/full")));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "rivulet: standard output: cannot be written: No space left on device\n");
}

TEST_F(FitEnding, AClosedStandardOutputIsNeverConfusedWithTheReleasesFile) {
  const Outcome outcome = run(fit_flags().with("--releases", path("r")).fit(write("d.csv", csv(20))),
                              Wiring().with_in(Stream::closed()).with_out(Stream::closed()));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "standard output: cannot be written"));
  EXPECT_EQ(json_lines(read("r").value_or("")).size(), 2u);
}

TEST_F(FitEnding, AClosedStandardErrorStopsNothing) {
  auto lines = data_lines(20);
  lines[3] = "NA,NA,NA,NA";
  const Outcome outcome = run(fit_flags().with("--releases", path("r")).fit(write("d.csv", csv(lines))),
                              Wiring().with_err(Stream::closed()));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(json_lines(read("r").value_or("")).size(), 2u);
  EXPECT_TRUE(holds(outcome.out, "Model of y after 20 rows"));
}

TEST_F(FitEnding, ThatEarlierReleasesAreOverwrittenIsSaid) {
  const std::string file = write("d.csv", csv(20));
  const Flags flags = fit_flags().without("--insecure-seed").with("--releases", path("r"));
  EXPECT_TRUE(lacks(run(flags.fit(file)).err, "overwritten"));
  EXPECT_TRUE(holds(run(flags.fit(file)).err, "is overwritten; if it held releases of the same rows"));
}

TEST_F(FitEnding, TheInputIsNeverOverwrittenByTheReleases) {
  const std::string file = write("d.csv", csv(20));
  const std::string config = write("c.toml", "epsilon = 1\n");
  std::filesystem::create_symlink(file, path("link"));
  for (const std::string& releases : {file, path("link"), path("./d.csv")}) {
    for (const Wiring& wiring : {Wiring{}, Wiring().with_in(Stream::file(file))}) {
      const std::string input = wiring.in.kind == Stream::Kind::file ? "-" : file;
      const Outcome outcome = run(fit_flags().with("--releases", releases).fit(input), wiring);
      EXPECT_EQ(outcome.exit_code, 2) << releases;
      EXPECT_TRUE(holds(outcome.err, "rivulet: releases: '" + releases + "' is the input itself"));
      EXPECT_EQ(read("d.csv"), csv(20));
    }
  }
  const Outcome outcome = run(fit_flags().with("--config", config).with("--releases", config).fit(file));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(read("c.toml"), "epsilon = 1\n");
}

TEST_F(FitEnding, AReleaseReachesThePipeBeforeTheNextRowComes) {
  Process process(fit_flags().with("--release-every", "1").with("--releases", "-").fit());
  process.write(std::string(kHeader) + "\n");
  const auto lines = data_lines(5);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    process.write(lines[i] + "\n");
    ASSERT_TRUE(process.wait_until([&] { return count_lines(process.out()) == i + 1; }));
  }
  process.close_input_when_delivered();
  EXPECT_EQ(process.finish().exit_code, 0);
}

}  // namespace
}  // namespace rivulet::cli_testing
