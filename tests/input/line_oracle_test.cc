// Every row stands alone, for the readers of text: the experiment of tests/python/row_oracle.py on hostile lines.
//
// Records a and b, and a record 0 that says nothing, go through one reader and one stream as (a, b), (a, 0), (0, b) and
// (0, 0), with the noise of one seed. If each adds what it says and nothing else, the released sums obey
// S(a, b) - S(a, 0) - S(0, b) + S(0, 0) = 0 to the last unit of the lattice, and equally many rows were counted.
// RIVULET_ORACLE_PAIRS says how many pairs; a nightly run has a million.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "input/byte_source.h"
#include "input/row_source.h"
#include "rivulet/incremental_regression.h"

namespace rivulet::input {
namespace {

using Random = std::mt19937_64;

std::size_t pairs_to_try() {
  const char* asked = std::getenv("RIVULET_ORACLE_PAIRS");
  return asked != nullptr ? static_cast<std::size_t>(std::strtoull(asked, nullptr, 10)) : 6000;
}

const std::string& pick(Random& random, const std::vector<std::string>& from) {
  return from[random() % from.size()];
}

std::string number(Random& random) {
  static const std::vector<std::string> odd = {"",
                                               " ",
                                               "NA",
                                               "nan",
                                               "inf",
                                               "-inf",
                                               "1e400",
                                               "1e-400",
                                               "abc",
                                               "0x1",
                                               "1,5",
                                               std::string(1, '\0'),
                                               "0.5" + std::string(1, '\0'),
                                               "\xff",
                                               "+-1",
                                               "12:34",
                                               "123-45-6789",
                                               "\xef\xbb\xbf"
                                               "1",
                                               std::string(3000, '9'),
                                               "0." + std::string(3000, '3')};
  if (random() % 5 == 0) return pick(random, odd);
  return std::to_string(std::uniform_real_distribution(-1.2, 1.2)(random));
}

// A field whose quotes, if any, are closed: how records are cut is the operator's to see to (privacy.md, section 12).
std::string field(Random& random, const std::string& text) {
  const bool must_quote = text.find_first_of(",\"\r\n") != std::string::npos;
  if (!must_quote && random() % 4 != 0) return random() % 6 == 0 ? " " + text + "\t" : text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_record(Random& random, std::size_t& people) {
  static const std::vector<std::string> words = {"red", "green",     "NA",    " red", "blue",
                                                 "",    "red\nblue", "re\"d", "a,b",  "\xff"};
  const std::size_t person = ++people;
  const std::string unit = random() % 6 == 0 ? pick(random, {"", "NA", " ", "null"}) : "p" + std::to_string(person);
  std::vector<std::string> fields = {number(random), pick(random, words), number(random), number(random), unit};
  if (random() % 12 == 0) fields.pop_back();  // ragged
  if (random() % 12 == 0) fields.push_back("one too many");
  std::string record;
  for (std::size_t i = 0; i < fields.size(); ++i) record += (i == 0 ? "" : ",") + field(random, fields[i]);
  if (random() % 25 == 0) record += "\"x\"y";  // malformed, and ended by its line end all the same
  return record + (random() % 5 == 0 ? "\r\n" : "\n");
}

std::string libsvm_record(Random& random, std::size_t& people) {
  std::string record = random() % 10 == 0 ? "" : number(random);
  if (record.find_first_of(" \t\n#:") != std::string::npos || record.empty())
    record = random() % 2 == 0 ? "0.5" : "nan";
  const std::size_t person = ++people;
  if (random() % 8 != 0) record += " qid:" + (random() % 8 == 0 ? std::string("NA") : std::to_string(person));
  std::size_t index = 0;
  for (std::size_t i = random() % 6; i > 0; --i) {
    index += random() % 10 == 0 ? 0 : 1 + random() % 3;
    record += " " + std::to_string(index) + ":" + number(random);
  }
  static const std::vector<std::string> odd = {" 1:",    " :1", " 7",    " 99999999999999999999:1",
                                               " 1:1:1", " x",  " -1:1", " # 3:1"};
  if (random() % 8 == 0) record += pick(random, odd);
  record.erase(std::remove(record.begin(), record.end(), '\n'), record.end());
  return record + "\n";
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) quoted += c;
    if (static_cast<unsigned char>(c) < 0x20)
      quoted += std::string("\\u00") + (c < 0x10 ? "0" : "1") + "0123456789abcdef"[c % 16];
  }
  return quoted + "\"";
}

std::string json_value(Random& random, const std::string& text) {
  static const std::vector<std::string> odd = {"null",
                                               "true",
                                               "false",
                                               "[]",
                                               "{}",
                                               "[1, {\"a\": 2}]",
                                               "1e400",
                                               "-0",
                                               "NaN",
                                               "9007199254740993",
                                               "01",
                                               "\"\\ud800\"",
                                               "\"\\u0000\"",
                                               "{\"a\": 1}",
                                               std::string(300, '[') + std::string(300, ']'),
                                               "\"\xff\""};
  if (random() % 8 == 0) return pick(random, odd);
  return random() % 3 == 0 ? json_text(text) : text.empty() ? "null" : text;
}

std::string ndjson_record(Random& random, std::size_t& people) {
  static const std::vector<std::string> words = {"red", "green", "NA", " red", "blue", "", "red\nblue", "re\"d"};
  const std::size_t person = ++people;
  const std::string unit = random() % 6 == 0   ? pick(random, {"null", "\"\"", "\" NA\"", "true", "1.5", "[1]"})
                           : random() % 2 == 0 ? "\"p" + std::to_string(person) + "\""
                                               : std::to_string(person);
  std::vector<std::string> entries = {"\"a\":" + json_value(random, number(random)),
                                      "\"c\":" + json_text(pick(random, words)),
                                      "\"\\u0062\":" + json_value(random, number(random)),
                                      "\"y\": " + json_value(random, number(random)), "\"who\":" + unit};
  std::shuffle(entries.begin(), entries.end(), random);
  if (random() % 10 == 0) entries.pop_back();
  if (random() % 10 == 0) entries.push_back(entries.front());  // says one thing twice
  if (random() % 10 == 0) entries.push_back("\"other\":" + json_value(random, "1"));
  std::string record = random() % 5 == 0 ? " {" : "{";
  for (std::size_t i = 0; i < entries.size(); ++i) record += (i == 0 ? "" : ", ") + entries[i];
  if (random() % 12 != 0) record += "}";
  if (random() % 20 == 0) record += pick(random, {"}", "]", " 1", "\"", ",", "{\"a\":1}"});
  record.erase(std::remove_if(record.begin(), record.end(), [](char c) { return c == '\n' || c == '\r'; }),
               record.end());
  return record + (random() % 5 == 0 ? "\r\n" : "\n");
}

StreamOptions options_of(const Schema& schema, const std::string& unit) {
  StreamOptions options;
  options.budget = {.epsilon = 4.0, .delta = 1e-6};
  options.schema = schema;
  options.release_every = 2;
  options.horizon = Horizon::known(2000);
  options.strategy = StrategyKind::tree;  // sums of integers all the way: exact in doubles
  options.tree_decoding = TreeDecoding::paper;
  options.insecure_seed = 11;
  if (!unit.empty()) options.unit = PrivacyUnit{unit, 1000};
  return options;
}

bool observe(IncrementalRegression& stream, const Row& row) {
  const bool units = stream.options().unit.has_value();
  if (row.sparse) {
    return units ? stream.observe(row.sparse_view(), row.target, row.unit)
                 : stream.observe(row.sparse_view(), row.target);
  }
  return units ? stream.observe(row.values, row.target, row.unit) : stream.observe(row.values, row.target);
}

std::vector<double> sums(const IncrementalRegression& stream) {
  const Statistics statistics = stream.statistics();
  std::vector<double> all = statistics.gram;
  all.insert(all.end(), statistics.cross.begin(), statistics.cross.end());
  all.push_back(statistics.target_square);
  return all;
}

constexpr double kLattice = 0x1p-30;
constexpr std::size_t kPairsAtOnce = 250;

// The next row of a text; false when there are no more.
using Next = std::function<bool(Row&)>;

// What is wrong, if anything is. `make_record` writes a record, `zero` is one that says nothing; `open` makes a reader.
template <typename MakeRecord, typename Open>
std::string difference(const Schema& schema, const std::string& unit, const std::string& header,
                       const std::string& zero, MakeRecord make_record, Open open) {
  Random random(20260);
  std::size_t people = 0;
  for (std::size_t done = 0; done < pairs_to_try(); done += 2000) {
    std::vector<IncrementalRegression> streams;
    for (int i = 0; i < 4; ++i) streams.emplace_back(options_of(schema, unit));
    for (std::size_t batch = 0; batch < 2000; batch += kPairsAtOnce) {
      std::array<std::string, 4> texts;
      texts.fill(header);
      for (std::size_t pair = 0; pair < kPairsAtOnce; ++pair) {
        const std::string a = make_record(random, people);
        const std::string b = make_record(random, people);
        const std::array<std::string, 4> four = {a + b, a + zero, zero + b, zero + zero};
        for (std::size_t i = 0; i < 4; ++i) texts[i] += four[i];
      }
      for (std::size_t i = 0; i < 4; ++i) {
        MemorySource source(texts[i], 1 + random() % 5000);
        const Next next = open(source, schema, unit);
        Row row;
        std::size_t released = 0;
        while (next(row)) released += observe(streams[i], row) ? 1 : 0;
        if (released != kPairsAtOnce || streams[i].waiting_rows() != 0) return "rows were counted by what they say";
      }
      const auto together = sums(streams[0]), first = sums(streams[1]), second = sums(streams[2]),
                 none = sums(streams[3]);
      for (std::size_t i = 0; i < together.size(); ++i) {
        const double shift = together[i] - first[i] - second[i] + none[i];
        if (!(std::abs(shift) < kLattice / 4)) return "a row changed what another adds";
      }
    }
  }
  return "";
}

Schema csv_schema() {
  Schema schema;
  schema.feature("a", {-1, 1}).categorical("c", {"red", "green", "NA"}).feature("b", {-1, 1}).target("y", {-1, 1});
  return schema;
}

// The reader of a format.
Next open_as(const char* format, ByteSource& source, const Schema& schema, const std::string& unit) {
  RowSettings settings{.format = parse_row_format(format)};
  if (!unit.empty()) settings.unit_column = unit;
  return [rows = std::shared_ptr<RowSource>(open_rows(source, schema, settings))](Row& row) { return rows->next(row); };
}

Next open_csv(ByteSource& source, const Schema& schema, const std::string& unit) {
  return open_as("csv", source, schema, unit);
}

Next open_libsvm(ByteSource& source, const Schema& schema, const std::string& unit) {
  return open_as("libsvm", source, schema, unit);
}

Next open_ndjson(ByteSource& source, const Schema& schema, const std::string& unit) {
  return open_as("ndjson", source, schema, unit);
}

TEST(LineOracle, NoCsvRecordChangesWhatAnotherAdds) {
  for (const std::string unit : {"", "who"}) {
    EXPECT_EQ(difference(csv_schema(), unit, "a,c,b,y,who\n", "NA,,,,zero\n", csv_record, open_csv), "") << unit;
  }
}

TEST(LineOracle, NoLibsvmLineChangesWhatAnotherAdds) {
  Schema schema;
  schema.block("x", 8, {-1, 1}).target("y", {-1, 1}).clip_norm(1.5).intercept(false);
  for (const std::string unit : {"", "qid"}) {
    EXPECT_EQ(difference(schema, unit, "", "nan qid:zero\n", libsvm_record, open_libsvm), "") << unit;
  }
}

TEST(LineOracle, NoLineOfJsonChangesWhatAnotherAdds) {
  for (const std::string unit : {"", "who"}) {
    EXPECT_EQ(difference(csv_schema(), unit, "", "{\"who\": \"zero\"}\n", ndjson_record, open_ndjson), "") << unit;
  }
}

// The oracle's power: readers that let a row use what an earlier one left, or count by what a row says.
Next forgetful(ByteSource& source, const Schema& schema, const std::string& unit) {
  return [next = open_csv(source, schema, unit), last = std::make_shared<Row>()](Row& row) {
    if (!next(row)) return false;
    if (row.usable) *last = row;
    if (!row.usable && !last->values.empty())
      row.values[0] = last->values[0], row.target = row.values[1] = row.values[2] = row.values[3] = 0.0;
    return true;
  };
}

Next choosy(ByteSource& source, const Schema& schema, const std::string& unit) {
  return [next = open_csv(source, schema, unit)](Row& row) {
    while (next(row)) {
      if (row.usable) return true;
    }
    return false;
  };
}

TEST(LineOracle, SeesReadersThatRememberOrChoose) {
  const auto found = [](auto open) {
    return difference(csv_schema(), "", "a,c,b,y,who\n", "NA,,,,zero\n", csv_record, open);
  };
  EXPECT_EQ(found(open_csv), "");
  EXPECT_EQ(found(forgetful), "a row changed what another adds");
  EXPECT_EQ(found(choosy), "rows were counted by what they say");
}

}  // namespace
}  // namespace rivulet::input
