#include "stream/loss_text.h"

#include <utility>

#include "base/number_text.h"
#include "base/shown.h"
#include "rivulet/error.h"
#include "stream/setting_text.h"

namespace rivulet::stream {
namespace {

template <typename Word, std::size_t Count>
Word parse_word(std::string_view text, std::string_view field, const std::array<Word, Count>& words) {
  std::string accepted;
  for (const Word word : words) {
    if (text == to_string(word)) return word;
    accepted += (accepted.empty() ? "" : ", ") + std::string(to_string(word));
  }
  throw RequestError(std::string(field), shown(text) + " is not accepted; accepted: " + accepted);
}

}  // namespace

Mechanism parse_mechanism(std::string_view word, std::string_view field) {
  return parse_word(word, field,
                    std::array{Mechanism::full, Mechanism::sketch, Mechanism::erm, Mechanism::surrogate,
                               Mechanism::naive, Mechanism::trivial});
}

std::string_view to_string(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::full:
      return "full";
    case Mechanism::sketch:
      return "sketch";
    case Mechanism::erm:
      return "erm";
    case Mechanism::surrogate:
      return "surrogate";
    case Mechanism::naive:
      return "naive";
    case Mechanism::trivial:
      break;
  }
  return "trivial";
}

bool is_erm(Mechanism mechanism) {
  return mechanism == Mechanism::erm || mechanism == Mechanism::naive || mechanism == Mechanism::trivial;
}

ErmMethod parse_erm_method(std::string_view word, std::string_view field) {
  return parse_word(word, field,
                    std::array{ErmMethod::gradient_descent, ErmMethod::frank_wolfe, ErmMethod::output_perturbation});
}

std::string_view to_string(ErmMethod method) {
  switch (method) {
    case ErmMethod::gradient_descent:
      return "gradient-descent";
    case ErmMethod::frank_wolfe:
      return "frank-wolfe";
    case ErmMethod::output_perturbation:
      return "output-perturbation";
    case ErmMethod::by_set:
      break;
  }
  return "by the set";
}

ErmTauRule parse_tau_rule(std::string_view word, std::string_view field) {
  return parse_word(word, field, std::array{ErmTauRule::convex, ErmTauRule::strongly_convex, ErmTauRule::width});
}

std::string_view to_string(ErmTauRule rule) {
  switch (rule) {
    case ErmTauRule::convex:
      return "convex";
    case ErmTauRule::strongly_convex:
      return "strongly-convex";
    case ErmTauRule::width:
      return "width";
    case ErmTauRule::by_method:
      break;
  }
  return "by the method";
}

ClassNames class_names(const Schema& schema) {
  if (schema.class_words()) return *schema.class_words();
  const Interval bounds = schema.target_bounds();
  const bool reversed = schema.target_scale().half_range < 0.0;
  return {shown(reversed ? bounds.hi : bounds.lo), shown(reversed ? bounds.lo : bounds.hi)};
}

std::optional<std::array<double, 2>> class_numbers(const ClassNames& names) {
  const auto negative = parse_finite(names[0]);
  const auto positive = parse_finite(names[1]);
  if (!negative || !positive) return std::nullopt;
  return std::array{*negative, *positive};
}

ClassNames checked_classes(std::vector<std::string> names, std::string_view field) {
  const auto refuse = [&] {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    throw RequestError(std::string(field), shown(text) +
                                               " is not accepted; accepted: two different classes, the negative one "
                                               "first, e.g. 0,1 or no,yes; for words with commas 'no|yes, indeed'");
  };
  if (names.size() != 2 || names[0].empty() || names[1].empty() || names[0] == names[1]) refuse();
  ClassNames classes{names[0], names[1]};
  const auto numbers = class_numbers(classes);
  if (numbers && (*numbers)[0] == (*numbers)[1]) refuse();
  return classes;
}

ClassNames parse_classes(std::string_view text, std::string_view field) {
  return checked_classes(split(text, text.find('|') == std::string_view::npos ? ',' : '|'), field);
}

}  // namespace rivulet::stream
