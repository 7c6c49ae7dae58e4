#include "geometry/polytope_text.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/shown.h"
#include "geometry/polytope.h"

namespace rivulet::geometry {
namespace {

constexpr std::size_t kMostBytes = 64U << 20U;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// A finite number; what is wrong with the word goes to `fault`.
double read_number(std::string_view word, std::string& fault) {
  double value = 0.0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty()) {
    fault = "is empty";
  } else if (status == std::errc::result_out_of_range) {
    fault = "is " + shown(word) + ", beyond the range of a double";
  } else if (status != std::errc{} || end != word.data() + word.size()) {
    fault = "is " + shown(word) + ", which is not a number";
  } else if (!std::isfinite(value)) {
    fault = "is " + shown(word) + ", which is not finite";
  }
  return value;
}

std::string read_file(const std::string& path, const Refuse& refuse) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw refuse("names a file that cannot be opened (" + std::generic_category().message(errno) + ")");
  std::string text;
  std::array<char, 65536> part{};
  for (std::size_t size = 0; (size = std::fread(part.data(), 1, part.size(), file.get())) > 0;) {
    text.append(part.data(), size);
    if (text.size() > kMostBytes) throw refuse("names a file of more than 64 MB");
  }
  if (std::ferror(file.get()) != 0) {
    throw refuse("names a file that cannot be read (" + std::generic_category().message(errno) + ")");
  }
  return text;
}

// Fields of a line: a comma with blanks around it, or blanks alone, stand between two.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  line = trimmed(line.substr(0, line.find('#')));
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(", \t\r"), line.size());
    fields.push_back(line.substr(0, end));
    line = trimmed(line.substr(end));
    if (line.empty() || line.front() != ',') continue;
    line = trimmed(line.substr(1));
    if (line.empty()) fields.emplace_back();  // the line ends in a comma
  }
  return fields;
}

void require_room(const std::vector<double>& vertices, const Refuse& refuse) {
  if (vertices.size() < kMostPolytopeNumbers) return;
  throw refuse("has more than " + std::to_string(kMostPolytopeNumbers) + " numbers");
}

std::string counted(std::size_t numbers, std::size_t dimension) {
  return std::to_string(numbers) + (numbers == 1 ? " number" : " numbers") + " where the dimension is " +
         std::to_string(dimension);
}

}  // namespace

std::vector<double> read_vertices(const std::string& path, std::size_t dimension, const Refuse& refuse) {
  const std::string text = read_file(path, refuse);
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  std::vector<double> vertices;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::vector<std::string_view> fields = fields_of(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      std::string fault;
      require_room(vertices, refuse);
      vertices.push_back(read_number(fields[k], fault));
      if (fault.empty()) continue;
      throw refuse("line " + std::to_string(line) + ": field " + std::to_string(k + 1) + " " + fault);
    }
    if (!fields.empty() && fields.size() != dimension) {
      throw refuse("line " + std::to_string(line) + " has " + counted(fields.size(), dimension));
    }
  }
  return vertices;
}

std::vector<double> parse_vertices(std::string_view text, std::size_t dimension, const Refuse& refuse) {
  std::string_view rest = trimmed(text);
  const auto take = [&rest](char wanted) {
    rest = trimmed(rest);
    if (rest.empty() || rest.front() != wanted) return false;
    rest.remove_prefix(1);
    return true;
  };
  const auto demand = [&](char wanted, const std::string& where) {
    if (take(wanted)) return;
    throw refuse(where + ": " + (rest.empty() ? "the end" : shown(rest.substr(0, 1))) + " stands where '" + wanted +
                 "' should");
  };
  std::vector<double> vertices;
  demand('[', "at the beginning");
  std::size_t vertex = 0;
  do {
    ++vertex;
    const std::string where = "vertex " + std::to_string(vertex);
    demand('[', where);
    std::size_t numbers = 0;
    do {
      ++numbers;
      rest = trimmed(rest);
      const std::size_t end = std::min(rest.find_first_of(",] \t\r["), rest.size());
      std::string fault;
      require_room(vertices, refuse);
      vertices.push_back(read_number(rest.substr(0, end), fault));
      if (!fault.empty()) throw refuse(where + ": number " + std::to_string(numbers) + " " + fault);
      rest.remove_prefix(end);
    } while (take(','));
    demand(']', where);
    if (numbers != dimension) throw refuse(where + " has " + counted(numbers, dimension));
  } while (take(','));
  demand(']', "after vertex " + std::to_string(vertex));
  if (rest = trimmed(rest); !rest.empty()) throw refuse("has " + shown(rest) + " after its vertices");
  return vertices;
}

}  // namespace rivulet::geometry
