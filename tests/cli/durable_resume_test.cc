// The same command goes on where it stopped, from the input it was made of and from no other.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/durable_fixture.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

using rivulet::testing::gzipped;

class DurableResume : public DurableTest {
 protected:
  std::string fit_rows(std::size_t rows, bool whole_steps = false) const {
    const std::string file = write("d.csv", csv(rows));
    const Flags flags = whole_steps ? durable().bare("--whole-steps") : durable();
    EXPECT_EQ(run(flags.fit(file)).exit_code, 0);
    return file;
  }
  [[nodiscard]] std::vector<std::uint64_t> rows_in_lines() const {
    std::vector<std::uint64_t> rows;
    for (const auto& line : json_lines(read("r").value_or(""))) rows.push_back(line["rows"]);
    return rows;
  }
};

TEST_F(DurableResume, AnInputWithoutNewRowsPublishesNothingAndSaysSo) {
  const std::string file = fit_rows(25);
  const auto releases = read("r");
  for (const Arguments& command : {durable().fit(file), go_on(), go_on({file}), go_on({"--whole-steps"})}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "rivulet: no new rows in " + file + "\n");
    EXPECT_TRUE(holds(outcome.out, "Model of y after 25 rows (release 3)"));
    EXPECT_EQ(read("r"), releases);
  }
}

TEST_F(DurableResume, TheShortStepAtTheEndOfAnInputStaysAStepOfItsOwn) {
  fit_rows(25);
  write("d.csv", csv(45));
  ASSERT_EQ(run(go_on()).exit_code, 0);
  EXPECT_EQ(rows_in_lines(), (std::vector<std::uint64_t>{10, 20, 25, 35, 45}));
  expect_releases_are_the_models();
}

TEST_F(DurableResume, WithWholeStepsAnInputThatGrowsGivesWhatTheLongInputWouldHaveGivenBitForBit) {
  for (const std::size_t rows : {5, 10, 25, 26, 47, 60, 61}) fit_rows(rows, true);
  EXPECT_EQ(rows_in_lines(), (std::vector<std::uint64_t>{10, 20, 30, 40, 50, 60}));
  const Outcome outcome = run(go_on());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(61))) << "the waiting row makes a short step when asked for";
}

TEST_F(DurableResume, TheSameRowsUnderAnotherNameOrCompressedAreTheSameInput) {
  const std::string file = fit_rows(20);
  std::filesystem::rename(file, path("moved.csv"));
  const Outcome gone = run(go_on());
  EXPECT_EQ(gone.exit_code, 1);
  EXPECT_TRUE(is_one_line(gone.err));
  EXPECT_TRUE(holds(gone.err, file + ": cannot be opened"));
  EXPECT_EQ(run(go_on({path("moved.csv")})).exit_code, 0);
  EXPECT_EQ(run(go_on()).exit_code, 0) << "the new name is remembered";
  EXPECT_EQ(run(go_on({write("d.csv.gz", gzipped(csv(40)))})).exit_code, 0);
  EXPECT_EQ(run(go_on({"-"}), csv(50)).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(50)));
}

TEST_F(DurableResume, KilledBeforeItsFirstStepItStillKnowsItsInputAndWhereTheReleasesGo) {
  ASSERT_EQ(::mkfifo(path("d.csv").c_str(), 0600), 0);
  Process process(durable().fit(path("d.csv")));
  const int rows = ::open(path("d.csv").c_str(), O_WRONLY | O_CLOEXEC);
  const std::string begin = csv(3);
  ASSERT_EQ(::write(rows, begin.data(), begin.size()), static_cast<ssize_t>(begin.size()));
  ASSERT_TRUE(process.wait_until(
      [&] { return std::filesystem::exists(path("m")) && ReleaseLog(path("m")).ledger().size() == 2; }));
  process.send(SIGKILL);
  process.finish();
  ::close(rows);
  std::filesystem::remove(path("d.csv"));
  write("d.csv", csv(30));
  const Outcome outcome = run(go_on());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(30)));
}

// What is refused leaves every byte of every file as it was, also a line of the releases that a crash cut off.
TEST_F(DurableResume, AnInputThatIsNotTheOneThatWasCountedIsRefusedWithEverythingUntouched) {
  const std::string good = csv(25);
  fit_rows(25);
  write("r", *read("r") + "{\"step\":4,\"ro");
  const auto before = everything();
  struct Case {
    std::string what;
    std::string input;
    Arguments more;
  };
  auto changed = good;
  changed[good.size() / 2] = changed[good.size() / 2] == '1' ? '2' : '1';
  auto first = good;
  first[std::string(kHeader).size() + 1] ^= 1;
  const std::vector<Case> cases{
      {"a changed byte", changed, {}},
      {"a changed byte before new rows", changed + csv(40).substr(good.size()), {}},
      {"a changed first row", first, {}},
      {"cut short", good.substr(0, good.size() - 10), {}},
      {"cut to its header", good.substr(0, good.find('\n') + 1), {}},
      {"empty", "", {}},
      {"a column more", "w," + good, {}},
      {"another order of columns", "y,x,z,kind" + good.substr(good.find('\n')), {}},
      {"a column less", "x,z,y" + good.substr(good.find('\n')), {}},
      {"another line end", csv(data_lines(25), "\r\n"), {}},
      {"a row in front", std::string(kHeader) + "\n1,1,a,1\n" + good.substr(good.find('\n') + 1), {}},
      {"other rows", csv(data_lines(25, 2)), {}},
      {"another delimiter", good, {"--delimiter", ";"}},
      {"another file", "a,b\n1,2\n", {}},
      {"with a new place for the releases", changed, {"--releases", path("r2")}},
  };
  for (const Case& c : cases) {
    for (const bool piped : {false, true}) {
      if (piped && c.input.empty()) continue;  // a pipe that brings nothing is no other input
      write("d.csv", c.input);
      Arguments command = go_on(piped ? Arguments{"-"} : Arguments{});
      command.insert(command.end(), c.more.begin(), c.more.end());
      const Outcome outcome = run(command, piped ? c.input : "");
      EXPECT_EQ(outcome.exit_code, 4) << c.what << (piped ? ", piped" : "") << outcome.err;
      EXPECT_EQ(outcome.out, "") << c.what;
      EXPECT_TRUE(is_one_line(outcome.err)) << c.what;
      EXPECT_TRUE(holds(outcome.err, "nothing was published")) << c.what;
      write("d.csv", good);
      EXPECT_EQ(everything(), before) << c.what;
    }
  }
  EXPECT_EQ(run(go_on()).exit_code, 0);
  expect_releases_are_the_models();
}

TEST_F(DurableResume, ALineThatWasCountedBeforeItWasCompleteIsNotCountedAgainWhenItIs) {
  const auto lines = data_lines(30);
  auto cut = std::vector(lines.begin(), lines.begin() + 20);
  cut.back() = "1.5,2.5,a,3";
  std::string text = csv(cut);
  text.pop_back();
  const std::string file = write("d.csv", text);
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(file)).exit_code, 0);
  text += ".75\n";
  for (std::size_t i = 20; i < 30; ++i) text += lines[i] + "\n";
  write("d.csv", text);
  const Outcome outcome = run(go_on({"--whole-steps"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err,
                    "operator only, do not publish: the last line of the input was counted before it was "
                    "complete; what has been added to that line since was skipped\n"));
  EXPECT_TRUE(lacks(outcome.out, "operator"));
  auto counted = lines;
  counted[19] = "1.5,2.5,a,3";
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(counted)));
}

TEST_F(DurableResume, ALineThatLackedOnlyItsEndIsNothingToSpeakOf) {
  std::string text = csv(20);
  text.pop_back();
  const std::string file = write("d.csv", text);
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  write("d.csv", csv(30));
  const Outcome outcome = run(go_on());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(30)));
}

TEST_F(DurableResume, AnInputThatBrokeHalfwayGoesOnWhenItIsWhole) {
  const std::string text = csv(20000);
  const std::string whole = gzipped(text);
  const std::string file = write("d.csv.gz", whole.substr(0, whole.size() / 2));
  const Outcome broken = run(durable().fit(file));
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_TRUE(is_one_line(broken.err));
  EXPECT_TRUE(holds(broken.err, "rivulet: " + file + ": gzip data ends too early"));
  EXPECT_TRUE(holds(broken.err, "of the next step are safe in " + path("m") + "; to go on: rivulet fit --model"));
  expect_releases_are_the_models();
  write("d.csv.gz", whole);
  EXPECT_EQ(run(go_on()).exit_code, 0);
  EXPECT_TRUE(read("r") == uninterrupted(fit_flags(), text));
}

TEST_F(DurableResume, PastItsHorizonAStreamStaysThereAndNoRowIsTakenForCounted) {
  auto lines = data_lines(31);
  lines[4] = "NA,NA,NA,NA";
  lines[30] = "NA,NA,NA,NA";  // the one too many
  const std::string file = write("d.csv", csv(lines));
  const Flags flags = durable(fit_flags().with("--horizon", "3"));
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = run(flags.fit(file));
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(
        holds(outcome.err, "1 of 30 rows could not be used and counted as zero rows (1 with a missing value)\n"));
    EXPECT_EQ(json_lines(read("r").value_or("")).size(), 3U);
  }
  const Outcome seen = run({"inspect", path("m")});
  EXPECT_TRUE(holds(seen.err, "30 rows taken"));
  EXPECT_TRUE(holds(seen.err, "1 of 30 rows could not be used and counted as zero rows (1 with a missing value)\n"));
}

}  // namespace
}  // namespace rivulet::cli_testing
