// A call of the solver that takes long: what is said of it, and how it is ended.
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include "cli/class_fixture.h"

namespace rivulet::cli_testing {
namespace {

// One call at the end, of more sums than anybody would ask for.
Flags slow_flags(const std::string& iterations) {
  return class_flags()
      .with("--horizon", "1")
      .with("--tau", "1")
      .with("--release-every", "20000")
      .with("--iterations", iterations);
}

class LongCall : public DurableTest {
 protected:
  void SetUp() override {
    DurableTest::SetUp();
    int ends[2];
    if (::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0)
      GTEST_SKIP() << "this machine has no pseudo-terminals";
    ::close(ends[0]);
    ::close(ends[1]);
  }
};

constexpr const char* kEndless = "1000000";
constexpr const char* kSomeSeconds = "40000";

bool says(Process& process, const std::string& text) {
  return process.wait_until([&] { return process.err().find(text) != std::string::npos; }, std::chrono::seconds(60));
}

TEST_F(LongCall, IsExplainedOnATerminalAndASecondSignalEndsItAtOnce) {
  Process process(slow_flags(kEndless).fit(write("d.csv", class_csv(20000))), Wiring().with_err(Stream::terminal()));
  ASSERT_TRUE(says(process, "solving over 20000 rows, 0:0")) << process.err();
  process.send(SIGINT);
  ASSERT_TRUE(says(process, "stopping when the solver is done with 20000 rows")) << process.err();
  process.send(SIGINT);
  EXPECT_EQ(process.finish().signal, SIGINT);
}

TEST_F(LongCall, ThatIsAskedToStopEndsCleanlyOnceItIsDone) {
  const std::string file = write("d.csv", class_csv(20001));
  const Flags flags = slow_flags(kSomeSeconds);
  Process in_memory(flags.with("--releases", path("lines")).fit(file), Wiring().with_err(Stream::terminal()));
  Process in_a_file(durable(flags).fit(file), Wiring().with_err(Stream::terminal()));
  ASSERT_TRUE(says(in_memory, "solving over 20000 rows")) << in_memory.err();
  in_memory.send(SIGINT);
  ASSERT_TRUE(says(in_a_file, "solving over 20000 rows")) << in_a_file.err();
  in_a_file.send(SIGTERM);

  const Outcome lost = in_memory.finish(std::chrono::seconds(120));
  EXPECT_EQ(lost.exit_code, 130) << lost.err;
  EXPECT_TRUE(holds(lost.err, "interrupted; 1 release is out"));
  EXPECT_EQ(json_lines(read("lines").value_or("")).size(), 1u) << "the call was finished and its release is whole";
  const Outcome kept = in_a_file.finish(std::chrono::seconds(120));
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_TRUE(holds(kept.err, "1 release and 0 rows of the next step are safe"));
  expect_releases_are_the_models();
}

TEST_F(LongCall, IsNotExplainedWhenQuietOrElsewhere) {
  const std::string file = write("d.csv", class_csv(20000));
  Process quiet(slow_flags(kEndless).bare("--quiet").fit(file), Wiring().with_err(Stream::terminal()));
  Process piped(slow_flags(kEndless).fit(file));
  quiet.pass(std::chrono::milliseconds(3500));
  piped.pass(std::chrono::milliseconds(500));
  EXPECT_EQ(quiet.err(), "");
  EXPECT_TRUE(lacks(piped.err(), "solving"));
  for (Process* process : {&quiet, &piped}) {
    process->send(SIGKILL);
    EXPECT_EQ(process->finish().signal, SIGKILL);
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
