// The header line of a CSV input: where the columns are that a schema names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rivulet/schema.h"

namespace rivulet::input {

// Whether the schema names the column, as a feature, of a block or as the target.
bool is_declared(const std::string& column, const Schema& schema);

// Looking a column up takes constant time: a block may have thousands.
class CsvHeader {
 public:
  // The schema and `source_name`, which messages call the input by, must outlive this.
  CsvHeader(std::vector<std::string> names, const Schema& schema, const std::string& source_name);
  CsvHeader(const CsvHeader&) = delete;
  CsvHeader& operator=(const CsvHeader&) = delete;

  // Which field of a record the column is. Throws RequestError when it is not in the header or stands there twice.
  [[nodiscard]] std::size_t field_of(const std::string& column) const;

 private:
  struct Place {
    std::size_t field = 0;
    bool repeated = false;
  };
  // The names, for a message.
  [[nodiscard]] std::string listed() const;

  std::vector<std::string> names_;
  std::unordered_map<std::string_view, Place> places_;  // views of names_
  const Schema& schema_;
  const std::string& source_name_;
};

}  // namespace rivulet::input
