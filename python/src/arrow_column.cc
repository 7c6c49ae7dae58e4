#include "arrow_column.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "rivulet/error.h"

namespace rivulet::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool bit(const void* bits, std::int64_t position) {
  return ((static_cast<const std::uint8_t*>(bits)[position / 8] >> (position % 8)) & 1U) != 0;
}

template <typename Number>
Number at(const ArrowArray& array, std::int64_t row) {
  return static_cast<const Number*>(array.buffers[1])[row];
}

// IEEE 754 half precision.
double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const double fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : kMissing;
  return sign * std::ldexp(1024.0 + fraction, exponent - 25);
}

template <typename Visit>
auto with_number_type(char format, Visit visit) {
  switch (format) {
    case 'c':
      return visit(std::int8_t{});
    case 'C':
      return visit(std::uint8_t{});
    case 's':
      return visit(std::int16_t{});
    case 'S':
      return visit(std::uint16_t{});
    case 'i':
      return visit(std::int32_t{});
    case 'I':
      return visit(std::uint32_t{});
    case 'l':
      return visit(std::int64_t{});
    case 'L':
      return visit(std::uint64_t{});
    case 'f':
      return visit(float{});
    default:
      return visit(double{});
  }
}

}  // namespace

bool arrow_valid(const ArrowArray& array, std::int64_t row) {
  return array.n_buffers == 0 || array.null_count == 0 || array.buffers[0] == nullptr || bit(array.buffers[0], row);
}

ArrowColumn::ArrowColumn(const ArrowSchema& schema, std::string name) : name_(std::move(name)) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) {
    kind_ = Kind::dictionary;
    format_ = format.front();
    dictionary_.emplace_back(*schema.dictionary, name_);
  } else if (format == "n") {
    kind_ = Kind::nothing;
  } else if (format == "b") {
    kind_ = Kind::truth;
  } else if (format.size() == 1 && std::string_view("cCsSiIlLefg").find(format) != std::string_view::npos) {
    format_ = format.front();
  } else if (format == "u" || format == "U" || format == "vu") {
    kind_ = Kind::text;
    layout_ = format == "u" ? Layout::offsets32 : format == "U" ? Layout::offsets64 : Layout::view;
  } else {
    throw RequestError(name_, "is an Arrow column of format '" + std::string(format) +
                                  "'; accepted: whole numbers, floating-point numbers, truth values, text and "
                                  "dictionaries of them");
  }
}

double ArrowColumn::number(const ArrowArray& array, std::int64_t row) const {
  if (!arrow_valid(array, row)) return kMissing;
  switch (kind_) {
    case Kind::nothing:
      return kMissing;
    case Kind::truth:
      return bit(array.buffers[1], row) ? 1.0 : 0.0;
    case Kind::number:
      if (format_ == 'e') return half(at<std::uint16_t>(array, row));
      return with_number_type(format_, [&](auto type) { return static_cast<double>(at<decltype(type)>(array, row)); });
    case Kind::dictionary: {
      const std::int64_t code = whole(array, row).value_or(-1);
      const ArrowArray& values = *array.dictionary;
      if (code < 0 || code >= values.length) return kMissing;
      return dictionary_.front().number(values, values.offset + code);
    }
    case Kind::text:
      break;
  }
  return kMissing;  // refused before the first row, by its type
}

std::optional<std::int64_t> ArrowColumn::whole(const ArrowArray& array, std::int64_t row) const {
  if (!arrow_valid(array, row)) return std::nullopt;
  if (kind_ == Kind::truth) return bit(array.buffers[1], row) ? 1 : 0;
  if (format_ == 'e' || format_ == 'f' || format_ == 'g') return std::nullopt;
  return with_number_type(format_,
                          [&](auto type) { return static_cast<std::int64_t>(at<decltype(type)>(array, row)); });
}

std::string_view ArrowColumn::text(const ArrowArray& array, std::int64_t row) const {
  const auto slice = [&](auto offset) -> std::string_view {
    const auto* offsets = static_cast<const decltype(offset)*>(array.buffers[1]);
    const auto begin = offsets[row];
    const auto length = static_cast<std::size_t>(offsets[row + 1] - begin);
    return length == 0 ? std::string_view()
                       : std::string_view(static_cast<const char*>(array.buffers[2]) + begin, length);
  };
  if (layout_ == Layout::offsets32) return slice(std::int32_t{});
  if (layout_ == Layout::offsets64) return slice(std::int64_t{});
  // 16 bytes a row: the length, then the text itself up to 12 bytes, or 4 bytes of it, a buffer's number and a place in
  // it.
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * row;
  std::int32_t length = 0, buffer = 0, offset = 0;
  std::memcpy(&length, view, 4);
  if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, static_cast<std::size_t>(length)};
}

std::string ArrowColumn::text_or_whole(const ArrowArray& array, std::int64_t row) const {
  if (!arrow_valid(array, row) || kind_ == Kind::nothing) return "";
  if (kind_ == Kind::text) return std::string(text(array, row));
  if (kind_ == Kind::dictionary) {
    const std::int64_t code = whole(array, row).value_or(-1);
    const ArrowArray& values = *array.dictionary;
    if (code < 0 || code >= values.length) return "";
    return dictionary_.front().text_or_whole(values, values.offset + code);
  }
  if (kind_ == Kind::truth) return bit(array.buffers[1], row) ? "True" : "False";
  if (format_ == 'L') return std::to_string(at<std::uint64_t>(array, row));
  const auto number = whole(array, row);
  return number ? std::to_string(*number) : "";
}

void ArrowColumn::numbers(const ArrowArray& array, std::int64_t begin, std::size_t count, double* out,
                          std::size_t stride) const {
  const std::int64_t first = array.offset + begin;
  const bool all_there = array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr;
  if (kind_ == Kind::number && format_ != 'e' && all_there) {
    with_number_type(format_, [&](auto type) {
      const auto* from = static_cast<const decltype(type)*>(array.buffers[1]) + first;
      for (std::size_t i = 0; i < count; ++i) out[i * stride] = static_cast<double>(from[i]);
    });
    return;
  }
  for (std::size_t i = 0; i < count; ++i) out[i * stride] = number(array, first + static_cast<std::int64_t>(i));
}

void ArrowColumn::levels(const ArrowArray& array, std::int64_t begin, const LevelNames& names,
                         std::vector<int>& out) const {
  const std::size_t count = out.size();
  const std::int64_t first = array.offset + begin;
  const auto find = [&](const ArrowColumn& column, const ArrowArray& values, std::int64_t row) {
    if (!arrow_valid(values, row)) return kNoLevel;
    return column.kind_ == Kind::text ? names.find(column.text(values, row))
                                      : names.find(column.text_or_whole(values, row));
  };
  if (kind_ != Kind::dictionary) {
    for (std::size_t i = 0; i < count; ++i) out[i] = find(*this, array, first + static_cast<std::int64_t>(i));
    return;
  }
  // Every level once, then codes alone. A block of few rows with many levels does without.
  const ArrowArray& values = *array.dictionary;
  std::vector<int> places;
  if (static_cast<std::size_t>(values.length) <= count) {
    for (std::int64_t i = 0; i < values.length; ++i)
      places.push_back(find(dictionary_.front(), values, values.offset + i));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t code = whole(array, first + static_cast<std::int64_t>(i)).value_or(-1);
    const bool known = code >= 0 && code < values.length;
    out[i] = !known           ? kNoLevel
             : places.empty() ? find(dictionary_.front(), values, values.offset + code)
                              : places[static_cast<std::size_t>(code)];
  }
}

void ArrowColumn::units(const ArrowArray& array, std::int64_t begin, std::vector<std::string>& out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = unit_in(text_or_whole(array, array.offset + begin + static_cast<std::int64_t>(i)));
  }
}

bool ArrowColumn::holds_identities() const {
  if (kind_ == Kind::dictionary) return dictionary_.front().holds_identities();
  return kind_ != Kind::number || (format_ != 'e' && format_ != 'f' && format_ != 'g');
}

}  // namespace rivulet::python
