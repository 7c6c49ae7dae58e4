// Several inputs, one after the other, as one stream; none is counted twice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "cli/durable_fixture.h"
#include "rivulet/durable_regression.h"
#include "support/gzipped.h"

namespace rivulet::cli_testing {
namespace {

class DurableNextInput : public DurableTest {
 protected:
  // Rows `from` to `to` with a header of their own.
  static std::string part(std::size_t from, std::size_t to) {
    const auto lines = data_lines(to);
    return csv(std::vector(lines.begin() + static_cast<std::ptrdiff_t>(from), lines.end()));
  }
};

TEST_F(DurableNextInput, FilesOneAfterTheOtherAreTheirConcatenationBitForBit) {
  const std::string monday = write("monday.csv", part(0, 25));
  const std::string tuesday = write("tuesday.csv.gz", rivulet::testing::gzipped(part(25, 42)));
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(monday)).exit_code, 0);
  ASSERT_EQ(run(go_on({"--next-input", tuesday, "--whole-steps"})).exit_code, 0);
  ASSERT_EQ(run(go_on({"--next-input", "-", "--whole-steps"}), part(42, 58)).exit_code, 0);
  const std::string thursday = write("thursday.csv", part(58, 61));
  ASSERT_EQ(run(go_on({thursday, "--next-input"})).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(61)));
  const Outcome inspected = run({"inspect", path("m")});
  EXPECT_TRUE(holds(inspected.err, "61 rows taken, from 4 inputs, the last " + thursday));
}

TEST_F(DurableNextInput, AnInputMayHaveItsColumnsInAnotherOrderAndAnotherDelimiter) {
  ASSERT_EQ(run(durable().fit(write("monday.csv", part(0, 20)))).exit_code, 0);
  std::string turned = "kind;y;x;z\n";
  for (const std::string& line : whole_lines(part(20, 40))) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (cells[0] != "x") turned += cells[2] + ";" + cells[3] + ";" + cells[0] + ";" + cells[1] + "\n";
  }
  ASSERT_EQ(run(go_on({"--next-input", write("tuesday.csv", turned), "--delimiter", ";"})).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(40)));
  EXPECT_EQ(run(go_on()).exit_code, 0) << "the delimiter is remembered";
}

TEST_F(DurableNextInput, WhatWasCountedIsRefusedUnderAnyNameAndAlsoWhenItHasGrown) {
  const std::string monday = write("monday.csv", part(0, 20));
  ASSERT_EQ(run(durable().fit(monday)).exit_code, 0);
  ASSERT_EQ(run(go_on({"--next-input", write("tuesday.csv", part(20, 40))})).exit_code, 0);
  std::filesystem::create_symlink(monday, path("link"));
  const auto before = everything();
  struct Case {
    const char* name;
    std::string bytes;
  };
  for (const Case& c :
       {Case{"monday.csv", part(0, 20)}, Case{"tuesday.csv", part(20, 40)}, Case{"copy.csv", part(0, 20)},
        Case{"grown.csv", part(0, 30)}, Case{"copy.gz", rivulet::testing::gzipped(part(20, 50))}}) {
    write(c.name, c.bytes);
    const Outcome outcome = run(go_on({"--next-input", path(c.name)}));
    EXPECT_EQ(outcome.exit_code, 2) << c.name;
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "next-input: '" + path(c.name) + "' begins with an input that was already counted"));
    if (!before.contains(c.name)) std::filesystem::remove(path(c.name));
    EXPECT_EQ(everything(), before) << c.name;
  }
  EXPECT_EQ(run(go_on({"--next-input", path("link")})).exit_code, 2);
  EXPECT_EQ(run(go_on({"--next-input", "-"}), Wiring().with_in(Stream::file(path("tuesday.csv")))).exit_code, 2);
  const Outcome without = run(go_on({"--next-input"}));
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_TRUE(holds(without.err, "next-input: needs the new input"));
}

TEST_F(DurableNextInput, OneThatWasInterruptedGoesOnWithoutTheFlagAndTheRefusalSaysSo) {
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(write("monday.csv", part(0, 25)))).exit_code, 0);
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const std::string tuesday = write("tuesday.csv", part(25, 20000));
  Process process(go_on({"--next-input", tuesday, "--releases", path("fifo")}));
  const int unread = ::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_TRUE(process.wait_until([&] { return ReleaseLog(path("m")).last_step() > 2; }));
  process.send(SIGKILL);
  process.finish();
  ::close(unread);
  const Outcome again = run(go_on({"--next-input", tuesday}));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_TRUE(holds(again.err, "to go on with the one that was counted last, the same command without --next-input"));
  ASSERT_EQ(run(go_on({tuesday, "--releases", path("r")})).exit_code, 0);
  EXPECT_TRUE(read("r") == uninterrupted(fit_flags(), csv(20000)));
}

// A named pipe can be opened once: whoever writes to it would lose its reader.
TEST_F(DurableNextInput, ANamedPipeIsOpenedOnce) {
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(write("monday.csv", part(0, 25)))).exit_code, 0);
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  Process process(go_on({"--next-input", path("fifo")}));
  std::thread writer([&] {
    const int out = ::open(path("fifo").c_str(), O_WRONLY | O_CLOEXEC);
    const std::string text = part(25, 3000);
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = ::write(out, text.data() + done, text.size() - done);
      if (written < 0) break;
      done += static_cast<std::size_t>(written);
    }
    ::close(out);
  });
  const Outcome outcome = process.finish();
  writer.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(read("r") == uninterrupted(fit_flags(), csv(3000)));
}

// All that is known of such an input is its header, which others share.
TEST_F(DurableNextInput, AnInputWithoutRowsIsNotTakenForTheBeginningOfTheNext) {
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(write("monday.csv", part(0, 25)))).exit_code, 0);
  ASSERT_EQ(run(go_on({"--next-input", write("tuesday.csv", csv(0))})).exit_code, 0);  // monday's rest is a short step
  const Outcome outcome = run(go_on({"--next-input", write("wednesday.csv", part(25, 45))}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json_lines(*read("r")).back()["rows"], 45);
  expect_releases_are_the_models();
}

TEST_F(DurableNextInput, WhoeverForgetsTheFlagIsTold) {
  ASSERT_EQ(run(durable().fit(write("monday.csv", part(0, 20)))).exit_code, 0);
  for (const char* text : {"x,z,kind,y\n1,2,a,3\n", "kind,z,x,y,w\na,2,1,3,4\n", "a,b\n1,2\n"}) {
    const Outcome outcome = run(go_on({write("tuesday.csv", text)}));
    EXPECT_EQ(outcome.exit_code, 4);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "for an input that follows those that were counted, --next-input"));
  }
}

TEST_F(DurableNextInput, AnInputThatIsRefusedLeavesTheOldOneToGoOnWith) {
  const std::string monday = write("monday.csv", part(0, 20));
  ASSERT_EQ(run(durable().fit(monday)).exit_code, 0);
  EXPECT_EQ(run(go_on({"--next-input", write("other.csv", "a,b\n1,2\n")})).exit_code, 2);
  EXPECT_EQ(run(go_on({"--next-input", path("none.csv")})).exit_code, 1);
  write("monday.csv", part(0, 40));
  ASSERT_EQ(run(go_on()).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(fit_flags(), csv(40)));
}

// Rows that another program put into the model.
class DurableDoors : public DurableNextInput {
 protected:
  void feed(std::size_t from, std::size_t to, const std::string& door) const {
    DurableRegression regression = DurableRegression::open(path("m"));
    regression.set_door(door);
    const std::vector<double> row(regression.options().schema.row_width(), 0.1);
    for (std::size_t i = from; i < to; ++i) regression.observe(row, 0.3);
    (void)regression.close(regression.source());
  }
  // Refused with one line that says where rows came from and what to do; nothing has changed.
  void expect_refused(const Arguments& arguments, const std::string& doors) const {
    const auto before = everything();
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 4);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, doors)) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "--from-row N"));
    EXPECT_TRUE(holds(outcome.err, "--next-input if all its rows are new"));
    EXPECT_EQ(everything(), before);
  }
  [[nodiscard]] std::uint64_t rows_of_model() const { return DurableRegression::open(path("m")).rows(); }
};

TEST_F(DurableDoors, AfterRowsThroughAnotherDoorAnInputIsRefusedUntilItIsSaidWhatItHolds) {
  for (const std::string door : {"python", ""}) {  // a program from before there were doors left no name
    const std::string input = write("rows.csv", csv(20));
    ASSERT_EQ(run(durable().fit(input)).exit_code, 0);
    feed(20, 33, door);
    const std::string doors = door.empty() ? "13 rows through a door unknown" : "13 rows through python";
    write("rows.csv", csv(50));
    expect_refused(go_on(), doors);
    expect_refused(go_on({input}), doors);
    EXPECT_TRUE(holds(run({"inspect", path("m")}).err, "20 rows taken, from 1 input"));
    ASSERT_EQ(run(go_on({"--from-row", "33"})).exit_code, 0);
    EXPECT_EQ(rows_of_model(), 50U);
    EXPECT_EQ(run(go_on({"--from-row", "33"})).exit_code, 0) << "the same command goes on";
    EXPECT_EQ(run(go_on()).exit_code, 0) << "and what was said once need not be said again";
    EXPECT_EQ(rows_of_model(), 50U);
    for (const char* file : {"m", "r", "rows.csv"}) std::filesystem::remove(path(file));
  }
}

TEST_F(DurableDoors, AnInputOfNewRowsIsTakenWhole) {
  ASSERT_EQ(run(durable().fit(write("monday.csv", part(0, 20)))).exit_code, 0);
  feed(20, 33, "python");
  const std::string tuesday = write("tuesday.csv", part(33, 60));
  expect_refused(go_on({tuesday}), "13 rows through python");
  ASSERT_EQ(run(go_on({"--next-input", tuesday})).exit_code, 0);
  EXPECT_EQ(rows_of_model(), 60U);
  const Outcome inspected = run({"inspect", path("m")});
  EXPECT_TRUE(holds(inspected.err, "rows that came from no input of rivulet fit: 13 rows through python"));
  EXPECT_TRUE(holds(inspected.err, "47 rows taken, from 2 inputs"));
  feed(60, 61, "python");
  expect_refused(go_on(), "14 rows through python");
}

TEST_F(DurableDoors, ARowToGoOnAtMustBeThere) {
  ASSERT_EQ(run(durable().fit(write("rows.csv", csv(20)))).exit_code, 0);
  const auto before = everything();
  const Outcome beyond = run(go_on({"--from-row", "21"}));
  EXPECT_EQ(beyond.exit_code, 4);
  EXPECT_TRUE(holds(beyond.err, "has fewer than the 21 rows that are to be skipped"));
  const Outcome word = run(go_on({"--from-row", "-1"}));
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_TRUE(holds(word.err, "from-row"));
  EXPECT_EQ(everything(), before);
  EXPECT_EQ(run(fit_flags().with("--from-row", "3").fit(path("rows.csv"))).exit_code, 2) << "it is for --model";
}

}  // namespace
}  // namespace rivulet::cli_testing
