// Promises about units and conditions on rows, from the command line to the file that is handed out.
#include <gtest/gtest.h>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

const char* const kPerson = "zebra-4711-";  // how every identifier begins

class DurableUnits : public DurableTest {
 protected:
  [[nodiscard]] static Flags unit_flags(const std::string& rows_per_unit = "3") {
    return fit_flags().with("--unit", "person").with("--max-rows-per-unit", rows_per_unit);
  }
  // Row i is of person i % people.
  static std::vector<std::string> lines(std::size_t rows, std::size_t people) {
    std::vector<std::string> result;
    for (const std::string& line : data_lines(rows)) {
      result.push_back(kPerson + std::to_string(result.size() % people) + "," + line);
    }
    return result;
  }
  static std::string text(const std::vector<std::string>& lines) {
    std::string result = "person," + std::string(kHeader) + "\n";
    for (const std::string& line : lines) result += line + "\n";
    return result;
  }
};

TEST_F(DurableUnits, RowsPastAUnitsLimitChangeNothingThatIsPublished) {
  // 10 people, 60 rows: after row 30 everybody has had three.
  const auto honest = lines(60, 10);
  const Outcome all = run(durable(unit_flags()).fit(), text(honest));
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const std::string expected = *read("r");
  EXPECT_TRUE(holds(all.err,
                    "operator only, do not publish: 30 of 60 rows could not be used and counted as zero rows (30 "
                    "past their unit's limit)"));
  EXPECT_TRUE(lacks(all.out + expected, "operator"));
  const std::vector<std::string> junk{
      ",9,4,b,50",    "x", "NA,NA,NA,NA,NA", std::string(kPerson) + "3,0,0,a,-50", std::string(kPerson) + "5,,,,",
      "a,b,c,d,e,f,g"};
  auto others = honest;
  for (std::size_t i = 30; i < 60; ++i) others[i] = junk[i % junk.size()];
  std::filesystem::remove(path("m"));
  std::filesystem::remove(path("r"));
  const Outcome outcome = run(durable(unit_flags()).fit(), text(others));
  EXPECT_EQ(read("r"), expected);
  EXPECT_EQ(outcome.out, all.out);
  EXPECT_NE(outcome.err, all.err);
  others[29] = junk[0];
  EXPECT_NE(uninterrupted(unit_flags(), text(others)), expected) << "a row within the limit counts";
}

TEST_F(DurableUnits, ARowThatIsUnreadableAndPastTheLimitIsOneRowForTheOperator) {
  const std::string input = text({"A,1,1,a,1", "A,NA,1,a,1", "A,1,1,a,1", "B,1,1,zzz,1", ",1,1,a,1", "B,1,1,a,1"});
  const std::string expected =
      "operator only, do not publish: 5 of 6 rows could not be used and counted as zero rows (1 with a missing value, "
      "1 "
      "with an undeclared category or class, 1 without a unit, 2 past their unit's limit)\n";
  EXPECT_TRUE(holds(run(unit_flags("1").fit(), input).err, expected));
  const std::string file = write("d.csv", input);
  EXPECT_TRUE(holds(run(durable(unit_flags("1")).fit(file)).err, expected));
  EXPECT_TRUE(holds(run({"inspect", path("m")}).err, expected));
  EXPECT_TRUE(holds(run(go_on()).err, expected)) << "and still when it goes on";
  write("d.csv", input + "A,NA,1,a,1\n");
  EXPECT_TRUE(
      holds(run(go_on()).err, "6 of 7 rows could not be used and counted as zero rows (2 with a missing value,"));
}

TEST_F(DurableUnits, WhatAUnitHasContributedIsRememberedFromRunToRun) {
  const auto all = lines(50, 7);
  std::string sent = text({});
  for (std::size_t i = 0; i < all.size(); ++i) {
    sent += all[i] + "\n";
    if (i % 9 != 4) continue;
    ASSERT_EQ(run(durable(unit_flags()).bare("--whole-steps").fit(write("d.csv", sent))).exit_code, 0);
  }
  ASSERT_EQ(run(durable(unit_flags()).fit(write("d.csv", sent))).exit_code, 0);
  EXPECT_EQ(read("r"), uninterrupted(unit_flags(), sent));
}

TEST_F(DurableUnits, TheUnitIsPartOfThePromiseEverywhere) {
  ASSERT_EQ(run(durable(unit_flags().without("--insecure-seed")).fit(), text(lines(60, 10))).exit_code, 0);
  ASSERT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  for (const auto& line : json_lines(*read("r"))) {
    EXPECT_EQ(line["unit"], "person");
    EXPECT_EQ(line["max_rows_per_unit"], 3);
  }
  for (const char* file : {"m", "public"}) {
    const std::string sentence = "exchanging all rows of any one person (of which 3 count)";
    EXPECT_TRUE(holds(run({"summary", path(file)}).out, sentence));
    EXPECT_TRUE(holds(run({"refit", path(file), "--constraint", "l1:1"}).out, sentence));
    const auto summary = nlohmann::json::parse(run({"summary", path(file), "--json"}).out);
    EXPECT_EQ(summary["unit"], "person");
    EXPECT_EQ(summary["max_rows_per_unit"], 3);
    EXPECT_TRUE(holds(run({"inspect", path(file)}).out, "all rows of one person, of which the first 3 count"));
    EXPECT_EQ(nlohmann::json::parse(run({"inspect", path(file), "--json"}).out)["unit"], "person");
  }
}

TEST_F(DurableUnits, AnIdentifierStandsInNoFileAndNoOutput) {
  auto all = lines(60, 20);
  all[7] = std::string(kPerson) + "unreadable,what,1,a,1";
  all[9] = std::string(kPerson) + "ragged,1";
  const std::string file = write("d.csv", text(all));
  const Outcome fitted = run(durable(unit_flags("2")).fit(file));
  ASSERT_EQ(fitted.exit_code, 0);
  std::string told = fitted.out + fitted.err;
  const Outcome exported = run({"export", path("m"), path("public")});
  told += exported.out + exported.err;
  for (const char* command : {"inspect", "summary", "refit"}) {
    const Outcome outcome = run({command, path("m")});
    told += outcome.out + outcome.err;
  }
  std::filesystem::remove(file);
  for (const auto& [name, bytes] : everything()) EXPECT_EQ(bytes.find("zebra"), std::string::npos) << name;
  EXPECT_TRUE(lacks(told, "zebra"));
}

TEST_F(DurableUnits, BadRequestsStopBeforeAnythingIsReadOrMade) {
  const std::string input = text(lines(20, 5));
  for (const auto& [flags, message] : std::vector<std::pair<Flags, std::string>>{
           {fit_flags().with("--unit", "person"), "max-rows-per-unit: not given"},
           {fit_flags().with("--max-rows-per-unit", "3"), "unit: not given"},
           {unit_flags("0"), "max-rows-per-unit: 0"},
           {unit_flags("many"), "max-rows-per-unit: \"many\""},
           {unit_flags().with("--unit", "x"), "unit"},
           {unit_flags().with("--unit", "kind"), "unit"},
           {unit_flags().with("--unit", "y"), "unit"},
           {unit_flags().with("--unit", ""), "unit"},
           {unit_flags().with("--unit", "nobody"), "column nobody: not found"},
           {fit_flags().with("--only-if", "nonsense"), "only-if"},
           {fit_flags().with("--only-if", "nonzeros<=-1"), "only-if"},
           {fit_flags().with("--only-if", "l1<=two"), "only-if"},
           {fit_flags().with("--only-if", "x=3:2"), "only-if"},
           {fit_flags().with("--only-if", "w=0:1"), "only-if"},
           {fit_flags().with("--only-if", "kind=0:1"), "only-if"},
           {fit_flags().with("--only-if", ""), "only-if"}}) {
    for (const Flags& request : {flags, durable(flags)}) {
      const Outcome outcome = run(request.fit(), input);
      EXPECT_EQ(outcome.exit_code, 2) << message << outcome.err;
      EXPECT_TRUE(is_one_line(outcome.err));
      EXPECT_TRUE(holds(outcome.err, "rivulet: " + message));
      EXPECT_EQ(outcome.out, "");
      EXPECT_TRUE(everything().empty());
    }
  }
}

TEST_F(DurableUnits, ConditionsTurnRowsIntoZeroRowsWithoutATrace) {
  const auto all = data_lines(60);
  const Flags flags = fit_flags().with("--only-if", "x=2:8").plus("--only-if", "y=-20:20");
  auto missing = all;
  std::size_t outside = 0;
  for (std::string& line : missing) {
    const double x = std::stod(line);
    const double y = std::stod(line.substr(line.rfind(',') + 1));
    if (x >= 2 && x <= 8 && y >= -20 && y <= 20) continue;
    line = "NA,NA,NA,NA";
    ++outside;
  }
  ASSERT_GT(outside, 5U);
  ASSERT_LT(outside, 55U);
  const Outcome outcome = run(durable(flags).fit(), csv(all));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err, std::to_string(outside) + " of 60 rows could not be used and counted as zero rows (" +
                                     std::to_string(outside) + " outside the conditions)"));
  EXPECT_EQ(read("r"), uninterrupted(flags, csv(missing)));
  EXPECT_TRUE(lacks(outcome.out + *read("r"), std::to_string(outside) + " "));
  ASSERT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  for (const char* file : {"m", "public"}) {
    EXPECT_TRUE(holds(run({"inspect", path(file)}).out, "x=2:8 and y=-20:20"));
    EXPECT_EQ(ReleaseLog(path(file)).options().only_if, (Names{"x=2:8", "y=-20:20"}));
  }
}

}  // namespace
}  // namespace rivulet::cli_testing
