// What a setting's value may look like. A value comes as JSON, whichever door it came through: a flag is text, a
// configuration file, Python and a service have numbers and lists as well. Text that says a number counts as that
// number, so that every door gives the same answer. Settings are public: RequestError shows the value it refuses.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/schema.h"

namespace rivulet::request {

using Json = nlohmann::ordered_json;

// The two classes of a target, the negative one first, as they were written.
using ClassNames = std::array<std::string, 2>;
// Both as numbers, when both are.
std::optional<std::array<double, 2>> class_numbers(const ClassNames& names);

// The words for the values of an enumeration.
template <typename Value>
using Words = std::span<const std::pair<Value, std::string_view>>;

template <typename Value>
std::string_view word_of(Words<Value> words, Value value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return {};
}

// A value of the setting that `field` names. Every reader throws RequestError naming the field, the value and what
// would be accepted. It is made on the spot and holds references: not to be kept.
struct Given {
  const Json& value;
  const std::string& field;

  [[noreturn]] void refuse(const std::string& accepted) const;
  // The same of a number that was read.
  [[noreturn]] void refuse(double number, const std::string& accepted) const;

  // Any finite number.
  [[nodiscard]] double number(const std::string& accepted = "a finite number, e.g. 1.5") const;
  [[nodiscard]] double positive() const;
  // 0, 1, 2, ... up to 2^64 - 1, and the same from 1 on, perhaps to a largest one.
  [[nodiscard]] std::uint64_t whole() const;
  [[nodiscard]] std::uint64_t positive_whole(const std::string& accepted = "a positive whole number, e.g. 100",
                                             std::uint64_t most = ~std::uint64_t{0}) const;
  [[nodiscard]] bool truth() const;
  // Text that is not empty.
  [[nodiscard]] std::string text(const std::string& accepted = "text") const;
  // A list of texts, none of them empty, or one text.
  [[nodiscard]] std::vector<std::string> texts(const std::string& accepted) const;
  // A list of names, each once, or "a,b,c".
  [[nodiscard]] std::vector<std::string> names() const;
  // [lo, hi] or "lo:hi", finite and in this order.
  [[nodiscard]] Interval interval() const;
  // "unbounded" or a positive whole number of steps.
  [[nodiscard]] Horizon horizon() const;
  // One character that is no quote and no line end, or "tab" or "\t".
  [[nodiscard]] char delimiter() const;
  // A list of two texts or numbers, or "no,yes"; where there is a '|' it separates, so that a class may hold a comma.
  [[nodiscard]] ClassNames classes() const;
  // "name:columns"; a name may hold ':', the last one separates.
  [[nodiscard]] std::pair<std::string, std::uint64_t> block() const;
  // An object.
  void require_table() const;

  template <typename Value>
  [[nodiscard]] Value word(Words<Value> words) const {
    std::string accepted;
    for (const auto& [candidate, word] : words) {
      if (value.is_string() && value.get_ref<const std::string&>() == word) return candidate;
      accepted += (accepted.empty() ? "" : ", ") + std::string(word);
    }
    refuse(accepted);
  }
};

// The parts between separators, without the blanks around each; one part at least.
std::vector<std::string> split(std::string_view text, char separator);
// The candidate a typing slip away from `word`, or nothing when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace rivulet::request
