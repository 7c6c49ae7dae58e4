// A model altered by someone who knows the format and makes every digest fit again. The digests are no signature: what
// protects the promise then is that the mechanism is accounted for again, and that the log only grows.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "log/statistics_bytes.h"
#include "request/settings.h"
#include "rivulet/error.h"
#include "store/content.h"
#include "store/model_folder.h"
#include "store/reseal.h"

namespace rivulet::store_testing {
namespace {

class TamperedModelTest : public ModelFolder {
 protected:
  void SetUp() override {
    ModelFolder::SetUp();
    make("m", with_units(1));
  }

  void make(const std::string& name, const StreamOptions& wanted) {
    DurableRegression regression = DurableRegression::create(path(name), wanted);
    const auto stream = rows(12);
    for (std::size_t i = 0; i < stream.size(); ++i) observe(regression, stream[i], i);
    regression.close("row 12");
  }

  void set_meta(PlainSqlite& database, const std::string& key, const std::string& value) {
    database.rows("UPDATE public_meta SET value = ? WHERE key = '" + key + "'", {value});
  }
  std::string request(PlainSqlite& database) {
    return database.value("SELECT value FROM public_meta WHERE key = 'request'");
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  // Both sides refuse it as damaged, and leave it alone. Returns what they say.
  std::string expect_damaged() {
    const auto before = everything();
    std::string reader;
    std::string writer;
    try {
      ReleaseLog(path("m")).verify();
      reader = "accepted";
    } catch (const DamagedFile& error) {
      reader = error.what();
    }
    try {
      DurableRegression::open(path("m"));
      writer = "accepted";
    } catch (const DamagedFile& error) {
      writer = error.what();
    }
    EXPECT_EQ(reader, writer);
    EXPECT_NE(writer.find("'" + path("m") + "'"), std::string::npos) << writer;
    EXPECT_EQ(everything(), before);
    return writer;
  }
};

TEST_F(TamperedModelTest, ResealingWhatWasNotAlteredChangesNothing) {
  const Witness witness = witness_of(path("m"));
  { reseal(Alteration(path("m")).database()); }
  EXPECT_EQ(witness_of(path("m")), witness);
}

TEST_F(TamperedModelTest, ARequestEditedInPlaceDoesNotFitItsDigest) {
  {
    Alteration altered(path("m"));
    set_meta(altered.database(), "request",
             replaced(request(altered.database()), R"("epsilon":1.0)", R"("epsilon":10.0)"));
  }
  EXPECT_NE(expect_damaged().find("does not fit its digest"), std::string::npos);
}

TEST_F(TamperedModelTest, ALargerBudgetForTheSameNoiseIsRefusedWhateverTheDigestsSay) {
  for (const char* epsilon : {"10.0", "1.0000001", "0.9999999", "0.1"}) {
    remove_model(path("m"));
    make("m", with_units(1));
    {
      Alteration altered(path("m"));
      set_meta(altered.database(), "request",
               replaced(request(altered.database()), R"("epsilon":1.0)", std::string(R"("epsilon":)") + epsilon));
      reseal(altered.database());
    }
    EXPECT_NE(expect_damaged().find("noise is not the noise the promise demands"), std::string::npos) << epsilon;
  }
}

TEST_F(TamperedModelTest, ARequestThatNamesAnotherFileOpensNone) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);  // whoever opens it waits for ever
  {
    Alteration altered(path("m"));
    set_meta(altered.database(), "request",
             replaced(request(altered.database()), R"("constraint":"l2:2")",
                      R"("constraint":"polytope:)" + path("pipe") + "\""));
    reseal(altered.database());
  }
  ::alarm(20);
  EXPECT_NE(expect_damaged().find("names another file"), std::string::npos);
  ::alarm(0);
}

TEST_F(TamperedModelTest, WhatAFileSaysIsQuotedInOneLine) {
  for (const auto& [from, to] : {std::pair(R"("constraint":"l2:2")", R"("constraint":"x\ny\u001b[2J")"),
                                 std::pair(R"("only-if":[])", R"("only-if":["a\nb"])"),
                                 std::pair(R"("strategy":"blt")", R"("strategy":"b\nlt")")}) {
    remove_model(path("m"));
    make("m", with_units(1));
    {
      Alteration altered(path("m"));
      set_meta(altered.database(), "request", replaced(request(altered.database()), from, to));
      reseal(altered.database());
    }
    const std::string why = expect_damaged();
    EXPECT_NE(why, "accepted") << to;
    EXPECT_TRUE(std::none_of(why.begin(), why.end(), [](char c) { return c >= 0 && c < 0x20; })) << why;
  }
}

privacy::PlanDecisions decisions_of(PlainSqlite& database) {
  const std::string bytes = database.value("SELECT value FROM public_meta WHERE key = 'decisions'");
  return std::get<privacy::PlanDecisions>(log::parse_decisions(bytes, options(1), "m"));
}

TEST_F(TamperedModelTest, HalvedNoiseIsRefusedWhateverTheDigestsSay) {
  for (const double factor : {0.5, 1.0 - 1e-9, 2.0}) {
    for (int which = 0; which < 4; ++which) {
      remove_model(path("m"));
      make("m", options(1));
      {
        Alteration altered(path("m"));
        PlainSqlite& database = altered.database();
        auto decisions = decisions_of(database);
        double* const sigmas[] = {&decisions.sigmas.gram_diagonal, &decisions.sigmas.gram_offdiagonal,
                                  &decisions.sigmas.cross, &decisions.sigmas.target_square};
        *sigmas[which] *= factor;
        set_meta(database, "decisions", log::decisions_bytes(decisions));
        reseal(database);
      }
      EXPECT_NE(expect_damaged().find("it was altered after it was made"), std::string::npos) << factor << which;
    }
  }
}

TEST_F(TamperedModelTest, AStepBeyondThePromisedOnesIsRefusedWhateverTheDigestsSay) {
  for (const std::uint64_t last_step : {std::uint64_t{0}, std::uint64_t{11}, ~std::uint64_t{0}}) {
    remove_model(path("m"));
    make("m", options(1));
    {
      Alteration altered(path("m"));
      PlainSqlite& database = altered.database();
      auto decisions = decisions_of(database);
      decisions.last_step = last_step;
      set_meta(database, "decisions", log::decisions_bytes(decisions));
      reseal(database);
    }
    if (last_step == 11) {
      EXPECT_THROW(DurableRegression::open(path("m")), DamagedFile);  // it has published twelve
    } else {
      expect_damaged();
    }
  }
}

TEST_F(TamperedModelTest, AUnitGivenMoreRowsThanItMayContributeIsRefused) {
  {
    Alteration altered(path("m"));
    altered.database().run("UPDATE sensitive_unit SET rows = 10");
    reseal(altered.database());
  }
  EXPECT_THROW(DurableRegression::open(path("m")), DamagedFile);
  EXPECT_NO_THROW(ReleaseLog(path("m")).verify());  // the public half is as it was
}

TEST_F(TamperedModelTest, ACountOfAUnitThatWasSetBackIsRefused) {
  Alteration(path("m")).database().run("UPDATE sensitive_unit SET rows = 1 WHERE rows = 2");
  EXPECT_THROW(DurableRegression::open(path("m")), DamagedFile);
}

TEST_F(TamperedModelTest, AReleaseOrAnEntryTakenAwayOrPutInIsNoticed) {
  for (const char* change :
       {"DELETE FROM public_release WHERE step = 12", "DELETE FROM public_release WHERE step = 5",
        "DELETE FROM public_release", "UPDATE public_release SET step = 20 WHERE step = 12",
        "INSERT INTO public_release SELECT 13, rows, statistics, theta, chain FROM public_release "
        "WHERE step = 12",
        "DELETE FROM public_ledger WHERE entry = 3", "DELETE FROM public_ledger WHERE entry = 2",
        "DELETE FROM public_ledger", "UPDATE public_ledger SET time = '1999-01-01T00:00:00Z'", "DELETE FROM public_tip",
        "UPDATE public_tip SET step = 11", "UPDATE public_meta SET value = x'30' WHERE key = 'made_by'",
        "DELETE FROM public_meta WHERE key = 'model'"}) {
    remove_model(path("m"));
    make("m", options(1));
    Alteration(path("m")).database().run(change);
    EXPECT_NE(expect_damaged(), "accepted") << change;
  }
}

TEST_F(TamperedModelTest, TablesTriggersAndViewsOfAnotherMakeAreRefused) {
  for (const char* change :
       {"CREATE TABLE more(x)", "CREATE VIEW more AS SELECT 1", "DROP TRIGGER releases_are_not_deleted",
        "CREATE TRIGGER more AFTER INSERT ON public_release BEGIN UPDATE public_state SET steps = 0; END",
        "CREATE INDEX more ON public_release(rows)", "ALTER TABLE notice RENAME TO remark",
        "ALTER TABLE public_ledger RENAME TO hidden; CREATE VIEW public_ledger AS SELECT * FROM hidden",
        "ALTER TABLE public_release ADD COLUMN more", "DROP TABLE sensitive_unit"}) {
    remove_model(path("m"));
    make("m", options(1));
    PlainSqlite(path("m")).run(change);
    EXPECT_NE(expect_damaged(), "accepted") << change;
  }
}

TEST_F(TamperedModelTest, WhatOtherToolsAddForThemselvesIsNoDamage) {
  PlainSqlite(path("m")).run("ANALYZE; VACUUM");
  EXPECT_NO_THROW(ReleaseLog(path("m")).verify());
  EXPECT_NO_THROW(DurableRegression::open(path("m")));
}

TEST_F(TamperedModelTest, AModelInAJournalModeThatCouldLoseACommitIsReadAndNotWrittenTo) {
  PlainSqlite(path("m")).run("VACUUM INTO '" + path("copy") + "'");
  PlainSqlite(path("m")).run("PRAGMA journal_mode = delete");
  for (const char* name : {"m", "copy"}) {
    const auto before = everything();
    EXPECT_NO_THROW(ReleaseLog(path(name)).verify());
    EXPECT_THROW(DurableRegression::open(path(name)), DamagedFile);
    EXPECT_EQ(everything(), before);
    PlainSqlite(path(name)).run("PRAGMA journal_mode = wal");
    EXPECT_NO_THROW(DurableRegression::open(path(name)));
  }
}

TEST_F(TamperedModelTest, LogAndLedgerCannotBeChangedThroughPlainSqlite) {
  ReleaseLog(path("m")).export_to(path("export"));
  for (const char* file : {"m", "export"}) {
    PlainSqlite database(path(file));
    for (const char* table : {"public_release", "public_ledger"}) {
      for (const char* change :
           {"UPDATE %s SET rows = 7", "UPDATE %s SET chain = x''", "DELETE FROM %s", "DELETE FROM %s WHERE rows > 3"}) {
        const std::string text = replaced(change, "%s", table);
        EXPECT_NE(database.attempt(text).find("append-only"), std::string::npos) << text;
      }
    }
  }
  EXPECT_NO_THROW(ReleaseLog(path("export")).verify());
  EXPECT_NO_THROW(DurableRegression::open(path("m")));
}

}  // namespace
}  // namespace rivulet::store_testing
