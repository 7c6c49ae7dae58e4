// What a request means: which mechanism it asks for, what it leaves to be chosen, and what contradicts what. The same
// for every door, because every door comes through here; words name settings as key=value, which reads the same in all
// of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "privacy/mechanism_plan.h"
#include "request/settings.h"
#include "rivulet/domain.h"
#include "rivulet/error.h"
#include "rivulet/loss.h"

namespace rivulet::request {
namespace {

constexpr double kUsualMargin = 4.0;

std::string quoted(Mechanism mechanism) {
  return "'" + std::string(to_string(mechanism)) + "'";
}

// A setting where nothing would heed it is a slip.
void require_heeded(const Settings& given, Mechanism mechanism) {
  for (const Setting& setting : settings()) {
    if (!given.contains(setting.key) || (setting.holds_for & only(mechanism)) != 0) continue;
    if (setting.key == "sketch") {
      throw RequestError("mechanism", quoted(mechanism) + " contradicts sketch; accepted: one of the two");
    }
    std::string mechanisms;
    for (unsigned i = 0; i <= static_cast<unsigned>(Mechanism::trivial); ++i) {
      const auto candidate = static_cast<Mechanism>(i);
      if ((setting.holds_for & only(candidate)) == 0) continue;
      mechanisms += (mechanisms.empty() ? "" : ", ") + std::string(to_string(candidate));
    }
    throw RequestError(std::string(setting.key), "has no meaning with mechanism " + quoted(mechanism) +
                                                     "; accepted: without it, or with mechanism " + mechanisms);
  }
}

void check_mechanism(const Settings& given, const Loss& loss, Mechanism mechanism) {
  const bool squares = mechanism == Mechanism::full || mechanism == Mechanism::sketch;
  if (squares && loss.name() != "squared") {
    const std::string what = given.contains("mechanism") ? quoted(mechanism) + " is" : "a sketch is";
    const std::string also = loss.name() == "logistic" ? ", or mechanism=surrogate" : "";
    throw RequestError("mechanism",
                       what + " for the squared loss, and the loss is " + loss.name() +
                           (given.contains("loss") ? "" : ", as it is for two classes unless said otherwise") +
                           "; accepted: mechanism=erm" + also + ", or loss=squared");
  }
  if (mechanism == Mechanism::surrogate && loss.name() != "logistic") {
    throw RequestError("mechanism", "'surrogate' is for the logistic loss, and the loss is " + loss.name() +
                                        "; accepted: loss=logistic, or mechanism=erm");
  }
}

void check_classes(const Loss& loss, Mechanism mechanism, bool has_classes) {
  if (loss.is_classification() && !has_classes) {
    throw RequestError("classes", "not given, and " + loss.name() +
                                      " tells two classes apart; accepted: classes=NEGATIVE,POSITIVE, e.g. 0,1 or "
                                      "no,yes, or a loss for numbers: squared, huber:T, quantile:Q");
  }
  // Least squares over two classes is a score like any other, and the one a sketch can give.
  if (!loss.is_classification() && has_classes && is_erm(mechanism)) {
    throw RequestError("loss", loss.name() +
                                   " is for numbers, and the target has two classes; accepted: logistic, hinge, "
                                   "smooth-hinge:W");
  }
}

void check_promise(const StreamOptions& request) {
  if (std::isnan(request.budget.epsilon)) {
    throw RequestError("epsilon",
                       "not given; a privacy budget has no default; accepted: a positive number, e.g. "
                       "epsilon=1");
  }
  if (std::isnan(request.budget.delta)) {
    throw RequestError("delta",
                       "not given; accepted: the probability with which the promise may fail, far below one "
                       "over the number of people, e.g. delta=1e-6");
  }
  request.budget.validate();
  if (request.profile == Profile::paper && !request.horizon.is_known()) {
    throw RequestError("horizon",
                       "profile 'paper' needs to know how many steps there will be; accepted: horizon=N, or "
                       "profile=tight");
  }
  if (request.unit && request.unit->name.empty()) {
    throw RequestError("unit",
                       "not given; max-rows-per-unit needs the column that says whose row it is, e.g. "
                       "unit=person_id");
  }
  if (request.unit && request.unit->max_rows == 0) {
    throw RequestError("max-rows-per-unit",
                       "not given; with a unit, how many rows of one unit may count must be said, "
                       "e.g. max-rows-per-unit=10");
  }
}

// A block is declared for rows that are mostly zeros, far shorter than its box allows; noise for the longest row of the
// box would drown them, so how long a row may be has to be said. Rows of at most K values other than 0 have a norm of
// sqrt(K), an intercept counts as one more, and with it so does every numeric feature, whose 0 need not be its middle.
double norm_limit_of_blocks(const Schema& schema, const std::vector<std::string>& only_if) {
  double nonzeros = std::numeric_limits<double>::infinity();
  const Domain domain(only_if, schema);
  for (const Domain::Condition& condition : domain.conditions()) {
    if (condition.kind == Domain::Condition::Kind::nonzeros) nonzeros = std::min(nonzeros, condition.hi);
  }
  if (!std::isfinite(nonzeros)) {
    throw RequestError(
        "clip-norm",
        "not given; with a block the length of rows must be limited, in box units (each column scaled to [-1, 1]): "
        "longer rows are shortened to it, and noise grows with it; accepted: clip-norm=R, e.g. 1 for normalised rows "
        "(1.42 with an intercept), or only-if 'nonzeros<=K', which makes it sqrt(K), or sqrt(K + 1) with an intercept");
  }
  if (schema.has_intercept()) {
    nonzeros += 1.0;
    for (const Feature& feature : schema.features()) nonzeros += std::holds_alternative<Interval>(feature.domain);
  }
  return std::sqrt(nonzeros);
}

// Everything that can be told before the schema is known.
void check(const Settings& given, const StreamOptions& request, bool has_classes) {
  const Mechanism mechanism = mechanism_of(given);
  check_promise(request);
  const std::unique_ptr<Loss> loss = parse_loss(loss_of(given));
  require_heeded(given, mechanism);
  check_mechanism(given, *loss, mechanism);
  check_classes(*loss, mechanism, has_classes);
  if (is_erm(mechanism) && request.solver == Solver::noisy_proj_grad) {
    throw RequestError("solver", "noisy-proj-grad has no meaning with mechanism " + quoted(mechanism) +
                                     ", which has solvers of its own; accepted: without it, or mechanism=full");
  }
  if (request.erm && request.erm->method == ErmMethod::frank_wolfe && !std::isfinite(loss->smoothness(1.0))) {
    throw RequestError("method", "frank-wolfe needs a smooth loss, which " + loss->name() +
                                     " is not; accepted: gradient-descent, or another loss, e.g. smooth-hinge:0.5");
  }
}

}  // namespace

bool is_erm(Mechanism mechanism) {
  return mechanism == Mechanism::erm || mechanism == Mechanism::naive || mechanism == Mechanism::trivial;
}

Settings settings_of(const StreamOptions& request) {
  Settings result = settings_of(request.schema);
  for (const Setting& setting : settings()) {
    if (setting.write == nullptr) continue;
    Json value = setting.write(request);
    if (!value.is_null() && !(value.is_array() && value.empty())) result[std::string(setting.key)] = std::move(value);
  }
  return result;
}

std::string loss_of(const Settings& given) {
  if (given.contains("loss")) return parse_loss(given["loss"].get<std::string>())->name();
  const bool surrogate = given.contains("mechanism") && given["mechanism"] == to_string(Mechanism::surrogate);
  return given.contains("classes") || surrogate ? "logistic" : "squared";
}

Mechanism mechanism_of(const Settings& given) {
  if (given.contains("mechanism")) {
    for (unsigned i = 0; i <= static_cast<unsigned>(Mechanism::trivial); ++i) {
      if (given["mechanism"] == to_string(static_cast<Mechanism>(i))) return static_cast<Mechanism>(i);
    }
  }
  if (given.contains("sketch")) return Mechanism::sketch;
  return loss_of(given) == "squared" ? Mechanism::full : Mechanism::erm;
}

StreamOptions read_request(const Settings& asked) {
  const Settings given = with_dimension(asked);
  StreamOptions request;
  for (const auto& [key, value] : given.items()) {
    const Setting* setting = find_setting(key);
    if (setting != nullptr && setting->scope == Scope::request) setting->read({value, key}, request);
  }
  check(given, request, given.contains("classes"));
  request.schema = schema_from(given);
  settle(request);
  return request;
}

void settle(StreamOptions& request) {
  check_promise(request);
  request.schema.validate();
  const Settings given = settings_of(request);
  StreamOptions ignored;
  for (const auto& [key, value] : given.items()) find_setting(key)->read({value, key}, ignored);  // as any other door's
  check(given, request, request.schema.has_classes());

  request.loss = loss_of(given);
  request.mechanism = mechanism_of(given);
  if (is_erm(*request.mechanism))
    find_setting("mechanism")->read({Json(to_string(*request.mechanism)), "mechanism"}, request);
  if (request.mechanism == Mechanism::sketch && !request.sketch) request.sketch.emplace();
  if (request.mechanism == Mechanism::surrogate && !request.surrogate_margin) request.surrogate_margin = kUsualMargin;
  Schema& schema = request.schema;
  if (schema.has_blocks() && !schema.clip_norm()) schema.clip_norm(norm_limit_of_blocks(schema, request.only_if));
  if (!request.sketch && !request.erm && schema.dimension() > privacy::kMostDimensions) {
    throw RequestError("mechanism", std::to_string(schema.dimension()) +
                                        " dimensions are too many for sums over all pairs of them; accepted: 1 to " +
                                        std::to_string(privacy::kMostDimensions) +
                                        ", or more with a sketch, e.g. sketch=auto");
  }
}

}  // namespace rivulet::request
