// Constraint sets as text.
#include "rivulet/constraint.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/number_text.h"
#include "geometry/ball.h"
#include "geometry/polytope.h"
#include "rivulet/error.h"

namespace rivulet::geometry {
namespace {

// Vertices as text: in a file, or in place.

// Makes the error to throw from the fault found.
using Refuse = std::function<RequestError(const std::string& fault)>;

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

// One vertex a line, its numbers separated by commas or blanks; '#' begins a comment, empty lines are skipped. Row by
// row. Refuses a file that cannot be read or has more than a million numbers or 64 MB, and names the line and the field
// of a word that is not a finite number, and the line with another count of numbers than the dimension.
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

// "[[1,0],[0,1],[-1,-1]]", blanks allowed between the parts. Refuses in the same way, counting vertices and numbers.
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

}  // namespace

}  // namespace rivulet::geometry

namespace rivulet {
namespace {

constexpr std::string_view kBalls = "l2:R or l1:R with a positive finite R";

// The parts of a text such as "lp:1.5:2", and how to complain about them.
class Text {
 public:
  Text(std::string_view text, std::string_view field) : whole_(text), field_(field) {
    const std::size_t colon = text.find(':');
    kind_ = text.substr(0, colon);
    if (colon != std::string_view::npos) rest_ = text.substr(colon + 1);
  }

  [[nodiscard]] std::string_view kind() const { return kind_; }
  // What has not been read yet, without its leading colon; absent when there is not even a colon.
  [[nodiscard]] std::optional<std::string_view> rest() const { return rest_; }
  void accepts(std::string accepted) { accepted_ = std::move(accepted); }

  [[nodiscard]] RequestError refusal(const std::string& fault) const {
    constexpr std::size_t longest = 60;
    std::string quoted(whole_.substr(0, longest));
    for (char& c : quoted) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    if (whole_.size() > longest) quoted += "...";
    return {std::string(field_), "'" + quoted + "' " + fault + "; accepted: " + accepted_};
  }

  // The next part, up to a colon, as a number.
  double number(const std::string& what) {
    const std::string_view word = part(what);
    double value = 0.0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status == std::errc::result_out_of_range) {
      throw refusal("has " + what + " " + std::string(word) + ", beyond the range of a double");
    }
    if (status != std::errc{}) throw refusal("has " + what + " '" + std::string(word) + "', which is not a number");
    if (end != word.data() + word.size()) {
      throw refusal("has '" + std::string(end, word.data() + word.size()) + "' after its " + what);
    }
    return value;
  }
  double radius() {
    const double value = number("radius", geometry::positive_finite);
    finish("radius");
    return value;
  }
  // A number for which `good` holds.
  template <typename Good>
  double number(const std::string& what, const Good& good) {
    const double value = number(what);
    if (!good(value)) throw refusal("has " + what + " " + shown(value));
    return value;
  }
  void finish(const std::string& last) const {
    if (rest_) throw refusal("has ':" + std::string(*rest_) + "' after its " + last);
  }
  std::string_view part(const std::string& what) {
    const std::string_view text = rest_.value_or("");
    const std::size_t colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    if (word.empty()) throw refusal("has no " + what);
    rest_ = colon == std::string_view::npos ? std::nullopt : std::optional(text.substr(colon + 1));
    return word;
  }

 private:
  std::string_view whole_;
  std::string_view field_;
  std::string_view kind_;
  std::optional<std::string_view> rest_;
  std::string accepted_;
};

std::unique_ptr<ConstraintSet> read_ball(Text& text, std::size_t dimension) {
  text.accepts(std::string(kBalls) + ", e.g. l2:2");
  const double radius = text.radius();
  return text.kind() == "l2" ? make_l2_ball(dimension, radius) : make_l1_ball(dimension, radius);
}

std::unique_ptr<ConstraintSet> read_lp_ball(Text& text, std::size_t dimension) {
  text.accepts("lp:P:R with 1 < P < 2 and a positive finite R, e.g. lp:1.5:2");
  const double p = text.number("exponent", [](double value) { return value > 1.0 && value < 2.0; });
  return make_lp_ball(dimension, p, text.radius());
}

std::unique_ptr<ConstraintSet> read_simplex(Text& text, std::size_t dimension) {
  text.accepts("simplex or simplex:R with a positive finite total R, e.g. simplex:1");
  return make_simplex(dimension, text.rest() ? text.radius() : 1.0);
}

std::unique_ptr<ConstraintSet> read_box(Text& text, std::size_t dimension) {
  text.accepts("box:LO:HI with finite LO <= 0 <= HI, not both 0, e.g. box:-1:1 or box:0:1");
  const auto finite = [](double value) { return value - value == 0.0; };
  const double low = text.number("low end", [&](double value) { return value <= 0.0 && finite(value); });
  const double high = text.number("high end", [&](double value) { return value >= 0.0 && finite(value); });
  text.finish("high end");
  if (low == high) throw text.refusal("is the origin alone");
  try {
    return make_box(dimension, low, high);
  } catch (const RequestError&) {
    if (dimension == 0) throw;
    throw text.refusal("has a diameter beyond the range of a double");
  }
}

std::unique_ptr<ConstraintSet> read_elastic_ball(Text& text, std::size_t dimension) {
  text.accepts("elastic:A:R with an L1 share 0 < A < 1 and a positive finite R, e.g. elastic:0.5:2");
  const double share = text.number("L1 share", [](double value) { return value > 0.0 && value < 1.0; });
  return make_elastic_ball(dimension, share, text.radius());
}

std::unique_ptr<ConstraintSet> read_group_ball(Text& text, std::size_t dimension) {
  text.accepts(
      "group:K:R for groups of K coordinates or group:K1,K2,...:R with sizes that add up to the dimension, sizes 1 or "
      "more and a positive finite R, e.g. group:3:1 or group:3,2,4:1");
  std::string_view list = text.part("group size");
  std::vector<std::size_t> sizes;
  std::size_t sum = 0;
  const bool one = list.find(',') == std::string_view::npos;
  for (bool more = true; more;) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    std::size_t size = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (status != std::errc{} || end != word.data() + word.size() || size == 0) {
      throw text.refusal("has group size '" + std::string(word) + "'");
    }
    more = comma != std::string_view::npos;
    if (more) list = list.substr(comma + 1);
    if (!one && size > dimension - sum) {
      throw text.refusal("has groups of more than " + std::to_string(dimension) + " coordinates in all, the dimension");
    }
    sizes.push_back(size);
    sum += one ? 0 : size;
  }
  if (!one && sum != dimension) {
    throw text.refusal("has groups of " + std::to_string(sum) + " coordinates in all where the dimension is " +
                       std::to_string(dimension));
  }
  const double radius = text.radius();
  if (one && dimension > 0) {
    const std::size_t size = std::min(sizes.front(), dimension);
    sizes.assign(dimension / size, size);
    if (dimension % size != 0) sizes.push_back(dimension % size);
  }
  return make_group_ball(sizes, radius);
}

std::unique_ptr<ConstraintSet> read_polytope(Text& text, std::size_t dimension) {
  text.accepts("polytope:FILE or polytope:[[1,0],[0,1],[-1,-1]], 2 vertices or more around the origin, " +
               std::to_string(dimension) +
               " finite numbers each (in the file: one vertex a line, numbers separated by "
               "commas or blanks), a million numbers in all at most");
  const std::string_view rest = text.rest().value_or("");
  if (rest.empty()) throw text.refusal("has no vertices");
  if (dimension == 0) return make_polytope(dimension, {});  // throws
  const auto refuse = [&text](const std::string& fault) { return text.refusal(fault); };
  const std::vector<double> vertices = rest.front() == '['
                                           ? geometry::parse_vertices(rest, dimension, refuse)
                                           : geometry::read_vertices(std::string(rest), dimension, refuse);
  const std::string fault = geometry::polytope_fault(dimension, vertices);
  if (!fault.empty()) throw text.refusal(fault);
  return make_polytope(dimension, vertices);
}

}  // namespace

std::unique_ptr<ConstraintSet> parse_constraint(std::string_view text, std::size_t dimension, std::string_view field) {
  Text reader(text, field);
  const std::string_view kind = reader.kind();
  if (kind == "l2" || kind == "l1") return read_ball(reader, dimension);
  if (kind == "lp") return read_lp_ball(reader, dimension);
  if (kind == "simplex") return read_simplex(reader, dimension);
  if (kind == "group") return read_group_ball(reader, dimension);
  if (kind == "box") return read_box(reader, dimension);
  if (kind == "elastic") return read_elastic_ball(reader, dimension);
  if (kind == "polytope") return read_polytope(reader, dimension);
  reader.accepts(
      std::string(kBalls) +
      ", or lp:P:R, simplex, simplex:R, group:K:R, group:K1,K2,...:R, box:LO:HI, elastic:A:R, polytope:FILE");
  throw reader.refusal(kind.empty() ? "names no set" : "names the unknown set '" + std::string(kind) + "'");
}

}  // namespace rivulet
