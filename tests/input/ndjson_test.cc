// Rows from newline-delimited JSON.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "input/byte_source.h"
#include "input/halting_source.h"
#include "input/record_reader.h"
#include "input/row_source.h"
#include "rivulet/error.h"

namespace rivulet::input {
namespace {

Schema mixed() {
  Schema schema;
  return schema.feature("a", {-1e300, 1e300})
      .categorical("c", {"red", "green", "7", "NA"})
      .target("y", {-1e300, 1e300});
}

std::unique_ptr<RowSource> open(ByteSource& source, const Schema& schema, RowSettings settings = {}) {
  settings.format = parse_row_format("ndjson");
  return open_rows(source, schema, settings);
}

struct Reading {
  std::vector<Row> rows;
  OperatorTally tally;
};

Reading read(const std::string& text, const Schema& schema = mixed(), const RowSettings& settings = {},
             std::size_t piece = 7) {
  MemorySource source(text, piece);
  const auto rows = open(source, schema, settings);
  Reading reading;
  for (Row row; rows->next(row);) reading.rows.push_back(row);
  reading.tally = rows->tally();
  return reading;
}

// The only row of a line with these cells; what is not said is usable.
Row row_of(const std::string& a, const std::string& c = "\"red\"", const std::string& y = "1") {
  const Reading reading = read("{\"a\": " + a + ", \"c\": " + c + ", \"y\": " + y + "}\n");
  EXPECT_EQ(reading.rows.size(), 1u) << a << " " << c << " " << y;
  return reading.rows.at(0);
}

TEST(Ndjson, NamesGoToDeclaredColumnsInAnyOrder) {
  const Reading reading = read(
      "{\"y\":-2.5e1,\"a\":0.5,\"c\":\"green\"}\n"
      "  { \"c\" : \"red\" , \"other\" : [1, {\"a\": 9}], \"a\" : -3 , \"y\" : 1 }\t\r\n"
      "{\"a\":\"1e2\",\"c\":\" NA \",\"y\":\" 7 \"}");
  ASSERT_EQ(reading.rows.size(), 3u);
  EXPECT_EQ(reading.tally.unusable(), 0u);
  EXPECT_EQ(reading.rows[0].values, (std::vector<double>{0.5, 1.0, 0.0, 0.0}));
  EXPECT_EQ(reading.rows[0].target, -25.0);
  EXPECT_EQ(reading.rows[1].values, (std::vector<double>{-3.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(reading.rows[2].values, (std::vector<double>{100.0, 0.0, 0.0, 1.0})) << "the level NA is declared";
  EXPECT_EQ(reading.rows[2].target, 7.0);
}

TEST(Ndjson, EveryLineThatIsNotBlankIsOneRow) {
  const std::string text =
      "\xEF\xBB\xBF\n \t\n\r\n{}\nnull\n[1]\n\"text\"\n17\n{\n}\n{\"a\":1}{\"a\":2}\n\x01\nnot JSON\n# 1\n\r\r{}";
  const Reading reading = read(text);
  EXPECT_EQ(reading.rows.size(), 12u);
  EXPECT_EQ(reading.tally.unusable(), 12u);
  EXPECT_EQ(reading.tally.missing, 2u) << "the two empty objects";
  EXPECT_EQ(reading.tally.malformed, 10u);
}

TEST(Ndjson, ALineThatIsNoObjectAsAWholeCannotBeUsed) {
  const std::string good = "{\"a\":1,\"c\":\"red\",\"y\":1";
  ASSERT_TRUE(read(good + "}").rows.at(0).usable);
  ASSERT_TRUE(read(good + ",\"z\":[[],{},[{\"k\":null}],-0.5E+7,\"\\u00e9\\n\",true,false]}").rows.at(0).usable);
  for (const std::string rest : {"",
                                 "]",
                                 "}}",
                                 "} 1",
                                 "}{}",
                                 "},",
                                 ",}",
                                 ",\"z\"}",
                                 ",\"z\":}",
                                 ",\"z\"::1}",
                                 ",\"z\":1:2}",
                                 ",\"z\":\"b\":1}",
                                 ",\"z\":01}",
                                 ",\"z\":+1}",
                                 ",\"z\":1.}",
                                 ",\"z\":.5}",
                                 ",\"z\":1e}",
                                 ",\"z\":0x1}",
                                 ",\"z\":NaN}",
                                 ",\"z\":Infinity}",
                                 ",\"z\":nul}",
                                 ",\"z\":nulll}",
                                 ",\"z\":True}",
                                 ",\"z\":truefalse}",
                                 ",\"z\":1 2}",
                                 ",\"z\":[1,]}",
                                 ",\"z\":[1 2]}",
                                 ",\"z\":[1}",
                                 ",\"z\":{\"k\":1}",
                                 ",\"z\":{\"k\"}}",
                                 ",\"z\":{1:2}}",
                                 ",z:1}",
                                 ",'z':1}",
                                 ",\"z\":\"open}",
                                 ",\"z\":\"\\x\"}",
                                 ",\"z\":\"\\u12\"}",
                                 ",\"z\":\"tab\there\"}",
                                 ",\"z\":\"\\ud800\"}",
                                 ",\"z\":\"\\udc00\"}",
                                 ",\"\\udc00\":1}",
                                 ",\"z\":{\"\\ud800x\":1}}",
                                 ",\"z\":\"\xff\"}",
                                 ",\"\xc3\":1}",
                                 ",\"z\":\"\xed\xa0\x80\"}",
                                 ",\"z\":1\x01}",
                                 " \"z\":1}"}) {
    const Reading reading = read(good + rest + "\n{\"a\":2,\"c\":\"red\",\"y\":1}\n");
    ASSERT_EQ(reading.rows.size(), 2u) << rest;
    EXPECT_FALSE(reading.rows[0].usable) << rest;
    EXPECT_EQ(reading.tally.malformed, 1u) << rest;
    EXPECT_TRUE(reading.rows[1].usable) << rest;
  }
}

// simdjson chooses its first pass by the processor: what a line says must not depend on it.
TEST(Ndjson, EveryProcessorReadsTheSame) {
  const auto* const chosen = simdjson::get_active_implementation().operator->();
  std::vector<std::vector<bool>> usable;
  for (const auto* implementation : simdjson::get_available_implementations()) {
    if (!implementation->supported_by_runtime_system()) continue;
    simdjson::get_active_implementation() = implementation;
    std::vector<bool> found;
    for (const std::string end :
         {"}", "", ",\"z\":\"\xff\"}", ",\"z\":\"\x01\"}", ",\"z\":\"open}", "}}", ",\"\\u007a\":1}",
          ",\"z\":{\"k\":1}", ",\"z\":\"\xe2\x82\xac\"}", ",\"z\":\"\xe2\x82\"}"}) {
      found.push_back(read("{\"a\":1,\"c\":\"red\",\"y\":1" + end).rows.at(0).usable);
    }
    usable.push_back(found);
    EXPECT_EQ(found, usable.front()) << implementation->name();
  }
  simdjson::get_active_implementation() = chosen;
  EXPECT_EQ(usable.front(), (std::vector<bool>{true, false, false, false, false, false, true, false, true, false}));
}

TEST(Ndjson, NumbersAreThoseOfCsv) {
  EXPECT_EQ(row_of("-0").values[0], 0.0);
  EXPECT_TRUE(std::signbit(row_of("-0.0").values[0]));
  EXPECT_EQ(row_of("9007199254740993").values[0], 9007199254740992.0);
  EXPECT_EQ(row_of("123456789012345678901234567890").values[0], 123456789012345678901234567890.0);
  EXPECT_EQ(row_of("1e-400").values[0], 0.0);
  EXPECT_EQ(row_of("0.1").values[0], 0.1);
  EXPECT_FALSE(row_of("1e400").usable);
  EXPECT_FALSE(row_of("-1e400").usable);
  EXPECT_FALSE(row_of(std::string(400, '9')).usable);
  EXPECT_EQ(row_of("0." + std::string(3000, '3')).values[0], 1.0 / 3.0);
  EXPECT_TRUE(read("{\"a\":1,\"c\":\"red\",\"y\":1,\"z\":1e400}").rows.at(0).usable) << "nobody asks for z";
}

TEST(Ndjson, WhatCannotBeUsedIsAZeroRow) {
  for (const std::string cell : {"null", "true", "false", "[]", "[1]", "{}", "{\"a\":1}", "\"\"", "\"NA\"", "\"x\"",
                                 "\"1,5\"", "\"inf\"", "\"\\u0000\"", "\"0.5\\u0000\"", "\"1\\n\""}) {
    for (const Row& row : {row_of(cell), row_of("1", "\"red\"", cell)}) {
      EXPECT_FALSE(row.usable) << cell;
      for (const double value : row.values) EXPECT_TRUE(std::isnan(value)) << cell;
      EXPECT_TRUE(std::isnan(row.target)) << cell;
    }
  }
  for (const std::string cell : {"null", "true", "7.0", "7e0", "8", "\"blue\"", "\"RED\"", "\"\"", "[\"red\"]"}) {
    EXPECT_FALSE(row_of("1", cell).usable) << cell;
  }
  EXPECT_EQ(row_of("1", "7").values, (std::vector<double>{1.0, 0.0, 1.0, 0.0})) << "whole numbers by their digits";
  EXPECT_EQ(row_of("1", "\"\\u0072ed\"").values, (std::vector<double>{1.0, 0.0, 0.0, 0.0}));
  const Reading reading =
      read("{\"c\":\"red\",\"y\":1}\n{\"a\":1,\"y\":1}\n{\"a\":1,\"c\":\"red\"}\n{\"A\":1,\"c\":\"red\",\"y\":1}");
  EXPECT_EQ(reading.tally.missing, 4u);
}

// Text says in JSON what it says in a cell of CSV.
TEST(Ndjson, TextSaysWhatItSaysInCsv) {
  for (const std::string cell :
       {"",    " ",   "NA",    " NA",      "nan", "null",   "inf",   "1e400", "1e-400", "-0",   "+1", "+-1",
        "0x1", "1,5", "12:34", "\xc3\xa9", "red", " red\t", "green", "7",     "07",     "2.50", ".5", "5."}) {
    const std::string csv = "a,c,y\n\"" + cell + "\",red,1\n1,\"" + cell + "\",1\n1,red,\"" + cell + "\"\n";
    std::string escaped;
    for (const char c : cell) escaped += c == '\t' ? std::string("\\t") : std::string(1, c);
    const std::string text = "{\"a\":\"" + escaped + "\",\"c\":\"red\",\"y\":\"1\"}\n{\"a\":\"1\",\"c\":\"" + escaped +
                             "\",\"y\":1}\n{\"a\":1,\"c\":\"red\",\"y\":\"" + escaped + "\"}\n";
    MemorySource source(csv);
    const auto rows = open_rows(source, mixed(), {});
    const Reading reading = read(text);
    ASSERT_EQ(reading.rows.size(), 3u);
    for (const Row& found : reading.rows) {
      Row row;
      ASSERT_TRUE(rows->next(row));
      EXPECT_EQ(found.usable, row.usable) << cell;
      if (row.usable) {
        EXPECT_EQ(found.values, row.values) << cell;
        EXPECT_EQ(found.target, row.target) << cell;
      }
    }
    EXPECT_EQ(reading.tally, rows->tally()) << cell;
  }
}

TEST(Ndjson, ARowThatSaysOneThingTwiceSaysNothing) {
  const std::string rest = ",\"c\":\"red\",\"y\":1}\n";
  const Reading reading =
      read("{\"a\":1,\"a\":1" + rest + "{\"a\":1,\"\\u0061\":2" + rest + "{\"a\":1,\"z\":1,\"z\":2" + rest +
           "{\"y\":1,\"a\":1" + rest + "{\"a\":1,\"A\":1" + rest);
  std::vector<bool> usable;
  for (const Row& row : reading.rows) usable.push_back(row.usable);
  EXPECT_EQ(usable, (std::vector<bool>{false, false, true, false, true}));
  EXPECT_EQ(reading.tally.malformed, 3u);
}

TEST(Ndjson, AUnitIsTextOrAWholeNumber) {
  const auto unit = [](const std::string& cell) {
    const Row row =
        read("{\"who\":" + cell + ",\"a\":1,\"c\":\"red\",\"y\":1}", mixed(), {.unit_column = "who"}).rows.at(0);
    EXPECT_EQ(row.usable, !row.unit.empty());
    return row.unit;
  };
  EXPECT_EQ(unit("\" p1 \""), "p1");
  EXPECT_EQ(unit("9007199254740993"), "9007199254740993");
  EXPECT_EQ(unit("-123456789012345678901234567890"), "-123456789012345678901234567890");
  EXPECT_EQ(unit("-0"), "0");
  EXPECT_EQ(unit("\"\\u00e9\""), "\xc3\xa9");
  for (const std::string nobody : {"null", "\"\"", "\" NA\"", "1.0", "1e3", "true", "[]", "{}"})
    EXPECT_EQ(unit(nobody), "") << nobody;
  const Reading reading = read("{\"a\":1,\"c\":\"red\",\"y\":1}\n{\"who\":1,\"who\":1,\"a\":1,\"c\":\"red\",\"y\":1}",
                               mixed(), {.unit_column = "who"});
  EXPECT_EQ(reading.tally.missing_unit, 1u);
  EXPECT_EQ(reading.tally.malformed, 1u);
  MemorySource source("");
  EXPECT_THROW(open(source, mixed(), {.unit_column = "a"}), RequestError);
}

TEST(Ndjson, ForAPredictionTheTargetMayBeAnything) {
  const Reading reading =
      read("{\"a\":1,\"c\":\"red\"}\n{\"a\":1,\"c\":\"red\",\"y\":[1]}", mixed(), {.needs_target = false});
  for (const Row& row : reading.rows) EXPECT_TRUE(row.usable && std::isnan(row.target));
}

TEST(Ndjson, ClassesAreWordsOrNumbers) {
  Schema words;
  words.feature("a", {0, 1}).classes("y", "no", "1");
  const Reading reading =
      read("{\"a\":1,\"y\":\" no\"}\n{\"a\":1,\"y\":1}\n{\"a\":1,\"y\":1.0}\n{\"a\":1,\"y\":true}", words);
  EXPECT_EQ(reading.rows[0].target, 0.0);
  EXPECT_EQ(reading.rows[1].target, 1.0);
  EXPECT_EQ(reading.tally.unknown_level, 2u);
  Schema numbers;
  numbers.feature("a", {0, 1}).classes("y", -1.0, 1.0);
  const Reading other = read("{\"a\":1,\"y\":1.0}\n{\"a\":1,\"y\":\"-1\"}\n{\"a\":1,\"y\":0}", numbers);
  EXPECT_EQ(other.rows[0].target, 1.0);
  EXPECT_EQ(other.rows[1].target, -1.0);
  EXPECT_EQ(other.tally.unknown_level, 1u);
}

// As of a dict in Python: columns of a block that are not named are 0, every other column must be there.
TEST(Ndjson, ColumnsOfABlockThatAreNotThereAreZero) {
  Schema schema;
  schema.feature("a", {-1, 1})
      .block("w", 5, {0, 1})
      .categorical("c", {"red", "green"})
      .target("y", {-1, 1})
      .clip_norm(2);
  const Reading reading = read(
      "{\"w5\":0.5,\"a\":0.25,\"w1\":\"1\",\"c\":\"green\",\"y\":1,\"w6\":7,\"w05\":7,\"w\":7}\n"
      "{\"a\":0.25,\"c\":\"red\",\"y\":1}\n"
      "{\"a\":0.25,\"c\":\"red\",\"y\":1,\"w2\":null}\n"
      "{\"w2\":1,\"c\":\"red\",\"y\":1}\n"
      "{\"a\":0.25,\"c\":\"red\",\"y\":1,\"w2\":1,\"w2\":1}\n",
      schema);
  ASSERT_EQ(reading.rows.size(), 5u);
  EXPECT_EQ(reading.rows[0].positions, (std::vector<std::uint32_t>{0, 1, 5, 6}));
  EXPECT_EQ(reading.rows[0].values, (std::vector<double>{0.25, 1.0, 0.5, 1.0}));
  EXPECT_EQ(reading.rows[1].positions, (std::vector<std::uint32_t>{0}));
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_FALSE(reading.rows[i].usable) << i;
    EXPECT_EQ(reading.rows[i].positions, (std::vector<std::uint32_t>{0})) << i;
    EXPECT_TRUE(std::isnan(reading.rows[i].values.at(0))) << i;
  }
}

TEST(Ndjson, DepthAndLengthHaveLimits) {
  const auto nested = [](std::size_t depth, char open, char close) {
    std::string text = "{\"a\":1,\"c\":\"red\",\"y\":1,\"z\":";
    for (std::size_t i = 0; i < depth; ++i) text += open == '[' ? "[" : "{\"k\":";
    text += "1" + std::string(depth, close) + "}\n";
    return text;
  };
  EXPECT_TRUE(read(nested(100, '[', ']')).rows.at(0).usable);
  EXPECT_TRUE(read(nested(100, '{', '}')).rows.at(0).usable);
  for (const std::size_t depth : {200u, 5000u, 200'000u}) {
    const Reading reading = read(nested(depth, '[', ']') + nested(1, '[', ']'), mixed(), {}, 1 << 16);
    ASSERT_EQ(reading.rows.size(), 2u);
    EXPECT_FALSE(reading.rows[0].usable);
    EXPECT_TRUE(reading.rows[1].usable);
  }
  EXPECT_FALSE(read(std::string(500'000, '['), mixed(), {}, 1 << 16).rows.at(0).usable);

  const std::string line = "{\"a\":1,\"c\":\"red\",\"y\":1,\"z\":\"" + std::string(1000, 'z') + "\"}";
  for (const std::size_t block : {1u, 64u, 5000u}) {
    const RowSettings fits{.limits = {.record_limit = line.size(), .block = block}};
    EXPECT_TRUE(read(line + "\n", mixed(), fits).rows.at(0).usable);
    const RowSettings short_of_one{.limits = {.record_limit = line.size() - 1, .block = block}};
    const Reading reading = read(line + "\n{\"a\":1,\"c\":\"red\",\"y\":1}\n", mixed(), short_of_one);
    ASSERT_EQ(reading.rows.size(), 2u);
    EXPECT_EQ(reading.tally.malformed, 1u);
    EXPECT_TRUE(reading.rows[1].usable);
  }
}

TEST(Ndjson, RowsDoNotDependOnHowTheInputIsCutAndGoOnWhereTheyWereLeft) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += i % 7 == 0 ? "broken\n"
                       : "{\"a\":" + std::to_string(i) +
                             ",\"c\":\"gr\\u0065en\",\"y\":" + std::string(i % 5 == 0 ? "null" : "1") + "}\r\n";
  }
  const auto shown = [](RowSource& rows) {
    std::string all;
    for (Row row; rows.next(row);) all += row.usable ? std::to_string(row.values[0]) + " " : "- ";
    return all;
  };
  MemorySource whole(text);
  const std::string expected = shown(*open(whole, mixed()));
  for (const std::size_t piece : {1u, 3u, 50u, 1000u}) {
    MemorySource source(text, piece);
    EXPECT_EQ(shown(*open(source, mixed(), {.limits = {.record_limit = 1000, .block = 16}})), expected);
  }
  for (const int consumed : {0, 1, 20, 60}) {
    MemorySource first(text), again(text);
    const auto rows = open(first, mixed(), {.track_position = true});
    Row row;
    for (int i = 0; i < consumed; ++i) ASSERT_TRUE(rows->next(row));
    const auto resumed = open(again, mixed(), {.track_position = true});
    ASSERT_TRUE(resumed->resume(rows->position()));
    EXPECT_EQ(shown(*resumed), shown(*rows));
  }
}

TEST(Ndjson, FilesAreKnownByTheirNames) {
  for (const char* name : {"a.ndjson", "a.jsonl", "x/a.ndjson.gz", "a.jsonl.gz"})
    EXPECT_EQ(format_by_name(name)->name, "ndjson") << name;
  for (const char* name : {"a.json", "ndjson", "a.jsonl.csv"}) EXPECT_EQ(format_by_name(name)->name, "csv") << name;
}

}  // namespace
}  // namespace rivulet::input
