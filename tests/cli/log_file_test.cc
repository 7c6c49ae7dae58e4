// Files that are not what they should be, for every command that reads one: an exit code, one line, nothing changed.
#include <gtest/gtest.h>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class LogFile : public DurableTest {
 protected:
  // Every command that reads a model or an export, and the one that goes on from a model.
  [[nodiscard]] std::vector<Arguments> commands(const std::string& file) const {
    return {{"summary", file},
            {"summary", file, "--json"},
            {"predict", file, path("d.csv")},
            {"refit", file},
            {"refit", file, "--all"},
            {"export", file, path("public")},
            {"inspect", file},
            {"fit", "--model", file, path("d.csv")}};
  }
  void expect_refused(const std::string& file, int exit_code, const std::string& message) const {
    const auto before = everything();
    for (const Arguments& command : commands(file)) {
      const Outcome outcome = run(command);
      EXPECT_EQ(outcome.exit_code, exit_code) << command[0] << ": " << outcome.err;
      EXPECT_EQ(outcome.out, "") << command[0];
      EXPECT_TRUE(is_one_line(outcome.err)) << command[0];
      EXPECT_TRUE(holds(outcome.err, message)) << command[0];
      EXPECT_TRUE(holds(outcome.err, file)) << command[0];
      EXPECT_EQ(everything(), before) << command[0];
    }
  }
  std::string good_model() const {
    write("d.csv", csv(200));
    EXPECT_EQ(run(durable(fit_flags().with("--release-every", "1")).fit(path("d.csv"))).exit_code, 0);
    return *read("m");
  }
};

TEST_F(LogFile, ThatIsNotThereCannotBeRead) {
  write("d.csv", csv(10));
  const auto before = everything();
  for (const Arguments& command : commands(path("none"))) {
    if (command[0] == "fit") continue;  // which would make it
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 1) << command[0];
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, path("none")));
    EXPECT_TRUE(holds(outcome.err, "No such file or directory"));
    EXPECT_EQ(everything(), before);
  }
  const Outcome fresh = run({"fit", "--model", path("none"), path("d.csv")});
  EXPECT_EQ(fresh.exit_code, 2) << "nothing says what it should be";
  EXPECT_EQ(everything(), before);
}

TEST_F(LogFile, ThatIsAFolderADeviceOrAPipeIsRefused) {
  write("d.csv", csv(10));
  std::filesystem::create_directory(path("folder"));
  expect_refused(path("folder"), 1, "is not a regular file");
  expect_refused("/dev/null", 1, "is not a regular file");
}

TEST_F(LogFile, OfAnyOtherKindIsNoModel) {
  write("d.csv", csv(10));
  expect_refused(write("empty", ""), 4, "not a Rivulet model");
  expect_refused(write("text", "step,rows\n1,2\n" + std::string(5000, 'x')), 4, "not a Rivulet");
  expect_refused(write("short", "SQLite format 3"), 4, "");
  expect_refused(path("d.csv"), 4, "not a Rivulet");
}

TEST_F(LogFile, ThatIsDamagedIsRefusedByWhoeverNeedsTheDamagedPart) {
  const std::string good = good_model();
  expect_refused(write("half", good.substr(0, good.size() / 2)), 4, "");
  expect_refused(write("no last page", good.substr(0, good.size() - 4096)), 4, "");
  expect_refused(write("no last byte", good.substr(0, good.size() - 1)), 4, "");
  std::string newer = good;
  newer[63] = 9;  // the version of the format, in the header of every SQLite file
  expect_refused(write("newer", newer), 4, "newer");
  std::string foreign = good;
  foreign[68] ^= 1;  // whose file it is
  expect_refused(write("foreign", foreign), 4, "not a Rivulet");
}

TEST_F(LogFile, WhoseReleaseIsDamagedIsNeverShownAsANumber) {
  const std::string good = good_model();
  std::size_t refused = 0;
  for (std::size_t place = 8192; place < good.size(); place += 7001) {
    std::string damaged = good;
    damaged[place] ^= 0x10;
    write("damaged", damaged);
    for (const Arguments& command :
         {Arguments{"refit", path("damaged"), "--all"}, Arguments{"refit", path("m"), "--all"}}) {
      const Outcome outcome = run(command);
      if (outcome.exit_code == 0) {
        EXPECT_TRUE(outcome.out == run({"refit", path("m"), "--all"}).out) << place;
      } else {
        EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
        EXPECT_TRUE(is_one_line(outcome.err));
        ++refused;
      }
    }
    const Outcome inspected = run({"inspect", path("damaged")});
    EXPECT_TRUE(inspected.exit_code == 0 || inspected.exit_code == 4) << place;
    EXPECT_EQ(inspected.exit_code == 4, inspected.out.empty()) << place;
  }
  EXPECT_GT(refused, 3U);
}

TEST_F(LogFile, OfAnExportIsNoStreamToGoOnWith) {
  good_model();
  ASSERT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  const auto before = everything();
  const Outcome outcome = run({"fit", "--model", path("public"), path("d.csv")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(holds(outcome.err, "is an export"));
  EXPECT_EQ(everything(), before);
}

TEST_F(LogFile, WithoutAReleaseHasNoModelToShowYet) {
  const std::string file = write("d.csv", csv(5));
  ASSERT_EQ(run(durable().bare("--whole-steps").fit(file)).exit_code, 0);
  for (const char* command : {"summary", "refit", "predict"}) {
    const Outcome outcome = run({command, path("m")}, csv(3));
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "has no release yet"));
  }
  EXPECT_TRUE(holds(run({"inspect", path("m")}).out, "0, all checked"));
  EXPECT_EQ(run({"inspect", path("m"), "--json"}).exit_code, 0);
  EXPECT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  EXPECT_EQ(run({"inspect", path("public")}).exit_code, 0);
}

TEST_F(LogFile, NeedsToBeNamed) {
  for (const char* command : {"summary", "refit", "predict", "inspect", "export"}) {
    const Outcome outcome = run({command});
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "MODEL")) << command;
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
