// Settings of losses, classes and PrivIncERM in a configuration, and configurations put together.
#include <gtest/gtest.h>

#include <string>

#include "stream/config.h"
#include "support/refusal.h"

namespace rivulet::stream {
namespace {

using rivulet::testing::refusal;

FitConfig parsed(const std::string& text) {
  return parse_config(text, "my.toml");
}

std::string refused(const std::string& text) {
  return refusal([&] { parsed(text); });
}

TEST(LossConfig, EverySettingIsRead) {
  const FitConfig config = parsed(R"(
loss = "huber:0.5"
classes = ["no", "yes"]
mechanism = "erm"
margin = 2.5
tau = 7
tau-rule = "strongly-convex"
method = "frank-wolfe"
iterations = 3
batches = 2
ridge = 0
late-weight = -1.5
average = false
)");
  EXPECT_EQ(config.loss, "huber:0.5");
  EXPECT_EQ(config.classes, (ClassNames{"no", "yes"}));
  EXPECT_EQ(config.mechanism, Mechanism::erm);
  EXPECT_EQ(config.margin, 2.5);
  EXPECT_EQ(config.tau, 7u);
  EXPECT_EQ(config.tau_rule, ErmTauRule::strongly_convex);
  EXPECT_EQ(config.method, ErmMethod::frank_wolfe);
  EXPECT_EQ(config.iterations, 3u);
  EXPECT_EQ(config.batches, 2u);
  EXPECT_EQ(config.ridge, 0.0);
  EXPECT_EQ(config.late_weight, -1.5);
  EXPECT_EQ(config.average, false);
}

TEST(LossConfig, AWrongValueNamesItsKeyAndWhatIsAccepted) {
  for (const auto& [text, parts] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"loss = 3", {"loss: 3", "a loss in quotes", "line 1"}},
           {"mechanism = \"magic\"", {"mechanism: \"magic\"", "full, sketch, erm, surrogate, naive, trivial"}},
           {"tau = 0", {"tau: 0", "positive whole"}},
           {"tau-rule = \"fast\"", {"tau-rule: \"fast\"", "convex, strongly-convex, width"}},
           {"method = \"newton\"", {"method: \"newton\"", "gradient-descent, frank-wolfe, output-perturbation"}},
           {"iterations = 1.5", {"iterations: 1.5"}},
           {"batches = -1", {"batches: -1"}},
           {"ridge = -1", {"ridge: -1", "0 or more"}},
           {"ridge = inf", {"ridge: inf"}},
           {"late-weight = \"much\"", {"late-weight: \"much\""}},
           {"late-weight = nan", {"late-weight: nan"}},
           {"average = \"yes\"", {"average: \"yes\"", "true or false"}},
           {"margin = 0", {"margin: 0", "positive finite"}},
           {"clases = [0, 1]", {"clases: unknown key; did you mean \"classes\"?"}}}) {
    const std::string message = refused(text);
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << text << ": " << message;
  }
}

TEST(LossConfig, ClassesAreTwoDifferentTextsOrNumbers) {
  EXPECT_EQ(parsed("classes = [0, 1]").classes, (ClassNames{"0", "1"}));
  EXPECT_EQ(parsed("classes = [-1.5, 1]").classes, (ClassNames{"-1.5", "1"}));
  EXPECT_EQ(parsed("classes = \"no, yes\"").classes, (ClassNames{"no", "yes"}));
  EXPECT_EQ(parsed("classes = [\"a,b\", \"c|d\"]").classes, (ClassNames{"a,b", "c|d"}));
  EXPECT_EQ(parse_classes("no, thanks|yes, please"), (ClassNames{"no, thanks", "yes, please"}));
  for (const char* text :
       {"classes = \"a\"", "classes = \"a,b,c\"", "classes = \"a,a\"", "classes = \"a,\"", "classes = \"\"",
        "classes = [0, 0.0]", "classes = \"1,1.0\"", "classes = [\"a\"]", "classes = [1, 2, 3]", "classes = []",
        "classes = 3", "classes = [true, false]", "classes = [\"\", \"a\"]"}) {
    const std::string message = refused(text);
    EXPECT_NE(message.find("classes: "), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find("the negative one first"), std::string::npos) << text << ": " << message;
  }
}

TEST(LossConfig, ClassesTakeThePlaceOfTheTargetsBounds) {
  const std::string features = "target = \"y\"\nfeatures = [\"x\"]\n";
  const std::string bounds = "[bounds]\nx = [0, 1]\n";
  const Schema words = build_schema(parsed(features + "classes = [\"no\", \"yes\"]\n" + bounds));
  EXPECT_TRUE(words.has_classes());
  EXPECT_EQ(class_names(words), (ClassNames{"no", "yes"}));
  const Schema numbers = build_schema(parsed(features + "classes = [2, -3]\n" + bounds));
  EXPECT_FALSE(numbers.class_words());
  EXPECT_EQ(numbers.target_bounds().lo, -3.0);
  EXPECT_EQ(class_names(numbers), (ClassNames{"2", "-3"})) << "the negative class may be the larger number";
  EXPECT_FALSE(build_schema(parsed(features + "classes = [\"1e400\", \"1\"]\n" + bounds)).class_words() == std::nullopt)
      << "what is no number is a word";

  const std::string both =
      refusal([&] { build_schema(parsed(features + "classes = [0, 1]\n" + bounds + "y = [0, 1]\n")); });
  EXPECT_NE(both.find("bound y: declared for a target of two classes"), std::string::npos) << both;
  const std::string neither = refusal([&] { build_schema(parsed(features + bounds)); });
  EXPECT_NE(neither.find("--classes NEGATIVE,POSITIVE"), std::string::npos) << neither;
  const std::string levels =
      refusal([&] { build_schema(parsed(features + bounds + "[levels]\ny = [\"no\", \"yes\"]\n")); });
  EXPECT_NE(levels.find("levels y: declared for the target"), std::string::npos) << levels;
  EXPECT_NE(levels.find("--classes"), std::string::npos) << levels;
}

TEST(LossConfig, WhatIsTypedOfTheTargetReplacesTheFiles) {
  const FitConfig numbers = parsed("target = \"y\"\n[bounds]\ny = [0, 1]\n");
  const FitConfig classes = parsed("target = \"y\"\nclasses = [0, 1]\n");
  FitConfig typed;
  typed.classes = ClassNames{"no", "yes"};
  EXPECT_EQ(merge(classes, typed).classes, typed.classes);
  EXPECT_EQ(merge(numbers, typed).classes, typed.classes);
  EXPECT_FALSE(merge(numbers, typed).bounds.contains("y"));
  FitConfig bounded;
  bounded.bounds.emplace("y", Interval{2.0, 3.0});
  EXPECT_FALSE(merge(classes, bounded).classes);
  EXPECT_EQ(merge(classes, bounded).bounds.at("y").hi, 3.0);
  EXPECT_TRUE(merge(classes, FitConfig()).classes);
}

TEST(LossConfig, EachSettingMayBeTypedOnItsOwn) {
  const FitConfig file = parsed(
      "loss = \"hinge\"\nmechanism = \"erm\"\ntau = 3\nmethod = \"frank-wolfe\"\niterations = 4\nbatches = 5\n"
      "ridge = 0.5\nlate-weight = 1\naverage = true\n");
  const FitConfig typed = parsed(
      "loss = \"logistic\"\ntau = 30\nmethod = \"gradient-descent\"\niterations = 40\nbatches = 50\n"
      "ridge = 5\nlate-weight = 10\naverage = false\nmargin = 6\n");
  const FitConfig merged = merge(file, typed);
  EXPECT_EQ(merged.loss, "logistic");
  EXPECT_EQ(merged.mechanism, Mechanism::erm);
  EXPECT_EQ(merged.tau, 30u);
  EXPECT_EQ(merged.method, ErmMethod::gradient_descent);
  EXPECT_EQ(merged.iterations, 40u);
  EXPECT_EQ(merged.batches, 50u);
  EXPECT_EQ(merged.ridge, 5.0);
  EXPECT_EQ(merged.late_weight, 10.0);
  EXPECT_EQ(merged.average, false);
  EXPECT_EQ(merged.margin, 6.0);
  EXPECT_EQ(merge(file, FitConfig()).tau, 3u);
}

TEST(LossConfig, AMechanismOrARuleThatIsTypedUndoesWhatItContradictsInTheFile) {
  const FitConfig file = parsed("mechanism = \"erm\"\ntau = 3\nridge = 0.5\niterations = 4\n");
  FitConfig typed;
  typed.tau_rule = ErmTauRule::width;
  EXPECT_FALSE(merge(file, typed).tau);
  EXPECT_EQ(merge(file, typed).ridge, 0.5);
  for (const Mechanism mechanism : {Mechanism::full, Mechanism::surrogate, Mechanism::trivial}) {
    FitConfig other;
    other.mechanism = mechanism;
    const FitConfig merged = merge(file, other);
    EXPECT_FALSE(merged.tau || merged.ridge || merged.iterations) << to_string(mechanism);
  }
  FitConfig naive;
  naive.mechanism = Mechanism::naive;
  EXPECT_FALSE(merge(file, naive).tau);
  EXPECT_EQ(merge(file, naive).iterations, 4u);
  FitConfig erm;
  erm.mechanism = Mechanism::erm;
  EXPECT_FALSE(merge(parsed("sketch = 12\nmechanism = \"sketch\"\nsketch-seed = 1\n"), erm).sketch);
  EXPECT_FALSE(merge(parsed("mechanism = \"surrogate\"\nmargin = 2\n"), erm).margin);
  const FitConfig sums = parsed("strategy = \"tree\"\nbuffers = 2\ntree-decoding = \"paper\"\nrow-set = \"dense\"\n");
  const FitConfig asked = merge(sums, erm);
  EXPECT_FALSE(asked.strategy || asked.buffers || asked.tree_decoding || asked.row_set);
  erm.strategy = StrategyKind::hybrid;
  EXPECT_EQ(merge(sums, erm).strategy, StrategyKind::hybrid) << "typed beside it, a contradiction to be refused";
}

}  // namespace
}  // namespace rivulet::stream
