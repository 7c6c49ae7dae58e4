// Losses as text.
#include <charconv>
#include <optional>
#include <system_error>

#include "base/shown.h"
#include "loss/parameter.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"

namespace rivulet {
namespace {

constexpr std::string_view kAccepted =
    "squared, logistic, hinge, smooth-hinge:WIDTH, huber:THRESHOLD with a positive finite number, or quantile:LEVEL "
    "with a number above 0 and below 1, e.g. huber:0.5";

}  // namespace

void loss::require_parameter(bool good, const std::string& loss, const std::string& what, double value,
                             const std::string& accepted) {
  if (!good) throw RequestError("loss", loss + ": the " + what + " is " + shown(value) + "; accepted: " + accepted);
}

std::unique_ptr<Loss> parse_loss(std::string_view text, std::string_view field) {
  const auto refusal = [&](const std::string& fault) {
    return RequestError(std::string(field), shown(text) + " " + fault + "; accepted: " + std::string(kAccepted));
  };
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  std::optional<std::string_view> word;
  if (colon != std::string_view::npos) word = text.substr(colon + 1);

  using Maker = std::unique_ptr<Loss> (*)();
  for (const auto& [name, make] : {std::pair<std::string_view, Maker>{"squared", make_squared_loss},
                                   {"logistic", make_logistic_loss},
                                   {"hinge", make_hinge_loss}}) {
    if (kind != name) continue;
    if (word) throw refusal("has a number where '" + std::string(name) + "' takes none");
    return make();
  }

  struct Numbered {
    std::string_view name;
    std::string what;
    std::unique_ptr<Loss> (*make)(double);
    double below;  // the number is positive and below this
  };
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  for (const Numbered& numbered : {Numbered{"smooth-hinge", "width", make_smooth_hinge_loss, kUnlimited},
                                   {"huber", "threshold", make_huber_loss, kUnlimited},
                                   {"quantile", "level", make_quantile_loss, 1.0}}) {
    if (kind != numbered.name) continue;
    if (!word || word->empty()) throw refusal("has no " + numbered.what);
    double value = 0.0;
    const auto [end, status] = std::from_chars(word->data(), word->data() + word->size(), value);
    if (status == std::errc::result_out_of_range) {
      throw refusal("has a " + numbered.what + " beyond the range of a double");
    }
    if (status != std::errc{} || end != word->data() + word->size()) {
      throw refusal("has a " + numbered.what + " that is not a number");
    }
    if (!(value > 0.0 && value < numbered.below)) throw refusal("has " + numbered.what + " " + shown(value));
    return numbered.make(value);
  }
  if (kind == "custom") throw refusal("names a loss that exists in the program that made it only");
  throw refusal("is not the name of a loss");
}

}  // namespace rivulet
