// Blocks, formats and sketches in a configuration.
#include <gtest/gtest.h>

#include <string>

#include "stream/config.h"
#include "support/refusal.h"

namespace rivulet::stream {
namespace {

const input::RowFormat kCsv = input::parse_row_format("csv");
const input::RowFormat kLibsvm = input::parse_row_format("libsvm");

using rivulet::testing::refusal;

FitConfig with_bounds(FitConfig config) {
  config.target = "y";
  config.bounds = {{"y", {0.0, 1.0}}, {"w", {0.0, 1.0}}, {"x", {-1.0, 1.0}}, {"age", {0.0, 100.0}}};
  std::erase_if(config.bounds, [&](const auto& entry) {
    const auto names = feature_names(config);
    return entry.first != "y" && std::find(names.begin(), names.end(), entry.first) == names.end();
  });
  return config;
}

TEST(ConfigBlock, EverySettingIsRead) {
  const FitConfig config = parse_config(
      "format = \"libsvm\"\nblock = [\"w:40\", \"a:b:2\"]\ndimension = 300\nmechanism = \"sketch\"\nsketch = 12\n"
      "embedding = \"gaussian\"\ncolumn-weight = 4\nsketch-seed = 0\nrow-set = \"sparse:10\"\n",
      "c.toml");
  EXPECT_EQ(config.format, kLibsvm);
  EXPECT_EQ(config.blocks, (std::vector<std::pair<std::string, std::uint64_t>>{{"w", 40}, {"a:b", 2}}));
  EXPECT_EQ(config.dimension, 300u);
  EXPECT_EQ(config.mechanism, Mechanism::sketch);
  EXPECT_EQ(config.sketch, SketchSize{12});
  EXPECT_EQ(config.embedding, "gaussian");
  EXPECT_EQ(config.column_weight, 4u);
  EXPECT_EQ(config.sketch_seed, 0u);
  EXPECT_EQ(config.row_set, "sparse:10");
  const FitConfig words = parse_config(
      "block = \"w:40\"\nsketch = \"paper\"\nmechanism = \"full\"\nsketch-seed = \"18446744073709551615\"\n", "c.toml");
  EXPECT_EQ(words.blocks.size(), 1u);
  EXPECT_EQ(words.sketch, (SketchSize{std::nullopt, SketchRule::paper}));
  EXPECT_EQ(words.mechanism, Mechanism::full);
  EXPECT_EQ(words.sketch_seed, ~std::uint64_t{0});
  EXPECT_EQ(parse_config("sketch = \"auto\"", "c.toml").sketch, SketchSize{});
}

TEST(ConfigBlock, AValueThatIsNotAcceptedNamesItsKeyAndLine) {
  for (const auto& [line, part] : std::vector<std::pair<std::string, std::string>>{
           {"format = \"xml\"", "format: \"xml\" is not accepted; accepted: csv, libsvm"},
           {"format = 1", "accepted: \"csv\" or \"libsvm\""},
           {"block = 3", "accepted: name:columns in quotes"},
           {"block = \"w\"", "block: \"w\" is not accepted; accepted: name:columns"},
           {"block = \"w:0\"", "block w: \"0\" is not accepted"},
           {"block = [\"w:2\", \"w:2\"]", "block w: declared twice"},
           {"dimension = 0", "dimension: 0 is not accepted"},
           {"dimension = \"40\"", "dimension: \"40\" is not accepted"},
           {"mechanism = \"half\"", "mechanism: \"half\" is not accepted; accepted: full, sketch"},
           {"sketch = 0", "sketch: 0 is not accepted; accepted: a number of dimensions"},
           {"sketch = 1.5", "sketch: 1.5 is not accepted"},
           {"sketch = \"big\"", "sketch: \"big\" is not accepted; accepted: a number of dimensions"},
           {"sketch = \"+4\"", "sketch: \"+4\" is not accepted"},
           {"embedding = 1", "embedding: 1 is not accepted"},
           {"column-weight = 0", "column-weight: 0 is not accepted"},
           {"sketch-seed = -1", "sketch-seed: -1 is not accepted"},
           {"sketch-seed = \"18446744073709551616\"", "a whole number from 0 to 18446744073709551615"},
           {"sketch-seed = 9223372036854775807", "in quotes"},
           {"row-set = 3", "row-set: 3 is not accepted"},
           {"sketches = 3", "sketches: unknown key; did you mean \"sketch\"?"}}) {
    const std::string message = refusal([&, text = line] { parse_config("\n" + text, "c.toml"); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find("c.toml, line 2"), std::string::npos) << message;
  }
}

TEST(ConfigBlock, BlocksFollowTheListedFeaturesUnlessListedThemselves) {
  FitConfig config;
  config.features = {"age"};
  config.blocks = {{"w", 2}, {"x", 3}};
  EXPECT_EQ(feature_names(config), (std::vector<std::string>{"age", "w", "x"}));
  config.features = {"x", "age"};
  EXPECT_EQ(feature_names(config), (std::vector<std::string>{"x", "age", "w"}));
  const Schema schema = build_schema(with_bounds(config));
  EXPECT_EQ(schema.dimension(), 1u + 3 + 1 + 2);
  EXPECT_EQ(schema.value_name(0), "x1");
  EXPECT_EQ(schema.value_name(3), "age");
  EXPECT_EQ(schema.value_name(5), "w2");
  config.features.reset();
  EXPECT_EQ(build_schema(with_bounds(config)).row_width(), 5u) << "blocks alone are features enough";
}

TEST(ConfigBlock, ADimensionIsABlockXAndATargetYUnlessThereIsOne) {
  FitConfig config;
  config.dimension = 7;
  const FitConfig written_out = with_dimension(config);
  EXPECT_EQ(written_out.blocks, (std::vector<std::pair<std::string, std::uint64_t>>{{"x", 7}}));
  EXPECT_EQ(written_out.target, "y");
  EXPECT_FALSE(written_out.dimension);
  config.target = "score";
  EXPECT_EQ(with_dimension(config).target, "score");
  config.blocks = {{"x", 7}};
  EXPECT_EQ(refusal([&] { with_dimension(config); }),
            "dimension: is short for the block x, and a block x is declared; accepted: one of the two");
  EXPECT_FALSE(with_dimension(FitConfig{}).target);
}

TEST(ConfigBlock, WhatIsTypedWinsBlockByBlock) {
  FitConfig file;
  file.blocks = {{"w", 2}, {"x", 3}};
  file.format = kCsv;
  file.row_set = "dense";
  file.dimension = 5;
  FitConfig typed;
  typed.blocks = {{"x", 4}, {"z", 1}};
  typed.format = kLibsvm;
  typed.row_set = "l1:1";
  typed.dimension = 6;
  const FitConfig merged = merge(file, typed);
  EXPECT_EQ(merged.blocks, (std::vector<std::pair<std::string, std::uint64_t>>{{"w", 2}, {"x", 4}, {"z", 1}}));
  EXPECT_EQ(merged.format, kLibsvm);
  EXPECT_EQ(merged.row_set, "l1:1");
  EXPECT_EQ(merged.dimension, 6u);
  EXPECT_EQ(merge(file, {}).blocks, file.blocks);
  EXPECT_EQ(merge(file, {}).format, kCsv);
}

TEST(ConfigBlock, AskingForTheFullMatrixUndoesAFilesSketchAndTheOtherWayRound) {
  const FitConfig sketched = parse_config(
      "mechanism = \"sketch\"\nsketch = 12\nembedding = \"gaussian\"\ncolumn-weight = 3\nsketch-seed = 5\n", "f.toml");
  FitConfig typed;
  typed.mechanism = Mechanism::full;
  const FitConfig full = merge(sketched, typed);
  EXPECT_EQ(full.mechanism, Mechanism::full);
  EXPECT_FALSE(full.sketch || full.embedding || full.column_weight || full.sketch_seed);
  FitConfig again;
  again.sketch = SketchSize{9};
  const FitConfig other = merge(full, again);
  EXPECT_FALSE(other.mechanism);
  EXPECT_EQ(other.sketch, SketchSize{9});
  const FitConfig resized = merge(sketched, again);
  EXPECT_EQ(resized.sketch, SketchSize{9});
  EXPECT_EQ(resized.sketch_seed, 5u);
  EXPECT_EQ(resized.embedding, "gaussian");
}

TEST(ConfigBlock, EachSettingOfASketchMayBeTypedOnItsOwn) {
  const FitConfig file =
      parse_config("sketch = 12\nembedding = \"gaussian\"\ncolumn-weight = 3\nsketch-seed = 5\n", "c.toml");
  const FitConfig typed = parse_config("embedding = \"sparse-sign\"\ncolumn-weight = 4\nsketch-seed = 6\n", "d.toml");
  const FitConfig merged = merge(file, typed);
  EXPECT_EQ(merged.embedding, "sparse-sign");
  EXPECT_EQ(merged.column_weight, 4u);
  EXPECT_EQ(merged.sketch_seed, 6u);
  EXPECT_EQ(merged.sketch, SketchSize{12});
}

TEST(ConfigBlock, TheFormatIsDeclaredOrKnownByTheName) {
  for (const auto& [name, format] : std::vector<std::pair<std::string, input::RowFormat>>{{"a.svm", kLibsvm},
                                                                                          {"a.libsvm", kLibsvm},
                                                                                          {"a.svmlight", kLibsvm},
                                                                                          {"a.svm.gz", kLibsvm},
                                                                                          {"a.libsvm.gz", kLibsvm},
                                                                                          {"x/a.svmlight.gz", kLibsvm},
                                                                                          {"a.csv", kCsv},
                                                                                          {"a.gz", kCsv},
                                                                                          {"svm", kCsv},
                                                                                          {"a.svm/rows", kCsv},
                                                                                          {"-", kCsv},
                                                                                          {"a.svm.gz.gz", kCsv}}) {
    EXPECT_EQ(input::format_by_name(name), format) << name;
    FitConfig config;
    config.input = name;
    EXPECT_EQ(format_of(config), format) << name;
    config.format = kLibsvm;
    EXPECT_EQ(format_of(config), kLibsvm);
  }
  EXPECT_EQ(format_of(FitConfig{}), kCsv);
  for (const input::FormatEntry& entry : input::row_formats()) {
    EXPECT_EQ(input::parse_row_format(entry.name), input::RowFormat(entry));
    EXPECT_EQ(input::format_stored_as(entry.stored_as), input::RowFormat(entry));
  }
}

TEST(ConfigBlock, WhatIsMissingIsNamed) {
  FitConfig config;
  config.blocks = {{"w", 2}};
  EXPECT_NE(refusal([&] { build_schema(config); }).find("target: not set"), std::string::npos);
  config.target = "y";
  EXPECT_NE(refusal([&] { build_schema(config); }).find("bound w: not declared"), std::string::npos);
  config.bounds = {{"w", {0.0, 1.0}}};
  EXPECT_NE(refusal([&] { build_schema(config); }).find("bound y: not declared"), std::string::npos);
  config.bounds["y"] = {0.0, 1.0};
  EXPECT_EQ(build_schema(config).row_width(), 2u);
  config.bounds["w1"] = {0.0, 1.0};
  EXPECT_NE(refusal([&] { build_schema(config); }).find("bound w1: declared for a column that is neither"),
            std::string::npos)
      << "the columns of a block have no bounds of their own";
  config.bounds.erase("w1");
  config.bounds.erase("w");
  config.levels = {{"w", {"a", "b"}}};
  EXPECT_NE(refusal([&] { build_schema(config); }).find("levels w: declared for a block"), std::string::npos);
  FitConfig libsvm;
  libsvm.input = "a.svm";
  EXPECT_NE(refusal([&] { build_schema(libsvm); }).find("dimension: not set; libsvm rows have no header"),
            std::string::npos);
}

TEST(ConfigBlock, WholeNumbersAreReadToTheLast) {
  EXPECT_EQ(parse_whole("0", "sketch-seed"), 0u);
  EXPECT_EQ(parse_whole("18446744073709551615", "sketch-seed"), ~std::uint64_t{0});
  for (const char* text : {"", "-1", "+1", " 1", "1.5", "18446744073709551616", "0x1"}) {
    EXPECT_THROW(parse_whole(text, "sketch-seed"), RequestError) << text;
  }
}

}  // namespace
}  // namespace rivulet::stream
