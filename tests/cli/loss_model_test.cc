// Models of losses other than squares in a file: gone on with, looked at, handed out.
#include <gtest/gtest.h>

#include "cli/class_fixture.h"

namespace rivulet::cli_testing {
namespace {

class LossModel : public DurableTest {
 protected:
  nlohmann::json json_of(const Arguments& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(LossModel, GoesOnWhereItWasStoppedAsIfItHadNeverBeen) {
  for (const Flags& flags : {class_flags(), class_flags().with("--loss", "hinge").bare("--no-average"),
                             class_flags().without("--tau").with("--mechanism", "naive"), surrogate_flags()}) {
    for (const char* name : {"m", "r", "m-wal", "m-shm"}) std::filesystem::remove(path(name));
    const std::string file = write("d.csv", class_csv(170));
    ASSERT_EQ(run(durable(flags).bare("--whole-steps").fit(file)).exit_code, 0);
    write("d.csv", class_csv(400));
    const Outcome again = run(durable(flags).fit(file));
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(read("r"), uninterrupted(flags, class_csv(400)));
  }
}

TEST_F(LossModel, OfAnythingItWasMadeWithNothingCanChange) {
  ASSERT_EQ(run(durable(class_flags()).fit(write("d.csv", class_csv(100)))).exit_code, 0);
  const auto before = everything();
  for (const auto& [flags, what] : std::vector<std::pair<Arguments, std::string>>{
           {{"--loss", "hinge"}, "another loss (the model has logistic)"},
           {{"--loss", "squared"}, "another loss"},
           {{"--mechanism", "surrogate"}, "another mechanism (the model has erm)"},
           {{"--mechanism", "full"}, "another mechanism"},
           {{"--mechanism", "naive"}, "another mechanism"},
           {{"--classes", "yes,no"}, "another target"},
           {{"--classes", "0,1"}, "another target"},
           {{"--bound", "bought=0:1"}, "another kind of target"},
           {{"--tau", "3"}, "another"},
           {{"--tau-rule", "width"}, "another"},
           {{"--method", "frank-wolfe"}, "another"},
           {{"--iterations", "3"}, "another"},
           {{"--batches", "3"}, "another"},
           {{"--ridge", "1"}, "another"},
           {{"--late-weight", "1"}, "another"},
           {{"--no-average"}, "another"}}) {
    const Outcome outcome = run(go_on(flags));
    EXPECT_EQ(outcome.exit_code, 2) << flags[0];
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(holds(outcome.err, "model: it was made with " + what));
    EXPECT_EQ(everything(), before);
  }
  EXPECT_EQ(run(go_on({"--loss", "logistic", "--mechanism", "erm", "--classes", "no,yes", "--tau", "2", "--average"}))
                .exit_code,
            0);
}

TEST_F(LossModel, OfTheSurrogateKeepsItsMargin) {
  ASSERT_EQ(run(durable(surrogate_flags().with("--margin", "3")).fit(write("d.csv", class_csv(100)))).exit_code, 0);
  for (const Arguments& flags :
       {Arguments{"--margin", "4"}, Arguments{"--mechanism", "erm"}, Arguments{"--tau", "3"}}) {
    EXPECT_EQ(run(go_on(flags)).exit_code, 2) << flags[0];
  }
  EXPECT_EQ(run(go_on({"--margin", "3", "--mechanism", "surrogate"})).exit_code, 0);
  EXPECT_EQ(run(go_on()).exit_code, 0);
}

TEST_F(LossModel, OfARuleThatIsTypedAgainIsTheSame) {
  const Flags flags = durable(class_flags().without("--tau").with("--tau-rule", "width"));
  const std::string file = write("d.csv", class_csv(100));
  ASSERT_EQ(run(flags.fit(file)).exit_code, 0);
  write("d.csv", class_csv(200));
  const Outcome again = run(flags.fit(file));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(run(go_on({"--tau-rule", "convex"})).exit_code, 2);
}

TEST_F(LossModel, SummaryAndInspectSayWhatItIs) {
  ASSERT_EQ(run(durable(class_flags()).fit(write("d.csv", class_csv(250)))).exit_code, 0);
  const auto summary = json_of({"summary", path("m"), "--json"});
  EXPECT_EQ(summary["loss"], "logistic");
  EXPECT_EQ(summary["mechanism"], "erm");
  EXPECT_EQ(summary["classes"], (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(summary["tau"], 2);
  EXPECT_EQ(summary["calls"], 2);
  EXPECT_FALSE(summary.contains("level"));
  for (const auto& entry : summary["coefficients"]) {
    EXPECT_EQ(keys_of(entry), (Names{"name", "published"}));
  }
  EXPECT_TRUE(holds(run({"summary", path("m")}).out, "Fitted by PrivIncERM, logistic loss: 2 calls"));
  EXPECT_TRUE(holds(run({"summary", path("m"), "--at", "1"}).out, "Nothing is learnt before the first call"));

  const Outcome inspected = run({"inspect", path("m")});
  EXPECT_EQ(inspected.exit_code, 0) << inspected.err;
  for (const char* part : {"PrivIncERM", "logistic", "no or yes (target: yes is the positive class)", "2 so far",
                           "20 in all", "every 2 steps", "bytes a row"}) {
    EXPECT_TRUE(holds(inspected.out, part));
  }
  for (const char* part : {"strategy", "gram"}) EXPECT_TRUE(lacks(inspected.out, part));
  const auto json = json_of({"inspect", path("m"), "--json"});
  EXPECT_EQ(json["loss"], "logistic");
  EXPECT_EQ(json["mechanism"], "erm");
  EXPECT_EQ(json["erm"]["tau"], 2);
  EXPECT_EQ(json["erm"]["calls"], 2);
  EXPECT_EQ(json["erm"]["method"], "gradient-descent");
  EXPECT_EQ(json["classes"], (std::vector<std::string>{"no", "yes"}));
  EXPECT_FALSE(json.contains("strategy"));
}

TEST_F(LossModel, OfErmCannotBeRefittedAndOfTheSurrogateCan) {
  ASSERT_EQ(run(durable(class_flags()).fit(write("d.csv", class_csv(100)))).exit_code, 0);
  for (const Arguments& arguments : {Arguments{"refit", path("m")}, Arguments{"refit", path("m"), "--all"}}) {
    const Outcome refused = run(arguments);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_TRUE(is_one_line(refused.err));
    EXPECT_TRUE(holds(refused.err, "is of --mechanism erm, which publishes models and no statistics"));
  }
  ASSERT_EQ(run(surrogate_flags().with("--model", path("s")).with("--releases", path("s.jsonl")).fit(path("d.csv")))
                .exit_code,
            0);
  const auto refitted = json_of({"refit", path("s"), "--json"});
  const auto published = json_lines(read("s.jsonl").value_or("")).back();
  EXPECT_EQ(refitted["coefficients"], published["coefficients"]) << "with no flags, bit for bit";
  EXPECT_EQ(refitted["mechanism"], "surrogate");
  const auto smaller = json_of({"refit", path("s"), "--json", "--constraint", "l2:0.1"});
  EXPECT_NE(smaller["coefficients"], published["coefficients"]);
}

TEST_F(LossModel, AnExportOfErmHoldsModelsAndPredicts) {
  ASSERT_EQ(run(durable(class_flags()).fit(write("d.csv", class_csv(100)))).exit_code, 0);
  const Outcome exported = run({"export", path("m"), path("e")});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_EQ(run({"summary", path("e"), "--json"}).out, run({"summary", path("m"), "--json"}).out);
  EXPECT_EQ(run({"predict", path("e"), path("d.csv")}).out, run({"predict", path("m"), path("d.csv")}).out);
  EXPECT_EQ(run({"refit", path("e")}).exit_code, 2);
  EXPECT_TRUE(holds(run({"inspect", path("e")}).out, "An export: public"));
}

}  // namespace
}  // namespace rivulet::cli_testing
