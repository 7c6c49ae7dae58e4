// Readers of rows remember no row. Every member of a class in python/src that could hold something of one is either a
// RowScratch, which takes away what is there before it can be written, or is named here with its reason. The same for
// the readers of text in src/input, and for what Python objects keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "architecture/source_text.h"

namespace rivulet::architecture {
namespace {

struct Member {
  std::string place;  // "Class::name", nested classes with their outer ones
  std::string type;
};

// The members that the classes of a C++ text declare. Understands this tree's style, not all of C++.
class Members {
 public:
  explicit Members(const std::string& text) : text_(code_only(text)) { read(""); }
  [[nodiscard]] const std::vector<Member>& all() const { return found_; }

 private:
  void skip_braces() {
    int depth = 1;
    for (++at_; at_ < text_.size() && depth > 0; ++at_) depth += text_[at_] == '{' ? 1 : text_[at_] == '}' ? -1 : 0;
    --at_;
  }

  // Up to the brace that ends the class, or the end of the text. `outer` is "" outside of classes.
  void read(const std::string& outer) {
    static const std::regex type_head(R"((?:^|[\s>])(class|struct|union)\s+([\w:]+)(\s+final)?\s*(:[^;]*)?\s*$)");
    static const std::regex space_head(R"(\b(namespace|extern)\b[^;]*$)");
    static const std::regex label(R"(\b(public|private|protected)\s*:)");
    std::string statement;
    for (; at_ < text_.size() && text_[at_] != '}'; ++at_) {
      const char c = text_[at_];
      if (c == '{') {
        statement = std::regex_replace(statement, label, "");
        std::smatch head;
        if (std::regex_search(statement, head, type_head)) {
          const std::string name = (outer.empty() ? "" : outer + "::") + head.str(2);
          ++at_;
          read(name);
          statement.clear();
        } else if (std::regex_search(statement, space_head)) {
          ++at_;
          read("");
          statement.clear();
        } else {
          // A function's body ends its declaration; an initialiser does not, nor a default argument.
          const auto open = std::count(statement.begin(), statement.end(), '(');
          const bool function = open > 0 && open == std::count(statement.begin(), statement.end(), ')');
          skip_braces();
          if (function) statement.clear();
        }
      } else if (c == ';') {
        if (!outer.empty()) declare(outer, std::regex_replace(statement, label, ""));
        statement.clear();
      } else {
        statement += c;
      }
    }
  }

  void declare(const std::string& outer, const std::string& declaration) {
    const std::string statement = declaration.substr(0, declaration.find('='));
    static const std::regex member(R"(^\s*((?:[\w:<>,*&\s\[\]])+?)\s*\b(\w+)(\[\d*\])?\s*$)");
    static const std::regex no_member(
        R"(^\s*(using|friend|class|struct|enum|static_assert|typedef|template)\b|\(|\boperator\b)");
    std::smatch parts;
    if (std::regex_search(statement, no_member) || !std::regex_match(statement, parts, member)) return;
    found_.push_back({outer + "::" + parts.str(2), parts.str(1)});
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<Member> found_;
};

// Numbers of rows and places, switches, declarations and handles of the stream itself: nothing of a row.
bool holds_no_row(const std::string& type) {
  static const std::regex harmless(
      R"(^(mutable |static |constexpr |const |std::)*(bool|int|char|size_t|u?int(32|64)_t|mutex|atomic<[\w:]+>|array<bool, 256>|)"
      R"((Schema|RowLayout|RecordLimits|RecordStatus|StreamOptions|RowSettings|Kind|Layout|State|LibsvmGrammar|RowColumn|)"
      R"(ArrowColumn)\s*[&*]?)$)");
  return std::regex_match(type, harmless) || type.starts_with("RowScratch<");
}

// What may hold something of a row, and why no later row can see it.
const std::map<std::string, std::string>& named() {
  static const std::map<std::string, std::string> table = {
      // python/src: the row or block under way, given out and forgotten
      {"OneRow::Named::target", "a local of the call that reads the row"},
      {"OneRow::Named::unit", "a local of the call that reads the row"},
      {"OneRow::Key::key", "keys of the last dict; only asked whether the next dict has the same, the oracle compares"},
      {"OneRow::order_", "as OneRow::Key::key"},
      {"OneRow::unit_name_", "a setting"},
      {"LiveStream::one_row_", "its members are looked at on their own"},
      {"RowScratch::values_", "the scratch itself: can be written after renew() alone"},
      {"RowBlock::values", "a view of the block under way"},
      {"RowBlock::targets", "a view of the block under way"},
      {"RowBlock::units", "a view of the block under way"},
      {"RowBlock::offsets", "a view of the block under way"},
      {"RowBlock::positions", "a view of the block under way"},
      {"RowBlock::entries", "a view of the block under way"},
      // python/src: a whole table that the caller gave, addressed by the number of the row
      {"DenseRows::values_", "the caller's array"},
      {"DenseRows::targets_", "the caller's array"},
      {"DenseRows::units_", "one text a row, addressed by its number"},
      {"SparseRows::offsets_", "the caller's array"},
      {"SparseRows::positions_", "the caller's array"},
      {"SparseRows::entries_", "the caller's array"},
      {"SparseRows::targets_", "the caller's array"},
      {"SparseRows::units_", "one text a row, addressed by its number"},
      {"ColumnRows::columns_", "one value a row, addressed by its number"},
      {"ColumnRows::targets_", "the caller's array"},
      {"ColumnRows::units_", "one text a row, addressed by its number"},
      {"Column::numbers", "the caller's array"},
      {"Column::converted", "one value a row, addressed by its number"},
      {"Column::levels", "one value a row, addressed by its number"},
      {"Targets::array_", "the caller's array"},
      {"UnitNames::names", "one text a row, addressed by its number"},
      {"Units::texts_", "one text a row, addressed by its number"},
      {"Units::views_", "views of texts_"},
      {"ArrowRows::stream_", "the caller's stream"},
      {"ArrowRows::table_", "the table's types"},
      {"ArrowRows::batch_", "the caller's batch, addressed by the number of the row"},
      {"ArrowRows::given_targets_", "the caller's array"},
      {"ArrowRows::by_name_", "names of columns"},
      {"ArrowRows::names_", "names of columns"},
      {"ArrowRows::features_", "columns, not their values"},
      {"ArrowRows::target_", "a column, not its values"},
      {"ArrowRows::unit_", "a column, not its values"},
      {"Owned::value_", "one of the caller's structures"},
      {"ArrowColumn::name_", "the name of a column"},
      {"ArrowColumn::dictionary_", "the type of a dictionary's values"},
      // python/src: what is left of rows on purpose
      {"Fingerprint::hashes_",
       "keyed hashes of some rows, to notice that rows are used again; never published, see _guard.py"},
      {"LiveStream::watched_", "a Fingerprint"},
      // python/src: no rows at all
      {"LiveStream::process_", "which process made the stream"},
      {"LiveStream::memory_", "the stream: the wall"},
      {"LiveStream::durable_", "the stream: the wall"},
      {"LiveStream::schema_", "a setting"},
      {"LiveStream::path_", "a setting"},
      {"LiveStream::history_limit_", "a setting"},
      {"LiveStream::history_", "what was published"},
      {"LiveStream::own_fit_", "settings of a fit"},
      {"LiveStream::log_", "what was published"},
      {"LiveStream::Kept::statistics", "what was published"},
      {"LiveStream::Kept::model", "what was published"},
      {"LiveStream::Turn::stream_", "the stream"},
      {"LiveStream::Turn::lock_", "a lock"},
      {"FittedModel::model", "what was published"},
      {"FittedModel::schema", "a setting"},
      {"PublishedRelease::statistics", "what was published"},
      {"PublishedRelease::model", "what was published"},
      {"PublishedRelease::chain", "what was published"},
      {"RowHash::key_", "the key of a Fingerprint"},
      {"Refitter::refit", "settings of a fit"},
      {"Refitter::schema", "a setting"},
      {"Log::path", "a setting"},
      {"Log::log", "what was published"},
      {"Log::schema", "a setting"},
      // src/input: records of text, delivered one at a time
      {"Row::values", "filled anew by parse_record(), or made a zero row by next()"},
      {"Row::positions", "as Row::values"},
      {"Row::target", "as Row::values"},
      {"Row::unit", "emptied by next() before each row"},
      {"CsvRowSource::reader_", "its members are looked at on their own"},
      {"CsvRowSource::layout_", "settings: where the declared columns go"},
      {"CsvRowSource::target_field_", "the number of a field"},
      {"CsvRowSource::unit_field_", "the number of a field"},
      {"CsvRowSource::fields_", "numbers of fields"},
      {"Record::fields", "views of the record delivered last"},
      {"CsvReader::record_", "as Record::fields"},
      {"CsvReader::fields_", "views of the record under way, emptied when the next begins"},
      {"CsvReader::escaped_fields_", "as CsvReader::fields_"},
      {"CsvReader::unescaped_", "as CsvReader::fields_"},
      {"CsvHeader::names_", "names of columns"},
      {"CsvHeader::places_", "names of columns"},
      {"CsvHeader::source_name_", "a setting"},
      {"LibsvmRowSource::reader_", "its members are looked at on their own"},
      {"Words::at_", "a local of the call that reads the line"},
      {"Words::end_", "a local of the call that reads the line"},
      {"Cell::kind", "a cell of the line under way"},
      {"Cell::text", "a view of the line under way"},
      {"NdjsonRows::unit_column_", "a setting"},
      {"NdjsonRows::reader_", "its members are looked at on their own"},
      {"NdjsonRows::parser_", "simdjson's own: begun anew with each line, of which it keeps nothing that is asked for"},
      {"NdjsonRows::padded_", "a copy of the line under way, made anew for each"},
      {"NdjsonRows::cells_", "emptied by parse_record() before each line"},
      {"NdjsonRows::entries_", "as NdjsonRows::cells_"},
      {"NdjsonRows::target_", "as NdjsonRows::cells_"},
      {"NdjsonRows::unit_", "as NdjsonRows::cells_"},
      {"LineReader::line_", "a view of the line delivered last"},
      {"LineReader::comment_", "a setting"},
      {"RecordReader::buffer_", "bytes of the input, addressed by where a record begins and ends"},
      {"RecordReader::source_", "the input"},
      {"RecordReader::prefix_", "a digest of what was consumed"},
      {"ConsumedPrefix::running_", "a digest of what was consumed"},
      {"ConsumedPrefix::at_end_", "a digest of what was consumed"},
      {"RecordRows::source_", "the input"},
      {"RowSource::tally_", "counts for the operator"},
      {"RowSettings::format", "a setting"},
      {"RowFormat::entry_", "a setting"},
      {"FormatEntry::name", "a setting"},
      {"FormatEntry::title", "a setting"},
      {"FormatEntry::summary", "a setting"},
      {"FormatEntry::endings", "a setting"},
      {"FormatEntry::only_unit", "a setting"},
      {"RowSettings::unit_column", "a setting"},
      {"SourcePosition::kind", "a kind of source"},
      {"SourcePosition::state", "how far an input was consumed"},
      {"BytePosition::kKind", "a constant"},
      {"BytePosition::digest", "a digest of what was consumed"},
  };
  return table;
}

std::vector<SourceFile> readers_of_rows() {
  std::vector<SourceFile> files = read_tree(RIVULET_SOURCE_DIR, "python/src");
  // Bytes are handed on as they come: where they come from is no reader of rows.
  for (const SourceFile& file : read_tree(RIVULET_SOURCE_DIR, "src/input")) {
    if (file.path.find("/byte_source.") == std::string::npos) files.push_back(file);
  }
  return files;
}

std::vector<std::string> objections(const SourceFile& file, std::set<std::string>* used = nullptr) {
  // The interface's own structures, which are not ours to shape.
  if (file.path.ends_with("arrow_abi.h")) return {};
  std::vector<std::string> found;
  const std::vector<Member> members = Members(file.text).all();
  for (const Member& member : members) {
    if (holds_no_row(member.type)) continue;
    if (!named().contains(member.place)) found.push_back(member.place + " (" + member.type + ")");
    if (used != nullptr) used->insert(member.place);
  }
  return found;
}

TEST(RowRules, NoMemberOfAReaderHoldsRowsButForNamedAndJustifiedOnes) {
  std::set<std::string> used;
  std::size_t files = 0;
  for (const SourceFile& file : readers_of_rows()) {
    ++files;
    for (const std::string& objection : objections(file, &used)) {
      ADD_FAILURE() << file.path << ": " << objection
                    << " could carry something from one row to the next: make it a RowScratch, or name it here with "
                       "the reason why it cannot";
    }
  }
  EXPECT_GT(files, 30U);
  for (const auto& [place, reason] : named()) {
    EXPECT_TRUE(used.contains(place)) << place << " is named here and nowhere else";
    EXPECT_FALSE(reason.empty());
  }
}

TEST(RowRules, ABreachIsNoticed) {
  const auto one = [](const std::string& member) {
    return objections(
        {"python/src/x.h", "namespace a {\nclass Reader {\n public:\n  int f() const { return 1; }\n private:\n  " +
                               member + "\n};\n}\n"});
  };
  EXPECT_EQ(one("std::vector<double> values_;"), std::vector<std::string>{"Reader::values_ (std::vector<double>)"});
  EXPECT_EQ(one("double last_ = 0.0;").size(), 1U);
  EXPECT_EQ(one("nb::object cell_{};").size(), 1U);
  EXPECT_EQ(one("std::optional<std::string> unit_;").size(), 1U);
  EXPECT_EQ(one("struct Inner { std::string text; };"), std::vector<std::string>{"Reader::Inner::text (std::string)"});
  EXPECT_TRUE(one("RowScratch<double> values_;").empty());
  EXPECT_TRUE(one("std::size_t position_ = 0;").empty());
  EXPECT_TRUE(one("std::vector<double> values() const;").empty());
}

// Names that Python objects of the package keep something under.
std::set<std::string> attributes(const std::string& text) {
  static const std::regex assignment(R"((?:^|\n)\s*self\.(\w+)\s*(?::[^=\n]+)?(?:,\s*self\.(\w+)\s*)?=[^=])");
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), assignment); match != std::sregex_iterator(); ++match) {
    for (const int part : {1, 2}) {
      if ((*match)[part].matched) found.insert((*match)[part]);
    }
  }
  return found;
}

TEST(RowRules, PythonObjectsKeepSettingsAndPublicationsOnly) {
  // By file: what lives on between two calls that take rows. Parameters of estimators are settings.
  const std::map<std::string, std::set<std::string>> kept = {
      {"_estimator.py", {"releases_", "model_", "coef_", "intercept_", "_stream", "_spend"}},
      {"_guard.py", {"budget", "fingerprint", "rows_again"}},
      {"_published.py", {"_options", "_releases"}},
      {"_stream.py", {}},
      {"_rows.py", {}},
      {"river.py",
       {"_options", "_stream", "_spend", "_next_look", "_releases", "_detached", "_predictor", "features",
        "target_bounds", "budget", "release_every", "constraint", "intercept", "clip_norm", "horizon", "neighbours",
        "insecure_seed", "classes", "margin"}},
      {"sklearn.py",
       {"budget", "bounds", "target_bounds", "constraint", "fit_intercept", "clip_norm", "release_every", "horizon",
        "neighbours", "insecure_seed", "radius", "classes", "method", "margin", "classes_"}},
  };
  for (const auto& [name, allowed] : kept) {
    const std::set<std::string> found =
        attributes(read_file(std::string(RIVULET_SOURCE_DIR) + "/python/rivulet/" + name));
    for (const std::string& attribute : found) {
      EXPECT_TRUE(allowed.contains(attribute))
          << "python/rivulet/" << name << ": self." << attribute << " lives on between rows: say here what it is";
    }
  }
  EXPECT_EQ(attributes("\n    self.last = row\n"), std::set<std::string>{"last"});
}

}  // namespace
}  // namespace rivulet::architecture
