// What `rivulet fit` says on standard error while it works.
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "cli/fit_fixture.h"

namespace rivulet::cli_testing {
namespace {

class ProgressTest : public FitTest {};

TEST_F(ProgressTest, ASlowPipeHasAPlainLineUnlessQuiet) {
  const Flags flags = fit_flags().with("--releases", path("r"));
  Process loud(flags.fit());
  Process quiet(flags.with("--releases", path("q")).with("--config", write("quiet.toml", "quiet = true\n")).fit());
  const std::string header = std::string(kHeader) + "\n";
  loud.write(header);
  quiet.write(header);
  // A handful of rows a second: far fewer than a clock is looked at for when rows come fast.
  for (const std::string& line : data_lines(28)) {
    for (Process* process : {&loud, &quiet}) {
      process->write(line + "\n");
      process->pass(std::chrono::milliseconds(50));
    }
  }
  for (Process* process : {&loud, &quiet}) process->close_input_when_delivered();
  const Outcome with = loud.finish();
  const Outcome without = quiet.finish();
  EXPECT_EQ(with.exit_code, 0);
  EXPECT_TRUE(std::regex_search(with.err, std::regex("^[0-9]+ rows, [0-9]+ rows/s, [0-9]+ releases\n$"))) << with.err;
  EXPECT_EQ(without.exit_code, 0);
  EXPECT_EQ(without.err, "");
  EXPECT_EQ(read("r"), read("q"));
}

TEST_F(ProgressTest, AShortRunSaysNothing) {
  EXPECT_EQ(run(fit_flags().fit(write("d.csv", csv(1000)))).err, "");
}

TEST_F(ProgressTest, ATerminalHasABarThatIsClearedAtTheEnd) {
  int ends[2];
  if (::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0)
    GTEST_SKIP() << "this machine has no pseudo-terminals";
  ::close(ends[0]);
  ::close(ends[1]);
  const std::string file = write("d.csv", long_csv());
  const Flags flags = fit_flags().with("--release-every", "1").with("--releases", "/dev/null");
  const Wiring wiring = Wiring().with_err(Stream::terminal());
  Process process(flags.fit(file), wiring);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(std::regex_search(outcome.err, std::regex("\\[#+\\.+\\] +[0-9]+%  [0-9]+ rows, "))) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "\r\x1b[K"));
  EXPECT_EQ(outcome.err.substr(outcome.err.size() - 4), "\r\x1b[K");
  EXPECT_TRUE(lacks(outcome.err, "\n"));
  std::size_t longest = 0;
  for (std::size_t at = 0; at < outcome.err.size();) {
    const std::size_t next = std::min(outcome.err.find("\r\x1b[K", at), outcome.err.size());
    longest = std::max(longest, next - at);
    at = next + 4;
  }
  EXPECT_LE(longest, 79u) << "a line that wraps cannot be rewritten";
}

}  // namespace
}  // namespace rivulet::cli_testing
