#include "rivulet/budget.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "base/number_text.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

template <typename Enum, std::size_t N>
using Words = std::array<std::pair<std::string_view, Enum>, N>;

constexpr Words<Neighbours, 2> kNeighbours{{{"replace", Neighbours::replace}, {"zero-out", Neighbours::zero_out}}};
constexpr Words<Profile, 2> kProfiles{{{"tight", Profile::tight}, {"paper", Profile::paper}}};
constexpr Words<StrategyKind, 3> kStrategies{
    {{"blt", StrategyKind::blt}, {"tree", StrategyKind::tree}, {"hybrid", StrategyKind::hybrid}}};

template <typename Enum, std::size_t N>
std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [word, candidate] : words) {
    if (candidate == value) return word;
  }
  return "?";
}

template <typename Enum, std::size_t N>
Enum parse_word(const Words<Enum, N>& words, std::string_view text, std::string_view field) {
  std::string accepted;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    accepted += accepted.empty() ? "" : ", ";
    accepted += word;
  }
  throw RequestError(std::string(field), "\"" + std::string(text) + "\" is not known; accepted: " + accepted);
}

}  // namespace

void Budget::validate() const {
  if (!(epsilon > 0.0) || !std::isfinite(epsilon)) {
    throw RequestError("epsilon", shown(epsilon) + " is not a budget; accepted: a positive finite number, e.g. 1");
  }
  if (!(delta > 0.0) || !(delta < 1.0)) {
    throw RequestError("delta", shown(delta) + " is not a budget; accepted: a number above 0 and below 1, e.g. 1e-6");
  }
}

Horizon Horizon::known(std::uint64_t steps) {
  if (steps == 0) {
    throw RequestError("horizon", "0 steps would publish nothing; accepted: \"unbounded\" or at least 1 step");
  }
  return Horizon(steps);
}

std::string_view to_string(Neighbours neighbours) {
  return word_of(kNeighbours, neighbours);
}
std::string_view to_string(Profile profile) {
  return word_of(kProfiles, profile);
}
std::string_view to_string(StrategyKind strategy) {
  return word_of(kStrategies, strategy);
}

Neighbours parse_neighbours(std::string_view word, std::string_view field) {
  return parse_word(kNeighbours, word, field);
}

Profile parse_profile(std::string_view word, std::string_view field) {
  return parse_word(kProfiles, word, field);
}

StrategyKind parse_strategy(std::string_view word, std::string_view field) {
  return parse_word(kStrategies, word, field);
}

Horizon parse_horizon(std::string_view word, std::string_view field) {
  if (word == "unbounded") return Horizon::unbounded();
  std::uint64_t steps = 0;
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, steps);
  if (parsed.ec != std::errc{} || parsed.ptr != end || steps == 0) {
    throw RequestError(std::string(field), "\"" + std::string(word) +
                                               "\" is not a horizon; accepted: \"unbounded\" or a positive whole "
                                               "number of steps up to 18446744073709551615");
  }
  return Horizon::known(steps);
}

}  // namespace rivulet
