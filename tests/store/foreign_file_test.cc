// What is not a model is refused in one line that says why, and stays what it was.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "rivulet/error.h"
#include "store/content.h"
#include "store/model_folder.h"
#include "store/plain_sqlite.h"

namespace rivulet::store_testing {
namespace {

class ForeignFileTest : public ModelFolder {
 protected:
  template <typename Expected>
  void expect(const std::string& name, const std::string& text) {
    const auto before = everything();
    const std::string whole = "model: " + text;
    const auto check = [&](const char* who, const auto& call) {
      try {
        call();
        ADD_FAILURE() << name << " was accepted by " << who;
      } catch (const Expected& error) {
        EXPECT_EQ(error.what(), whole) << who;
      } catch (const std::exception& error) {
        ADD_FAILURE() << name << ": " << who << ": " << error.what();
      }
    };
    check("open", [&] { DurableRegression::open(path(name)); });
    check("ReleaseLog", [&] { const ReleaseLog log(path(name)); });
    check("source_of", [&] { (void)DurableRegression::source_of(path(name)); });
    EXPECT_EQ(everything(), before) << name;
  }
  [[nodiscard]] std::string quoted(const std::string& name) const { return "'" + path(name) + "'"; }
  [[nodiscard]] std::string cannot_open(const std::string& name) const {
    return "cannot open " + quoted(name) + ": No such file or directory";
  }
};

TEST_F(ForeignFileTest, EachIsRefusedForItsOwnReason) {
  write_bytes(path("empty"), "");
  expect<DamagedFile>("empty", quoted("empty") + " is empty: not a Rivulet model; it was left untouched");
  write_bytes(path("text"), "age,income\n18,2\n");
  expect<DamagedFile>("text", quoted("text") + " is not a Rivulet model; it was left untouched");
  write_bytes(path("short"), "SQLite format 3");
  expect<DamagedFile>("short", quoted("short") + " is not a Rivulet model; it was left untouched");
  write_bytes(path("header"), std::string("SQLite format 3\0 and then", 25));
  expect<DamagedFile>("header", quoted("header") + " is cut short; it was left untouched");

  const std::string foreign = " is a database, but not a Rivulet model; it was left untouched";
  PlainSqlite(path("database")).run("CREATE TABLE t(x); INSERT INTO t VALUES(1)");
  expect<DamagedFile>("database", quoted("database") + foreign);
  PlainSqlite(path("claimed")).run("PRAGMA application_id = 252006673; CREATE TABLE t(x)");
  expect<DamagedFile>("claimed", quoted("claimed") + foreign);

  const auto with_version = [&](const std::string& name, const std::string& version) {
    DurableRegression::create(path(name), options()).close("");
    PlainSqlite(path(name)).run("PRAGMA user_version = " + version);
  };
  with_version("newer", "3");
  expect<DamagedFile>("newer", quoted("newer") +
                                   " was made by a newer Rivulet (format 3); this one reads formats up to 2; "
                                   "it was left untouched");
  with_version("none", "0");
  expect<DamagedFile>("none", quoted("none") + " is damaged: it has no format version; it was left untouched");
}

TEST_F(ForeignFileTest, WhatIsNoRegularFileIsRefusedAndNobodyWaitsForIt) {
  std::filesystem::create_directory(path("folder"));
  expect<IoError>("folder", quoted("folder") + " is not a regular file");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ::alarm(20);  // a pipe without a writer would keep an open() for ever
  expect<IoError>("pipe", quoted("pipe") + " is not a regular file");
  ::alarm(0);
  expect<IoError>("missing", cannot_open("missing"));
  std::filesystem::create_symlink(path("nowhere"), path("dangling"));
  expect<IoError>("dangling", cannot_open("dangling"));
  EXPECT_THROW(DurableRegression::create(path("dangling"), options()), IoError);
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
}

TEST_F(ForeignFileTest, AnEmptyRivuletFileIsRefused) {
  // Right on the outside, nothing inside.
  PlainSqlite(path("hollow")).run("PRAGMA application_id = 1381387348; PRAGMA user_version = 1; CREATE TABLE t(x)");
  EXPECT_THROW(DurableRegression::open(path("hollow")), DamagedFile);
  EXPECT_THROW(ReleaseLog(path("hollow")), DamagedFile);
}

TEST_F(ForeignFileTest, ASymbolicLinkMeansTheModelAndItsLog) {
  std::filesystem::create_directory(path("far"));
  std::filesystem::create_symlink(path("far/m"), path("link"));
  DurableRegression writer = DurableRegression::create(path("far/m"), options(1));
  writer.observe(std::vector{0.1, 0.2}, 0.3);
  writer.commit("1");
  // The commit is in the log, which stands beside the model and not beside the link.
  EXPECT_EQ(ReleaseLog(path("link")).last_step(), 1U);
  EXPECT_THROW(DurableRegression::open(path("link")), ModelConflict);
  writer.close("1");
  writer = DurableRegression::create(path("other"), options(1));
  DurableRegression through_link = DurableRegression::open(path("link"));
  EXPECT_EQ(through_link.source(), "1");
  through_link.observe(std::vector{0.1, 0.2}, 0.3);
  through_link.commit("2");
  EXPECT_EQ(ReleaseLog(path("far/m")).last_step(), 2U);
  EXPECT_FALSE(std::filesystem::exists(path("link-wal")));
}

TEST_F(ForeignFileTest, AModelWithTwoNamesIsNotContinuedUnderEither) {
  DurableRegression::create(path("m"), options()).close("");
  std::filesystem::create_hard_link(path("m"), path("second"));
  const auto before = everything();
  EXPECT_THROW(DurableRegression::open(path("m")), IoError);
  EXPECT_THROW(DurableRegression::open(path("second")), IoError);
  EXPECT_NO_THROW(ReleaseLog(path("second")).verify());
  EXPECT_EQ(everything(), before);
  std::filesystem::remove(path("second"));
  EXPECT_NO_THROW(DurableRegression::open(path("m")));
}

TEST_F(ForeignFileTest, NamesThatMeanSomethingToSqliteAreOrdinaryNames) {
  for (const char* name :
       {"a b", "50%", "what?mode=memory", "#1", "file:x", "ä\xff\x01", "x?immutable=1&vfs=none", "-wal"}) {
    { DurableRegression::create(path(name), options(1)).close("there"); }
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
    EXPECT_EQ(DurableRegression::open(path(name)).source(), "there") << name;
    EXPECT_EQ(ReleaseLog(path(name)).last_step(), 0U) << name;
    remove_model(path(name));
    EXPECT_TRUE(everything().empty()) << name;
  }
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  {
    DurableRegression regression = DurableRegression::create("relative", options(1));
    std::filesystem::current_path("/");
    regression.observe(std::vector{0.1, 0.2}, 0.3);
    EXPECT_EQ(regression.close("1").size(), 1U);  // where it was made, wherever the process goes
  }
  std::filesystem::current_path(here);
  EXPECT_EQ(ReleaseLog(path("relative")).last_step(), 1U);
  EXPECT_EQ(ReleaseLog("/" + path("relative")).last_step(), 1U);
}

}  // namespace
}  // namespace rivulet::store_testing
