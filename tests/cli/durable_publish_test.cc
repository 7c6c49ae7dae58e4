// Nothing is handed on before it is safe, everything that is safe is handed on, and the place it goes to is asked
// first.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class DurablePublish : public DurableTest {
 protected:
  // A pipe that takes little: a writer soon has to wait for its reader.
  struct Pipe {
    int out = -1;
    int in = -1;
    Pipe() {
      int ends[2];
      EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
      out = ends[0];
      in = ends[1];
      ::fcntl(in, F_SETPIPE_SZ, 4096);
      ::fcntl(out, F_SETFL, O_NONBLOCK);
    }
    ~Pipe() {
      ::close(out);
      if (in >= 0) ::close(in);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
  };
  // Everything there is by now.
  static std::string taken(int descriptor) {
    std::string text;
    char block[4096];
    for (ssize_t length = 0; (length = ::read(descriptor, block, sizeof block)) > 0;) {
      text.append(block, static_cast<std::size_t>(length));
    }
    return text;
  }
  [[nodiscard]] std::uint64_t steps_in_model() const {
    return std::filesystem::exists(path("m")) ? ReleaseLog(path("m")).last_step() : 0;
  }
};

TEST_F(DurablePublish, EachReleaseIsSafeWhenItArrivesAndArrivesWhileThePipeIsIdle) {
  Process process(durable(fit_flags().with("--release-every", "3")).with("--releases", "-").fit());
  process.write(std::string(kHeader) + "\n");
  std::size_t sent = 0;
  for (const std::string& line : data_lines(30)) {
    process.write(line + "\n");
    if (++sent % 3 != 0) continue;
    ASSERT_TRUE(
        process.wait_until([&] { return whole_lines(process.out()).size() == sent / 3; }, std::chrono::seconds(2)))
        << "release " << sent / 3 << " is late";
    const ReleaseLog log(path("m"));
    ASSERT_EQ(log.last_step(), sent / 3);
    EXPECT_TRUE(is_release(whole_lines(process.out()).back(), log.at(sent / 3)));
  }
  process.close_input_when_delivered();
  EXPECT_EQ(process.finish().exit_code, 0);
}

TEST_F(DurablePublish, RowsOfAnUnfinishedStepAreSafeSoonAfterThePipeFallsIdle) {
  Process process(durable().fit());
  process.write(csv(7));
  ASSERT_TRUE(process.wait_until([&] { return std::filesystem::exists(path("m")); }));
  EXPECT_TRUE(process.wait_until(
      [&] {
        return holds(run({"inspect", path("m")}).err, "7 rows taken");
      },
      std::chrono::seconds(2)));
}

// The process is killed in the write that follows its commit: what it had committed is what the next one hands on.
TEST_F(DurablePublish, WhatWasCommittedAndNotHandedOnIsHandedOnByTheNextRun) {
  const Flags flags = fit_flags().with("--release-every", "1");
  const std::string text = csv(2000);
  const std::string file = write("d.csv", text);
  Pipe pipe;
  Process process(durable(flags).with("--releases", "-").fit(file), Wiring().with_out(Stream::from(pipe.in)));
  ASSERT_TRUE(process.wait_until([&] { return steps_in_model() > 0; }));
  process.pass(std::chrono::milliseconds(200));
  process.send(SIGKILL);
  EXPECT_EQ(process.finish().signal, SIGKILL);
  ::close(std::exchange(pipe.in, -1));
  const std::uint64_t committed = steps_in_model();
  const auto arrived = whole_lines(taken(pipe.out));
  ASSERT_LT(arrived.size(), committed);
  ASSERT_FALSE(arrived.empty());

  const std::string expected = uninterrupted(flags, text);
  const auto last = nlohmann::json::parse(arrived.back());
  const std::string seen = to_string(last["step"]) + ":" + last["chain"].get<std::string>();
  std::filesystem::copy_file(path("m"), path("copy"));
  std::filesystem::copy_file(path("m-wal"), path("copy-wal"));
  const Outcome blind = run(go_on());
  EXPECT_EQ(blind.exit_code, 0);
  EXPECT_TRUE(expected.ends_with(blind.out)) << "without --seen all that may not have arrived is sent again as it was";
  EXPECT_LE(json_lines(blind.out).at(0)["step"], arrived.size() + 1);
  const Outcome knowing = run({"fit", "--model", path("copy"), "--seen", seen});
  EXPECT_EQ(knowing.exit_code, 0);
  std::string all;
  for (const std::string& line : arrived) all += line + "\n";
  EXPECT_EQ(all + knowing.out, expected) << "with --seen just the rest";
}

TEST_F(DurablePublish, TheSameFromAPipeIntoAFile) {
  const Flags flags = fit_flags().with("--release-every", "1");
  const std::string file = write("d.csv", csv(2000));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const int unread = ::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ::fcntl(unread, F_SETPIPE_SZ, 4096);
  Process process(durable(flags).with("--releases", path("fifo")).fit(file));
  ASSERT_TRUE(process.wait_until([&] { return steps_in_model() > 0; }));
  process.pass(std::chrono::milliseconds(200));
  process.send(SIGKILL);
  process.finish();
  const auto arrived = whole_lines(taken(unread));
  ::close(unread);
  ASSERT_LT(arrived.size(), steps_in_model());
  ASSERT_EQ(run(go_on({"--releases", path("r")})).exit_code, 0);
  EXPECT_TRUE(read("r") == uninterrupted(flags, csv(2000)));
  EXPECT_TRUE(std::equal(arrived.begin(), arrived.end(), whole_lines(*read("r")).begin()));
}

TEST_F(DurablePublish, ReleasesToStandardOutputStayThereWhenItGoesOnAndTheTableDoesNot) {
  const std::string file = write("d.csv", csv(20));
  const Outcome first = run(durable().with("--releases", "-").fit(file));
  write("d.csv", csv(40));
  const Outcome second = run(go_on());
  EXPECT_EQ(json_lines(first.out).size(), 2U);
  EXPECT_EQ(first.out + second.out, uninterrupted(fit_flags(), csv(40)));
  EXPECT_TRUE(holds(second.err, "Model of y after 40 rows (release 4)"));
}

TEST_F(DurablePublish, AReaderWhoLeavesEndsItAtOnceAndTheNextOneGetsTheRest) {
  Process process(durable().with("--releases", "-").fit());
  process.write(csv(20));
  ASSERT_TRUE(process.wait_until([&] { return whole_lines(process.out()).size() == 2; }));
  process.close_output();
  const std::string more = csv(30);
  process.write(more.substr(csv(20).size()));  // and then the input pauses
  const Outcome outcome = process.finish(std::chrono::seconds(5));
  EXPECT_FALSE(outcome.timed_out) << "it waits for rows that nobody will hear of";
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "rivulet: the reader of the releases has gone; stopped at release 3\n");
  const Outcome next = run(go_on({"-"}), csv(40));
  EXPECT_EQ(next.exit_code, 0);
  const std::string expected = uninterrupted(fit_flags(), csv(40));
  EXPECT_EQ(next.out, expected.substr(outcome.out.size()));
  EXPECT_EQ(outcome.out + next.out, expected);
}

TEST_F(DurablePublish, ALineThatACrashCutOffIsMended) {
  const std::string expected = uninterrupted(fit_flags(), csv(30));
  const std::string file = write("d.csv", csv(30));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  ASSERT_EQ(read("r"), expected);
  const std::size_t second = expected.find('\n') + 1;
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{5}, second - 2, second - 1, second,
                                   second + 1, second + 30, expected.size() - 1}) {
    write("r", expected.substr(0, length));
    EXPECT_EQ(run(go_on()).exit_code, 0) << length;
    EXPECT_EQ(read("r"), expected) << length;
  }
}

TEST_F(DurablePublish, AFileThatHoldsAnythingElseIsRefusedUntouched) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  ASSERT_EQ(run(fit_flags().with("--releases", path("plain")).fit(file)).exit_code, 0);
  const std::string other = uninterrupted(fit_flags().with("--insecure-seed", "8"), csv(20));
  struct Case {
    std::string content;
    int of_the_model;  // exit code for this model
    int of_a_new_one;
  };
  for (const Case& c : {Case{"a diary\n", 2, 2}, Case{"a diary", 2, 2}, Case{"{}\n", 2, 2}, Case{"\n", 2, 2},
                        Case{*read("plain"), 2, 2}, Case{other, 4, 2}, Case{other + "{\"st", 4, 2},
                        Case{*read("r") + other, 4, 2}, Case{"{\"step\":1,\"chain\":7}\n", 2, 2}}) {
    write("taken", c.content);
    const auto before = everything();
    const Outcome outcome = run(go_on({"--releases", path("taken")}));
    EXPECT_EQ(outcome.exit_code, c.of_the_model) << c.content.substr(0, 40);
    EXPECT_TRUE(is_one_line(outcome.err));
    const Outcome fresh = run(fit_flags().with("--model", path("new")).with("--releases", path("taken")).fit(file));
    EXPECT_EQ(fresh.exit_code, c.of_a_new_one) << c.content.substr(0, 40);
    EXPECT_TRUE(is_one_line(fresh.err));
    EXPECT_EQ(everything(), before) << c.content.substr(0, 40);
  }
}

TEST_F(DurablePublish, TheModelItsPartsAndTheInputAreNoPlaceForReleases) {
  const std::string file = write("d.csv", csv(20));
  std::filesystem::create_directory(path("sub"));
  for (const bool exists : {false, true}) {
    if (exists) {
      ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
      std::filesystem::create_symlink(path("m"), path("link"));
    }
    const auto before = everything();
    for (const char* place : {"m", "sub/../m", "m-wal", "m-shm", "m-journal", "d.csv", "link"}) {
      if (!exists && std::string(place) == "link") continue;
      const Outcome outcome = run(durable().with("--releases", path(place)).fit(file));
      EXPECT_EQ(outcome.exit_code, 2) << place << outcome.err;
      EXPECT_TRUE(is_one_line(outcome.err));
      EXPECT_TRUE(holds(outcome.err, "releases: '")) << place;
      EXPECT_EQ(everything(), before) << place;
    }
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
