// An export is the public half and nothing else, complete or not there.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <set>
#include <thread>

#include "rivulet/error.h"
#include "store/child.h"
#include "store/content.h"
#include "store/faulty_disk.h"
#include "store/model_folder.h"
#include "store/plain_sqlite.h"

namespace rivulet::store_testing {
namespace {

class ExportTest : public ModelFolder {
 protected:
  void make(const std::string& name, const StreamOptions& wanted, std::size_t count = 40) const {
    DurableRegression regression = DurableRegression::create(path(name), wanted);
    const auto stream = rows(count);
    for (std::size_t i = 0; i < count; ++i) observe(regression, stream[i], i);
    regression.set_delivered(7);
    regression.close("the place in the source");
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> result;
    for (const auto& [name, bytes] : everything()) result.insert(name);
    return result;
  }
};

TEST_F(ExportTest, ItHoldsThePublicHalfAndNothingElse) {
  for (const auto& wanted : {with_units(1), with_strategy(StrategyKind::tree, 1)}) {
    make("m", wanted);
    ReleaseLog(path("m")).export_to(path("export"));
    EXPECT_EQ(log_content(path("export")), log_content(path("m")));
    EXPECT_TRUE(ReleaseLog(path("export")).is_export());
    EXPECT_FALSE(ReleaseLog(path("m")).is_export());

    const std::string bytes = bytes_of(path("export"));
    std::set<std::string> tables;
    for (const auto& row : PlainSqlite(path("export")).rows("SELECT name FROM sqlite_schema WHERE type = 'table'")) {
      tables.insert(row[0]);
    }
    EXPECT_EQ(tables,
              (std::set<std::string>{"notice", "public_ledger", "public_meta", "public_release", "public_tip"}));

    // Every piece of eight bytes of what is sensitive, but zeros, small numbers and the public parameters that the
    // kernel's state names to say which mechanism it belongs to.
    PlainSqlite model(path("m"));
    std::string known = "rivulet kernel";
    for (const auto& row : model.rows("SELECT value FROM public_meta")) known += row[0];
    std::string sensitive =
        model.value("SELECT kernel FROM sensitive_state") + model.value("SELECT seal FROM sensitive_state");
    for (const auto& row : model.rows("SELECT tag FROM sensitive_unit")) sensitive += row[0];
    int pieces = 0;
    for (std::size_t at = 0; at + 8 <= sensitive.size(); ++at) {
      const std::string piece = sensitive.substr(at, 8);
      if (std::set<char>(piece.begin(), piece.end()).size() < 6) continue;
      if (known.find(piece) != std::string::npos) continue;
      ++pieces;
      EXPECT_EQ(bytes.find(piece), std::string::npos) << "byte " << at;
    }
    EXPECT_GT(pieces, 20);
    for (const char* word : {"sensitive", "rivulet kernel", "the place in the source", "public_state", "person 1"}) {
      EXPECT_EQ(bytes.find(word), std::string::npos) << word;
    }
    EXPECT_NE(bytes_of(path("m")).find("the place in the source"), std::string::npos);
    remove_model(path("m"));
    remove_model(path("export"));
  }
}

TEST_F(ExportTest, AnyoneMayReadItAndNobodyCanGoOnFromIt) {
  make("m", options());
  const mode_t before = ::umask(022);
  ReleaseLog(path("m")).export_to(path("export"));
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path("export").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
  const std::string bytes = bytes_of(path("export"));
  try {
    DurableRegression::open(path("export"));
    ADD_FAILURE();
  } catch (const DamagedFile& error) {
    EXPECT_NE(std::string(error.what()).find("'" + path("export") + "' is an export"), std::string::npos);
  }
  EXPECT_THROW((void)DurableRegression::source_of(path("export")), Error);
  EXPECT_EQ(bytes_of(path("export")), bytes);
}

TEST_F(ExportTest, AnExportOfAnExportIsTheSame) {
  make("m", options());
  ReleaseLog(path("m")).export_to(path("one"));
  ReleaseLog(path("one")).export_to(path("two"));
  EXPECT_EQ(log_content(path("two")), log_content(path("m")));
  EXPECT_EQ(bytes_of(path("two")), bytes_of(path("one")));
}

TEST_F(ExportTest, ItOverwritesNothing) {
  make("m", options());
  write_bytes(path("taken"), "mine");
  write_bytes(path("free.part"), "mine too");
  EXPECT_THROW(ReleaseLog(path("m")).export_to(path("taken")), IoError);
  EXPECT_THROW(ReleaseLog(path("m")).export_to(path("m")), IoError);
  std::filesystem::create_symlink(path("nowhere"), path("link"));
  EXPECT_THROW(ReleaseLog(path("m")).export_to(path("link")), IoError);
  EXPECT_THROW(ReleaseLog(path("m")).export_to(path("no/folder")), IoError);
  ReleaseLog(path("m")).export_to(path("free"));
  EXPECT_EQ(bytes_of(path("taken")), "mine");
  EXPECT_EQ(bytes_of(path("free.part")), "mine too");
  EXPECT_EQ(names(), (std::set<std::string>{"free", "free.part", "link", "m", "taken"}));
}

TEST_F(ExportTest, OneThatFailsLeavesNothingBehind) {
  make("m", options());
  for (const Fault fault : {Fault::write_fails, Fault::disk_full, Fault::everything_fails}) {
    for (std::uint64_t number = 1;; ++number) {
      FaultyDisk disk;
      disk.arm(fault, number);
      bool refused = false;
      try {
        ReleaseLog(path("m")).export_to(path("export"));
      } catch (const IoError&) {
        refused = true;
      }
      const bool fired = disk.fired();
      disk.recover();
      EXPECT_EQ(refused, fired) << name_of(fault) << number;
      if (!fired) break;
      EXPECT_EQ(names(), std::set<std::string>{"m"});
    }
    EXPECT_EQ(log_content(path("export")), log_content(path("m")));
    std::filesystem::remove(path("export"));
  }
}

TEST_F(ExportTest, ADamagedModelIsNotExported) {
  make("m", options());
  std::string bytes = bytes_of(path("m"));
  const std::string theta = PlainSqlite(path("m")).value("SELECT theta FROM public_release WHERE step = 5");
  bytes[bytes.find(theta)] ^= 1;
  write_bytes(path("m"), bytes);
  EXPECT_THROW(ReleaseLog(path("m")).export_to(path("export")), DamagedFile);
  EXPECT_EQ(names(), std::set<std::string>{"m"});
}

// Killed while it writes: there may be an unfinished file, but none under the name that was asked for.
TEST_F(ExportTest, OneThatIsKilledLeavesNoHalfExport) {
  make("m", options(1), 2000);
  int complete = 0;
  for (int i = 0; i < 20; ++i) {
    Child child([&] { ReleaseLog(path("m")).export_to(path("export")); });
    std::this_thread::sleep_for(std::chrono::microseconds(i * 2500));
    child.kill();
    if (!std::filesystem::exists(path("export"))) continue;
    ++complete;
    ASSERT_NO_THROW(ReleaseLog(path("export")).verify());
    ASSERT_EQ(ReleaseLog(path("export")).last_step(), 2000U);
    std::filesystem::remove(path("export"));
  }
  EXPECT_LT(complete, 20);
}

TEST_F(ExportTest, OneOfAModelBeingWrittenIsOfOneMoment) {
  DurableRegression::create(path("m"), options(1)).close("");
  Child writer([&] {
    for (int run = 0;; ++run) {
      DurableRegression regression = DurableRegression::open(path("m"));
      for (int i = 0; i < 10; ++i) {
        regression.observe(std::vector{0.1, 0.2}, 0.3);
        regression.commit("");
      }
      regression.close("");
    }
  });
  std::uint64_t last = 0;
  for (int i = 0; i < 30; ++i) {
    const std::string file = path("export" + std::to_string(i));
    ASSERT_NO_THROW(ReleaseLog(path("m")).export_to(file));
    const ReleaseLog log(file);
    ASSERT_NO_THROW(log.verify());
    // The ledger is of the same moment as the releases: a run that ended has ten.
    const LedgerEntry entry = log.ledger().back();
    EXPECT_LE(entry.step, log.last_step());
    EXPECT_LE(log.last_step(), entry.step + (entry.event == "opened" ? 10 : 0));
    EXPECT_GE(log.last_step(), last);
    last = log.last_step();
  }
}

}  // namespace
}  // namespace rivulet::store_testing
