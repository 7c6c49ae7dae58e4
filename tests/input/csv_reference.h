// A second opinion for the tests: CSV as a plain state machine over the whole text, one character at a time, written
// for obviousness. It shares nothing with the reader it judges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/csv.h"

namespace rivulet::input::testing {

struct OwnedRecord {
  std::vector<std::string> fields;
  RecordStatus status = RecordStatus::ok;
  bool operator==(const OwnedRecord&) const = default;
};

struct RecordEnd {
  std::uint64_t end = 0;  // the byte after the LF or CR that ends the line, or the end of the input
  bool with_input = false;
  bool operator==(const RecordEnd&) const = default;
};

inline std::vector<OwnedRecord> reference_records(std::string_view text, char delimiter, std::size_t limit,
                                                  std::vector<RecordEnd>* ends = nullptr) {
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  text.remove_prefix(mark);
  std::vector<OwnedRecord> records;
  std::size_t width = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\n' || text[i] == '\r') {  // an empty line, or the LF of a CRLF
      ++i;
      continue;
    }
    OwnedRecord record;
    const std::size_t begin = i;
    bool malformed = false;
    for (bool more_fields = true; more_fields;) {
      std::string field;
      if (i < text.size() && text[i] == '"') {
        ++i;
        bool closed = false;
        while (i < text.size() && !closed) {
          if (text[i] != '"') {
            field += text[i++];
          } else if (i + 1 < text.size() && text[i + 1] == '"') {
            field += '"';
            i += 2;
          } else {
            closed = true;
            ++i;
          }
        }
        malformed = malformed || !closed;
        if (i < text.size() && text[i] != delimiter && text[i] != '\n' && text[i] != '\r') malformed = true;
      }
      while (i < text.size() && text[i] != delimiter && text[i] != '\n' && text[i] != '\r') field += text[i++];
      record.fields.push_back(field);
      more_fields = i < text.size() && text[i] == delimiter;
      if (more_fields) ++i;
    }
    if (malformed || i - begin > limit) {
      record = {{}, RecordStatus::malformed};
    } else if (width == 0) {
      width = record.fields.size();
    } else if (record.fields.size() != width) {
      record.status = RecordStatus::ragged;
    }
    const bool with_input = i == text.size();
    if (!with_input) ++i;
    records.push_back(record);
    if (ends != nullptr) ends->push_back({mark + i, with_input});
  }
  return records;
}

inline std::vector<RecordEnd> reference_ends(std::string_view text, char delimiter) {
  std::vector<RecordEnd> ends;
  reference_records(text, delimiter, text.size() + 1, &ends);
  return ends;
}

inline std::vector<OwnedRecord> read_records(ByteSource& source, RowSettings options) {
  CsvReader reader(source, options);
  std::vector<OwnedRecord> records;
  while (reader.next()) {
    const Record& record = reader.record();
    records.push_back({{record.fields.begin(), record.fields.end()}, record.status});
  }
  return records;
}

}  // namespace rivulet::input::testing
