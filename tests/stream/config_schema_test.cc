// Configurations put together, and the schema they declare.
#include <gtest/gtest.h>

#include <string>

#include "stream/config.h"
#include "support/refusal.h"

namespace rivulet::stream {
namespace {

using rivulet::testing::refusal;

FitConfig two_columns() {
  FitConfig config;
  config.target = "y";
  config.features = {"age", "job"};
  config.bounds = {{"age", {18.0, 90.0}}, {"y", {0.0, 1.0}}};
  config.levels = {{"job", {"none", "some"}}};
  return config;
}

TEST(Config, WhatTheCommandLineSetsWins) {
  FitConfig file = two_columns();
  file.epsilon = 1.0;
  file.delta = 1e-6;
  FitConfig flags;
  flags.epsilon = 0.1;
  flags.bounds = {{"age", {0.0, 120.0}}};
  const FitConfig merged = merge(file, flags);
  EXPECT_EQ(merged.epsilon, 0.1);
  EXPECT_EQ(merged.delta, 1e-6);
  EXPECT_EQ(merged.bounds.at("age").hi, 120.0);
  EXPECT_EQ(merged.bounds.at("y").hi, 1.0);
  EXPECT_EQ(merged.levels.at("job").size(), 2u);
}

TEST(Config, EverySettingCanBeOverriddenAndConditionsAreReplacedAsAWhole) {
  FitConfig file;
  file.model = "a.model";
  file.only_if = {"l1<=1", "age=18:65"};
  file.unit = "person";
  file.max_rows_per_unit = 3;
  file.whole_steps = true;
  const FitConfig kept = merge(file, {});
  EXPECT_EQ(kept.model, "a.model");
  EXPECT_EQ(kept.only_if.size(), 2u);
  EXPECT_EQ(kept.unit, "person");
  EXPECT_EQ(kept.max_rows_per_unit, 3u);
  EXPECT_EQ(kept.whole_steps, true);

  FitConfig flags;
  flags.model = "b.model";
  flags.only_if = {"l1<=2"};
  flags.unit = "household";
  flags.max_rows_per_unit = 4;
  flags.whole_steps = false;
  const FitConfig merged = merge(file, flags);
  EXPECT_EQ(merged.model, "b.model");
  EXPECT_EQ(merged.only_if, std::vector<std::string>{"l1<=2"});
  EXPECT_EQ(merged.unit, "household");
  EXPECT_EQ(merged.max_rows_per_unit, 4u);
  EXPECT_EQ(merged.whole_steps, false);
}

TEST(Config, ABoundOnTheCommandLineReplacesLevelsInTheFileAndBack) {
  FitConfig flags;
  flags.bounds = {{"job", {0.0, 3.0}}};
  flags.levels = {{"age", {"young", "old"}}};
  const FitConfig merged = merge(two_columns(), flags);
  EXPECT_FALSE(merged.levels.contains("job"));
  EXPECT_FALSE(merged.bounds.contains("age"));
  EXPECT_NO_THROW(build_schema(merged));
}

TEST(Config, TheSchemaHasTheFeaturesInTheirOrder) {
  const Schema schema = build_schema(two_columns());
  EXPECT_EQ(schema.coordinate_names(), (std::vector<std::string>{"(intercept)", "age", "job=some"}));
  EXPECT_EQ(schema.target_name(), "y");
  FitConfig config = two_columns();
  config.intercept = false;
  config.clip_norm = 1.0;
  EXPECT_EQ(build_schema(config).row_width(), 3u);
  EXPECT_EQ(build_schema(config).norm_limit(), 1.0);
}

TEST(Config, AColumnWithoutADeclarationIsRefusedAndToldHowToDeclareOne) {
  FitConfig config = two_columns();
  config.bounds.erase("age");
  const std::string feature = refusal([&] { build_schema(config); });
  EXPECT_NE(feature.find("bounds are never learnt from the data"), std::string::npos) << feature;
  EXPECT_NE(feature.find("--bound age=LO:HI or an entry age = [LO, HI] under [bounds]"), std::string::npos) << feature;
  EXPECT_NE(feature.find("--levels age=A|B"), std::string::npos) << feature;

  config = two_columns();
  config.bounds.erase("y");
  const std::string target = refusal([&] { build_schema(config); });
  EXPECT_NE(target.find("--bound y=LO:HI"), std::string::npos) << target;
  EXPECT_EQ(target.find("--levels"), std::string::npos) << target;
}

TEST(Config, ADeclarationForAColumnNobodyUsesIsRefused) {
  FitConfig config = two_columns();
  config.bounds["agge"] = {0.0, 1.0};
  EXPECT_EQ(refusal([&] { build_schema(config); }),
            "bound agge: declared for a column that is neither a feature nor the target; did you mean \"age\"?");
  config = two_columns();
  config.levels["colour"] = {"red", "blue"};
  EXPECT_NE(refusal([&] { build_schema(config); }).find("levels colour: declared for a column"), std::string::npos);
}

TEST(Config, ContradictoryDeclarationsAreRefused) {
  FitConfig both = two_columns();
  both.levels["age"] = {"young", "old"};
  EXPECT_NE(refusal([&] { build_schema(both); }).find("both bounds and levels"), std::string::npos);
  FitConfig category = two_columns();
  category.levels["y"] = {"no", "yes"};
  EXPECT_NE(refusal([&] { build_schema(category); }).find("the target, which is a number"), std::string::npos);
  FitConfig twice = two_columns();
  twice.features = {"age", "age"};
  twice.levels.clear();
  EXPECT_NE(refusal([&] { build_schema(twice); }).find("declared twice"), std::string::npos);
  FitConfig itself = two_columns();
  itself.features = {"age", "job", "y"};
  EXPECT_NE(refusal([&] { build_schema(itself); }).find("column y: declared twice"), std::string::npos);
}

TEST(Config, TargetAndFeaturesMustBeSet) {
  FitConfig config = two_columns();
  config.target.reset();
  EXPECT_NE(refusal([&] { build_schema(config); }).find("target: not set"), std::string::npos);
  config = two_columns();
  config.features.reset();
  EXPECT_NE(refusal([&] { build_schema(config); }).find("features: not set"), std::string::npos);
}

}  // namespace
}  // namespace rivulet::stream
