// What a model shows of itself, to whom; and that what is public cannot tell why a row was not used.
#include <gtest/gtest.h>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {
namespace {

class InspectCommand : public DurableTest {
 protected:
  void fit(const std::vector<std::string>& lines, const Flags& flags = fit_flags()) const {
    for (const char* name : {"m", "r", "public"}) std::filesystem::remove(path(name));
    fitted_ = run(durable(flags).fit(), csv(lines));
    ASSERT_EQ(fitted_.exit_code, 0) << fitted_.err;
    const Outcome exported = run({"export", path("m"), path("public")});
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    EXPECT_EQ(exported.out, "");
  }
  mutable Outcome fitted_;
};

std::vector<std::string> with_row(const std::string& row) {
  auto lines = data_lines(50);
  lines.back() = row;
  return lines;
}

TEST_F(InspectCommand, AnExportShowsTheSameAsItsModelButThatItIsPublic) {
  fit(with_row("NA,NA,NA,NA"), fit_flags().without("--insecure-seed"));
  const Outcome model = run({"inspect", path("m")});
  const Outcome exported = run({"inspect", path("public")});
  const auto tail = [](const std::string& text) { return text.substr(text.find('\n')); };
  EXPECT_EQ(tail(model.out), tail(exported.out));
  EXPECT_TRUE(holds(model.out, "its file is sensitive"));
  EXPECT_TRUE(holds(exported.out, "An export: public"));
  for (const char* part :
       {"epsilon 1, delta 1e-06", "one row", "replace", "blt", "l2:2", "release every", "0 to 10", "one of a, b, c",
        "-50 to 50 (target)", "5, all checked", "rows in them", "promise", "closed"}) {
    EXPECT_TRUE(holds(exported.out, part));
  }
  auto json = nlohmann::json::parse(run({"inspect", path("m"), "--json"}).out);
  auto public_json = nlohmann::json::parse(run({"inspect", path("public"), "--json"}).out);
  EXPECT_EQ(json["kind"], "model");
  EXPECT_EQ(public_json["kind"], "export");
  json.erase("kind");
  public_json.erase("kind");
  EXPECT_EQ(json, public_json);
  EXPECT_EQ(keys_of(json),
            (Names{"chain",     "constraint", "delta",         "dimension", "epsilon",           "l2_sensitivity",
                   "last_step", "ledger",     "loss",          "made_by",   "max_rows_per_unit", "mechanism",
                   "mu",        "neighbours", "not_private",   "profile",   "release_every",     "releases",
                   "rows",      "strategy",   "strategy_norm", "unit"}));
  EXPECT_EQ(json["ledger"].size(), 3U);
  EXPECT_EQ(json["ledger"][2]["event"], "closed");
  EXPECT_EQ(json["ledger"][2]["rows"], 50);
}

TEST_F(InspectCommand, ExactCountsAreForTheOperatorsEyesAndInNoExport) {
  fit(with_row("NA,NA,NA,NA"));
  for (const Arguments& more : {Arguments{}, Arguments{"--json"}}) {
    Arguments on_model{"inspect", path("m")};
    Arguments on_export{"inspect", path("public")};
    on_model.insert(on_model.end(), more.begin(), more.end());
    on_export.insert(on_export.end(), more.begin(), more.end());
    const Outcome model = run(on_model);
    EXPECT_EQ(
        model.err,
        "operator only, do not publish: 50 rows taken, from 1 input, the last standard input\n"
        "operator only, do not publish: 1 of 50 rows could not be used and counted as zero rows (1 with a missing "
        "value)\n");
    EXPECT_TRUE(lacks(model.out, "operator"));
    EXPECT_EQ(run(on_export).err, "");
  }
  fit(data_lines(50));
  EXPECT_EQ(run({"inspect", path("m")}).err,
            "operator only, do not publish: 50 rows taken, from 1 input, the last standard input\n");
}

// All that may be seen by others: the promise and every release with its statistics, as JSON and as text, without the
// times in the ledger.
std::string all_that_is_public(const std::string& file) {
  std::string text;
  auto json = nlohmann::json::parse(run({"inspect", file, "--json"}).out);
  for (auto& entry : json["ledger"]) entry.erase("time");
  text += json.dump();
  for (const Arguments& arguments : {Arguments{"summary", file},
                                     {"summary", file, "--json"},
                                     {"refit", file, "--all"},
                                     {"refit", file, "--all", "--constraint", "l1:0.3", "--regularise", "none"},
                                     {"summary", file, "--at", "1"}}) {
    text += run(arguments).out;
  }
  return text + run({"predict", file}, csv(5)).out;
}

TEST_F(InspectCommand, NothingPublicDependsOnWhyARowCouldNotBeUsed) {
  fit(with_row("NA,NA,NA,NA"));
  const std::string expected = all_that_is_public(path("public"));
  const std::string printed = fitted_.out;
  const auto releases = read("r");
  const auto size = std::filesystem::file_size(path("public"));
  for (const char* row : {",,,", "inf,1,a,2", "1e400,0,b,1", "one,2,a,3", "1,2,d,3", "1,2,a", "1", "1,2,a,3,4",
                          "\"1\"x,2,a,3", "1,2,a,\"3"}) {
    fit(with_row(row));
    EXPECT_EQ(all_that_is_public(path("public")), expected) << row;
    EXPECT_EQ(all_that_is_public(path("m")).size(), expected.size() - 1) << row << ": 'model' instead of 'export'";
    EXPECT_EQ(fitted_.out, printed) << row;
    EXPECT_EQ(read("r"), releases) << row;
    EXPECT_EQ(std::filesystem::file_size(path("public")), size) << row;
    std::size_t compared = 0;
    const ReleaseLog log(path("public"));
    log.for_each(1, 100, [&](const Release&) { ++compared; });
    EXPECT_EQ(compared, 5U);
  }
}

TEST_F(InspectCommand, AnExportHoldsNothingOfTheInputNotEvenItsName) {
  const std::string file = write("secretly-named.csv", csv(50));
  ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  ASSERT_EQ(run({"export", path("m"), path("public")}).exit_code, 0);
  const std::string bytes = *read("public");
  for (const char* word : {"secretly-named", "sensitive", "rivulet kernel"}) {
    EXPECT_EQ(bytes.find(word), std::string::npos) << word;
    EXPECT_NE(read("m")->find(word), std::string::npos) << word << ": the test looks for the wrong thing";
  }
  EXPECT_EQ(std::filesystem::status(path("m")).permissions(), std::filesystem::perms(0600));
}

TEST_F(InspectCommand, AnExportNeverReplacesAFile) {
  fit(data_lines(50));
  const auto before = everything();
  for (const char* place : {"public", "m", "r"}) {
    const Outcome outcome = run({"export", path("m"), path(place)});
    EXPECT_EQ(outcome.exit_code, 1) << place;
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "export: cannot create '" + path(place) + "': File exists; it was left untouched"));
  }
  const Outcome nowhere = run({"export", path("m"), path("no/such/folder")});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_TRUE(is_one_line(nowhere.err));
  EXPECT_EQ(run({"export", path("m")}).exit_code, 2);
  EXPECT_EQ(everything(), before);
  EXPECT_EQ(run({"export", path("public"), path("again")}).exit_code, 0);
  EXPECT_EQ(run({"refit", path("again"), "--all"}).out, run({"refit", path("m"), "--all"}).out);
}

TEST_F(InspectCommand, ALongLedgerIsShortenedForPeopleAndWholeInJson) {
  const std::string file = write("d.csv", csv(20));
  for (int i = 0; i < 12; ++i) ASSERT_EQ(run(durable().fit(file)).exit_code, 0);
  const auto json = nlohmann::json::parse(run({"inspect", path("m"), "--json"}).out);
  EXPECT_EQ(json["ledger"].size(), 25U);
  const std::string text = run({"inspect", path("m")}).out;
  EXPECT_TRUE(holds(text, "... 14 entries more ..."));
  std::size_t shown = 0;
  for (const std::string& line : whole_lines(text)) shown += line.starts_with("  20") ? 1 : 0;
  EXPECT_EQ(shown, 11U);
}

}  // namespace
}  // namespace rivulet::cli_testing
