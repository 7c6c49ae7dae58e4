// A durable stream that is asked to stop loses nothing and says how to go on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class DurableStop : public DurableTest {
 protected:
  [[nodiscard]] std::size_t lines_in(const char* name) const { return whole_lines(read(name).value_or("")).size(); }
};

class DurableSignal : public DurableStop, public ::testing::WithParamInterface<int> {};

// What the message tells to type, given to a shell.
int type_what_it_says(const std::string& message, const std::string& input) {
  const std::string mark = "to go on: ";
  const std::size_t begin = message.find(mark);
  if (begin == std::string::npos) return -1;
  std::string command = message.substr(begin + mark.size());
  command = command.substr(0, command.find_first_of("(\n"));
  const std::string line = "PATH=" RIVULET_BINARY_DIR ":$PATH; " + command + " < " + input + " > /dev/null 2>&1";
  return std::system(line.c_str());
}

TEST_P(DurableSignal, WhileWaitingForRowsEndsInOrderAndTheRowsOfAnUnfinishedStepSurvive) {
  Process process(durable().fit());
  process.write(csv(25));
  ASSERT_TRUE(process.wait_until([&] { return lines_in("r") == 2; }));
  process.pass(std::chrono::milliseconds(250));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.out, "Model of y after 20 rows (release 2)"));
  EXPECT_EQ(outcome.err, "rivulet: stopped; 2 releases and 5 rows of the next step are safe in " + path("m") +
                             "; to go on: rivulet fit --model " + path("m") +
                             " - (and the same input from its beginning)\n");
  ASSERT_EQ(type_what_it_says(outcome.err, write("d.csv", csv(47))), 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(47)));
}

TEST_P(DurableSignal, WhileReadingAFileIsMendedByTheCommandThatTheMessageTells) {
  const Flags flags = fit_flags().with("--release-every", "7");
  const std::string text = long_csv();
  const std::string file = write("d.csv", text);
  const std::string model = path("a 'model' of $HOME");
  Process process(flags.with("--model", model).with("--releases", path("r")).fit(file));
  ASSERT_TRUE(process.wait_until([&] { return read("r").value_or("").size() > 1000; }));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 0);
  const std::size_t lines = json_lines(read("r").value_or("")).size();
  ASSERT_LT(lines, kLongRows / 7) << "it was stopped too late to show anything";
  EXPECT_TRUE(holds(outcome.out, "(release " + std::to_string(lines) + ")"));
  EXPECT_TRUE(holds(outcome.err, "rivulet: stopped; " + std::to_string(lines) + " releases and "));
  ASSERT_EQ(type_what_it_says(outcome.err, "/dev/null"), 0) << outcome.err;
  EXPECT_TRUE(read("r") == uninterrupted(flags, text));
}

TEST_P(DurableSignal, WhileTheRowsCountedBeforeAreCheckedLeavesEverythingAsItWas) {
  auto lines = data_lines(25);
  lines[3] = "NA,NA,NA,NA";
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(), csv(lines)).exit_code, 0);
  const auto before = everything();
  Process process(go_on({"-", "--releases", path("another place")}));
  process.write(csv(lines).substr(0, 500));  // more of it never comes
  ASSERT_TRUE(process.wait_until([&] { return process.handles(GetParam()); }));
  process.pass(std::chrono::milliseconds(200));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.out, "Model of y after 20 rows (release 2)"));
  EXPECT_TRUE(holds(outcome.err, "1 of 25 rows could not be used and counted as zero rows (1 with a missing value)\n"));
  EXPECT_TRUE(holds(outcome.err, "rivulet: stopped; 2 releases and 5 rows of the next step are safe"));
  EXPECT_EQ(everything(), before);
}

TEST_P(DurableSignal, BeforeAHeaderMakesNoModelAndLeavesOneThatIsThereAlone) {
  for (const bool exists : {false, true}) {
    if (exists) run(durable().fit(), csv(20));
    ASSERT_EQ(std::filesystem::exists(path("m")), exists);
    const auto before = everything();
    Process process(durable().fit());
    process.write("x,z,ki");
    ASSERT_TRUE(process.wait_until([&] { return process.handles(GetParam()); }));
    process.pass(std::chrono::milliseconds(100));
    process.send(GetParam());
    const Outcome outcome = process.finish(std::chrono::seconds(5));
    EXPECT_EQ(outcome.exit_code, exists ? 0 : 130);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "before the first row; nothing was published"));
    EXPECT_EQ(everything(), before);
  }
}

TEST_P(DurableSignal, BeforeTheFirstStepKeepsItsRows) {
  Process process(durable().fit());
  process.write(csv(7));
  ASSERT_TRUE(process.wait_until([&] { return std::filesystem::exists(path("m")); }));
  ASSERT_TRUE(process.wait_until([&] { return holds(run({"inspect", path("m")}).err, "7 rows taken"); }));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err, "nothing was published"));
  EXPECT_TRUE(holds(outcome.err, "0 releases and 7 rows of the next step are safe"));
  ASSERT_EQ(run(go_on({"-"}), csv(20)).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(20)));
}

TEST_P(DurableSignal, WhileNobodyComesToReadTheReleasesLeavesEverythingAsItWas) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  write("d.csv", csv(40));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const auto before = everything();
  Process process(go_on({"--releases", path("fifo")}));
  ASSERT_TRUE(process.wait_until([&] { return process.handles(GetParam()); }));
  process.pass(std::chrono::milliseconds(200));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "rivulet: stopped; 2 releases and 0 rows of the next step are safe"));
  EXPECT_EQ(everything(), before);
}

// Nothing is read from the pipe the releases go to, so the first signal waits behind the write.
TEST_P(DurableSignal, ASecondOneEndsItAtOnceAndNothingIsLost) {
  const std::string file = write("d.csv", csv(3000));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const int unread = ::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const Flags flags = fit_flags().with("--release-every", "1");
  Process process(durable(flags).with("--releases", path("fifo")).fit(file));
  ASSERT_TRUE(
      process.wait_until([&] { return std::filesystem::exists(path("m")) && ReleaseLog(path("m")).last_step() > 0; }));
  process.pass(std::chrono::milliseconds(200));
  process.send(GetParam());
  process.pass(std::chrono::milliseconds(200));
  process.send(GetParam());
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, GetParam());
  ::close(unread);
  ASSERT_EQ(run(go_on({"--releases", path("r")})).exit_code, 0);
  EXPECT_TRUE(read("r") == uninterrupted(flags, csv(3000)));
}

INSTANTIATE_TEST_SUITE_P(Signals, DurableSignal, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& test) { return test.param == SIGINT ? "Interrupt" : "Terminate"; });

TEST_F(DurableStop, TheMessageRemembersThatStepsAreToBeWhole) {
  Process process(durable().bare("--whole-steps").fit());
  process.write(csv(12));
  ASSERT_TRUE(process.wait_until([&] { return lines_in("r") == 1; }));
  process.send(SIGTERM);
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_TRUE(holds(outcome.err, "to go on: rivulet fit --model " + path("m") + " --whole-steps - "));
}

TEST_F(DurableStop, AStreamThatIsStoppedAfterEveryFewRowsPublishesWhatItWouldHaveInOneGo) {
  std::string sent = std::string(kHeader) + "\n";
  for (const std::string& line : data_lines(36)) {
    sent += line + "\n";
    if (whole_lines(sent).size() % 4 != 0) continue;
    Process process(durable().fit());
    process.write(sent);
    const std::size_t rows = whole_lines(sent).size() - 1;
    ASSERT_TRUE(process.wait_until(
        [&] { return process.handles(SIGTERM) && std::filesystem::exists(path("m")) && lines_in("r") == rows / 10; }));
    process.pass(std::chrono::milliseconds(rows % 10 == 3 ? 0 : 120));
    process.send(SIGTERM);
    ASSERT_EQ(process.finish().exit_code, 0);
  }
  ASSERT_EQ(run(durable().fit(), csv(36)).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(36)));
}

}  // namespace
}  // namespace rivulet::cli_testing
