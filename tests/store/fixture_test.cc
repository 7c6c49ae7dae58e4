// Files that were written once and must be read for ever: tests/fixtures, one folder for each version of the format.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "fixtures/fixture_models.h"
#include "rivulet/error.h"
#include "store/content.h"
#include "store/model_folder.h"
#include "store/plain_sqlite.h"

namespace rivulet::store_testing {
namespace {

using nlohmann::ordered_json;

class FixtureTest : public ModelFolder, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    ModelFolder::SetUp();
    expected_ = ordered_json::parse(bytes_of(fixtures_folder() / "expected.json"));
  }

  static std::filesystem::path fixtures_folder() {
    return std::filesystem::path(RIVULET_SOURCE_DIR) / "tests" / "fixtures" / ("format" + std::to_string(GetParam()));
  }
  static std::string file_of(const std::string& name) { return fixtures_folder() / (name + ".rivulet"); }

  static std::vector<std::vector<std::string>> definitions(const std::string& file) {
    PlainSqlite database(file);
    auto all = database.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name");
    all.push_back(database.rows("PRAGMA application_id").at(0));
    all.push_back(database.rows("PRAGMA user_version").at(0));
    all.push_back(database.rows("PRAGMA encoding").at(0));
    return all;
  }

  ordered_json expected_;
};

TEST_P(FixtureTest, AllAreThereAndSmall) {
  EXPECT_EQ(expected_.size(), fixtures::fixture_models(GetParam()).size() + 1);
  for (const auto& [name, values] : expected_.items()) {
    ASSERT_TRUE(std::filesystem::exists(file_of(name))) << name;
    EXPECT_LE(std::filesystem::file_size(file_of(name)), 100'000U) << name;
  }
}

TEST_P(FixtureTest, EachIsReadAsItWasWritten) {
  for (const auto& [name, values] : expected_.items()) {
    SCOPED_TRACE(name);
    const std::string bytes = bytes_of(file_of(name));
    const ReleaseLog log(file_of(name));
    ASSERT_NO_THROW(log.verify());
    EXPECT_EQ(log.is_export(), name == "export");
    ASSERT_EQ(log.last_step(), values["last-step"]);
    const Release last = log.at(log.last_step());
    EXPECT_EQ(last.chain, values["chain"]);
    EXPECT_EQ(last.model.rows, values["rows"]);
    EXPECT_EQ(last.model.intercept, std::strtod(values["intercept"].get<std::string>().c_str(), nullptr));
    ASSERT_EQ(last.model.coefficients.size(), values["coefficients"].size());
    for (const Coefficient& coefficient : last.model.coefficients) {
      const std::string text = values["coefficients"].at(coefficient.name);
      EXPECT_EQ(coefficient.value, std::strtod(text.c_str(), nullptr)) << coefficient.name;
    }
    ordered_json events;
    for (const LedgerEntry& entry : log.ledger()) events.push_back(entry.event + " " + std::to_string(entry.step));
    EXPECT_EQ(events, values["ledger"]);
    EXPECT_EQ(bytes_of(file_of(name)), bytes) << "reading changed it";
  }
}

TEST_P(FixtureTest, EachModelGoesOnAsItWouldHaveThen) {
  for (const auto& [name, values] : expected_.items()) {
    if (name == "export") continue;
    SCOPED_TRACE(name);
    write_bytes(path(name), bytes_of(file_of(name)));
    DurableRegression regression = DurableRegression::open(path(name));
    EXPECT_EQ(regression.source(), values["source"]);
    EXPECT_EQ(regression.delivered(), values["delivered"]);
    EXPECT_EQ(regression.waiting_rows(), 1U);
    std::size_t number = fixtures::kFixtureRows;
    while (!fixtures::observe_fixture_row(regression, number)) ++number;
    const std::vector<Release> next = regression.close("");
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(next[0].chain, values["next-chain"]);
  }
}

// If this fails, the files in the fixtures' folder are of another format than the program writes: a new format needs a
// new version number and a folder of its own, and the old ones must still be read.
TEST_P(FixtureTest, WhatIsWrittenNowHasTheTablesOfTheFixtures) {
  { DurableRegression::create(path("m"), fixtures::fixture_models(GetParam())[0].options).close(""); }
  ReleaseLog(path("m")).export_to(path("export"));
  for (const auto& [name, values] : expected_.items()) {
    write_bytes(path("fixture"), bytes_of(file_of(name)));
    EXPECT_EQ(definitions(path("fixture")), definitions(path(name == "export" ? "export" : "m"))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FixtureTest, ::testing::Values(1, 2));

}  // namespace
}  // namespace rivulet::store_testing
