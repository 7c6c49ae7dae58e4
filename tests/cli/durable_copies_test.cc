// One model, one writer, one history: older copies and second processes are refused before anything happens.
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class DurableCopies : public DurableTest {};

std::string seen(const std::string& line) {
  const auto json = nlohmann::json::parse(line);
  return to_string(json["step"]) + ":" + json["chain"].get<std::string>();
}

TEST_F(DurableCopies, AnOlderCopyBehindItsReleasesIsRefusedWithEverythingUntouched) {
  const std::string file = write("d.csv", csv(20));
  const Flags flags = durable(fit_flags().without("--insecure-seed"));
  ASSERT_EQ(run(flags.fit(file)).exit_code, 0);
  const std::string older = *read("m");
  write("d.csv", csv(40));
  ASSERT_EQ(run(go_on()).exit_code, 0);
  const std::string newer = *read("m");
  write("m", older);
  const auto before = everything();
  for (const Arguments& command : {flags.fit(file), go_on(), go_on({"-"})}) {
    const Outcome outcome = run(command, csv(60));
    EXPECT_EQ(outcome.exit_code, 4);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "ends at step 2, but step 4 was already published from it: it is an older copy"));
    EXPECT_EQ(everything(), before);
  }
  write("m", newer);
  EXPECT_EQ(run(go_on()).exit_code, 0);
  expect_releases_are_the_models();
}

TEST_F(DurableCopies, ACopyThatWentItsOwnWayIsRefused) {
  const std::string file = write("d.csv", csv(20));
  ASSERT_EQ(run(durable(fit_flags().without("--insecure-seed")).fit(file)).exit_code, 0);
  write("copy", *read("m"));
  write("d.csv", csv(40));
  ASSERT_EQ(run(go_on()).exit_code, 0);
  ASSERT_EQ(run({"fit", "--model", path("copy"), "--releases", path("r of the copy")}).exit_code, 0);
  const auto before = everything();
  const Outcome outcome = run({"fit", "--model", path("copy"), "--releases", path("r")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(holds(outcome.err, "another copy that went its own way"));
  EXPECT_EQ(everything(), before);
}

TEST_F(DurableCopies, AReaderWhoSaysWhatItHasSeenIsProtectedToo) {
  const std::string file = write("d.csv", csv(20));
  const Outcome first = run(durable(fit_flags().without("--insecure-seed")).with("--releases", "-").fit(file));
  ASSERT_EQ(first.exit_code, 0);
  const std::string older = *read("m");
  write("d.csv", csv(40));
  const Outcome second = run(go_on());
  const auto lines = whole_lines(first.out + second.out);
  ASSERT_EQ(lines.size(), 4U);

  EXPECT_EQ(run(go_on({"--seen", seen(lines[3])})).out, "");
  EXPECT_EQ(whole_lines(run(go_on({"--seen", seen(lines[0])})).out), (std::vector(lines.begin() + 1, lines.end())));
  const auto before = everything();
  const Outcome wrong = run(go_on({"--seen", "4:" + std::string(64, '0')}));
  EXPECT_EQ(wrong.exit_code, 4);
  EXPECT_EQ(everything(), before);

  write("m", older);
  const auto put_back = everything();
  const Outcome outcome = run(go_on({"--seen", seen(lines[3])}));
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_EQ(everything(), put_back);
}

TEST_F(DurableCopies, ASecondProcessIsRefusedAtOnceWhileTheFirstLives) {
  Process first(durable().fit());
  first.write(csv(20));
  ASSERT_TRUE(first.wait_until([&] { return whole_lines(read("r").value_or("")).size() == 2; }));
  const auto start = std::chrono::steady_clock::now();
  const Outcome second = run(durable().fit(write("d.csv", csv(20))));
  EXPECT_EQ(second.exit_code, 4);
  EXPECT_TRUE(is_one_line(second.err));
  EXPECT_TRUE(holds(second.err, "is being written to by another process"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  for (const char* name : {"m", "m-wal", "m-shm"}) {
    EXPECT_EQ(std::filesystem::status(path(name)).permissions(), std::filesystem::perms(0600)) << name;
  }
  // Whoever only looks is welcome.
  EXPECT_EQ(run({"summary", path("m")}).exit_code, 0);
  EXPECT_EQ(run({"inspect", path("m")}).exit_code, 0);
  EXPECT_EQ(run({"refit", path("m"), "--constraint", "l1:1"}).exit_code, 0);
  EXPECT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  EXPECT_EQ(run({"predict", path("m")}, csv(5)).exit_code, 0);

  first.write(csv(40).substr(csv(20).size()));
  first.close_input_when_delivered();
  EXPECT_EQ(first.finish().exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(40))) << "the first was not disturbed";
}

TEST_F(DurableCopies, TwoModelsNeverWriteToOneFileAtATime) {
  for (const std::size_t rows : {5, 20}) {  // nothing is out yet, or two lines are
    for (const char* name : {"m", "r"}) std::filesystem::remove(path(name));
    Process first(durable().fit());
    first.write(csv(rows));
    ASSERT_TRUE(first.wait_until([&] { return std::filesystem::exists(path("m")) && read("r").has_value(); }));
    ASSERT_TRUE(first.wait_until([&] { return whole_lines(*read("r")).size() == rows / 10; }));
    const auto releases = read("r");
    const Outcome second = run(durable().with("--model", path("other")).fit(), csv(20));
    EXPECT_EQ(second.exit_code, rows == 5 ? 4 : 2) << second.err;
    EXPECT_TRUE(is_one_line(second.err));
    EXPECT_FALSE(std::filesystem::exists(path("other")));
    EXPECT_EQ(read("r"), releases);
    first.write(csv(30).substr(csv(rows).size()));
    first.close_input_when_delivered();
    EXPECT_EQ(first.finish().exit_code, 0);
    EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(30)));
  }
}

TEST_F(DurableCopies, AFirstProcessThatWasKilledIsNoObstacle) {
  Process first(durable().fit());
  first.write(csv(20));
  ASSERT_TRUE(first.wait_until([&] { return whole_lines(read("r").value_or("")).size() == 2; }));
  first.send(SIGKILL);
  first.finish();
  EXPECT_EQ(run(go_on({"-"}), csv(40)).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(40)));
}

}  // namespace
}  // namespace rivulet::cli_testing
