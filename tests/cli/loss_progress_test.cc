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

TEST_F(LongCall, IsExplainedOnATerminalAndEndsCleanlyWhenAskedToStop) {
  const std::string file = write("d.csv", class_csv(20001));
  Process process(slow_flags("20000").with("--releases", path("lines")).fit(file),
                  Wiring().with_err(Stream::terminal()));
  ASSERT_TRUE(process.wait_until([&] {
    return process.err().find("solving over 20000 rows, 0:0") != std::string::npos;
  })) << process.err();
  process.send(SIGINT);
  ASSERT_TRUE(process.wait_until([&] {
    return process.err().find("stopping when the solver is done") != std::string::npos;
  })) << process.err();
  const Outcome outcome = process.finish(std::chrono::seconds(120));
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "interrupted; 1 release is out"));
  EXPECT_EQ(json_lines(read("lines").value_or("")).size(), 1u) << "the call was finished and its release is whole";
}

TEST_F(LongCall, OfAModelIsKeptWhenAskedToStop) {
  const std::string file = write("d.csv", class_csv(20001));
  Process process(durable(slow_flags("15000")).fit(file), Wiring().with_err(Stream::terminal()));
  ASSERT_TRUE(process.wait_until([&] { return process.err().find("solving over 20000 rows") != std::string::npos; }))
      << process.err();
  process.send(SIGTERM);
  const Outcome outcome = process.finish(std::chrono::seconds(120));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "1 release and 0 rows of the next step are safe"));
  expect_releases_are_the_models();
}

TEST_F(LongCall, IsNotExplainedWhenQuietOrElsewhere) {
  const std::string file = write("d.csv", class_csv(20000));
  Process quiet(slow_flags("8000").bare("--quiet").fit(file), Wiring().with_err(Stream::terminal()));
  EXPECT_EQ(quiet.finish(std::chrono::seconds(120)).err, "");
  const Outcome pipe = run(slow_flags("50").fit(file));
  EXPECT_TRUE(lacks(pipe.err, "solving"));
}

}  // namespace
}  // namespace rivulet::cli_testing
