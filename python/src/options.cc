#include "options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <type_traits>

#include "rivulet/error.h"
#include "rivulet/sketch.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

// A word of a fixed few, both ways.
template <typename Value>
struct Word {
  Value value;
  const char* text;
};

template <typename Value, std::size_t N>
Value from_word(const std::string& text, const Word<Value> (&words)[N], const std::string& field) {
  std::string accepted;
  for (const auto& word : words) {
    if (text == word.text) return word.value;
    accepted += (accepted.empty() ? "" : ", ") + std::string(word.text);
  }
  throw RequestError(field, "'" + text + "' is not accepted; accepted: " + accepted);
}

template <typename Value, std::size_t N>
std::string to_word(Value value, const Word<Value> (&words)[N]) {
  for (const auto& word : words) {
    if (word.value == value) return word.text;
  }
  return words[0].text;
}

constexpr Word<Solver> kSolvers[] = {
    {Solver::by_profile, "auto"}, {Solver::fast, "fast"}, {Solver::noisy_proj_grad, "noisy-proj-grad"}};
constexpr Word<TreeDecoding> kDecodings[] = {{TreeDecoding::optimal, "optimal"}, {TreeDecoding::paper, "paper"}};
constexpr Word<SketchRule> kSketchRules[] = {{SketchRule::predicted_risk, "auto"}, {SketchRule::paper, "paper"}};
constexpr Word<ErmMechanism> kErmMechanisms[] = {
    {ErmMechanism::periodic, "periodic"}, {ErmMechanism::naive, "naive"}, {ErmMechanism::trivial, "trivial"}};
constexpr Word<ErmMethod> kErmMethods[] = {{ErmMethod::by_set, "auto"},
                                           {ErmMethod::gradient_descent, "gradient-descent"},
                                           {ErmMethod::frank_wolfe, "frank-wolfe"},
                                           {ErmMethod::output_perturbation, "output-perturbation"}};
constexpr Word<ErmTauRule> kTauRules[] = {{ErmTauRule::by_method, "auto"},
                                          {ErmTauRule::convex, "convex"},
                                          {ErmTauRule::strongly_convex, "strongly-convex"},
                                          {ErmTauRule::width, "width"}};

// Settings by name; what is absent or None keeps its default.
class Settings {
 public:
  Settings(nb::dict settings, std::string prefix) : settings_(std::move(settings)), prefix_(std::move(prefix)) {}

  template <typename Value>
  [[nodiscard]] std::optional<Value> find(const char* name, const char* accepted) {
    const nb::object given = take(name);
    if (given.is_none()) return std::nullopt;
    Value value{};
    // True and False are numbers to Python; as a seed or a count they are a mistake.
    const bool truth_for_number =
        !std::is_same_v<Value, bool> && std::is_arithmetic_v<Value> && PyBool_Check(given.ptr());
    if (truth_for_number || !nb::try_cast<Value>(given, value)) {
      throw RequestError(prefix_ + name,
                         nb::cast<std::string>(nb::repr(given)) + " is not accepted; accepted: " + accepted);
    }
    return value;
  }
  template <typename Value>
  void read(const char* name, Value& value, const char* accepted) {
    if (auto found = find<Value>(name, accepted)) value = std::move(*found);
  }
  template <typename Value>
  void read(const char* name, std::optional<Value>& value, const char* accepted) {
    if (auto found = find<Value>(name, accepted)) value = std::move(*found);
  }
  template <typename Value, std::size_t N>
  void read_word(const char* name, Value& value, const Word<Value> (&words)[N]) {
    if (const auto text = find<std::string>(name, "a word")) value = from_word(*text, words, prefix_ + name);
  }
  nb::object take(const char* name) {
    if (!settings_.contains(name)) return nb::none();
    nb::object value = settings_[name];
    PyDict_DelItemString(settings_.ptr(), name);
    return value;
  }
  // After everything was read.
  void refuse_others() const {
    for (const auto& [name, value] : settings_) {
      throw RequestError(prefix_ + nb::cast<std::string>(nb::str(name)), "is no setting");
    }
  }

 private:
  nb::dict settings_;
  std::string prefix_;
};

constexpr const char* kCount = "a whole number, 1 or more";
constexpr const char* kText = "text";
constexpr const char* kNumber = "a number";

Sketch sketch_from(const nb::dict& given) {
  Settings settings(nb::cast<nb::dict>(nb::handle(given).attr("copy")()), "sketch ");
  Sketch sketch;
  settings.read("dimension", sketch.dimension, kCount);
  settings.read_word("rule", sketch.rule, kSketchRules);
  if (const auto word = settings.find<std::string>("embedding", "a word")) sketch.embedding = parse_embedding(*word);
  settings.read("column_weight", sketch.column_weight, kCount);
  settings.read("seed", sketch.seed, "a whole number");
  settings.refuse_others();
  return sketch;
}

nb::dict sketch_state(const Sketch& sketch) {
  nb::dict state;
  state["dimension"] = nb::cast(sketch.dimension);
  state["rule"] = to_word(sketch.rule, kSketchRules);
  if (sketch.embedding) state["embedding"] = std::string(to_string(*sketch.embedding));
  state["column_weight"] = nb::cast(sketch.column_weight);
  state["seed"] = nb::cast(sketch.seed);
  return state;
}

ErmSettings erm_from(const nb::dict& given) {
  Settings settings(nb::cast<nb::dict>(nb::handle(given).attr("copy")()), "erm ");
  ErmSettings erm;
  settings.read_word("mechanism", erm.mechanism, kErmMechanisms);
  settings.read_word("method", erm.method, kErmMethods);
  settings.read_word("rule", erm.rule, kTauRules);
  settings.read("tau", erm.tau, kCount);
  settings.read("ridge", erm.ridge, kNumber);
  settings.read("late_weight", erm.late_weight, kNumber);
  settings.read("iterations", erm.iterations, kCount);
  settings.read("batches", erm.batches, kCount);
  settings.read("averaged", erm.averaged, "True or False");
  settings.refuse_others();
  return erm;
}

nb::dict erm_state(const ErmSettings& erm) {
  nb::dict state;
  state["mechanism"] = to_word(erm.mechanism, kErmMechanisms);
  state["method"] = to_word(erm.method, kErmMethods);
  state["rule"] = to_word(erm.rule, kTauRules);
  state["tau"] = nb::cast(erm.tau);
  state["ridge"] = erm.ridge;
  state["late_weight"] = erm.late_weight;
  state["iterations"] = nb::cast(erm.iterations);
  state["batches"] = erm.batches;
  state["averaged"] = nb::cast(erm.averaged);
  return state;
}

StreamOptions options_from(const nb::dict& given) {
  Settings settings(nb::cast<nb::dict>(nb::handle(given).attr("copy")()), "");
  StreamOptions options;
  const auto budget = settings.find<std::pair<double, double>>("budget", "(epsilon, delta)");
  if (!budget)
    throw RequestError("budget", "not given; a privacy budget has no default: choose (epsilon, delta), e.g. (1, 1e-6)");
  options.budget = {budget->first, budget->second};
  options.budget.validate();
  const auto schema = settings.find<Schema>("schema", "a Schema");
  if (!schema) throw RequestError("schema", "not given");
  options.schema = *schema;
  if (const auto word = settings.find<std::string>("neighbours", "a word"))
    options.neighbours = parse_neighbours(*word);
  if (const auto unit = settings.find<std::pair<std::string, std::uint64_t>>("unit", "(name, rows that count)")) {
    options.unit = PrivacyUnit{unit->first, unit->second};
  }
  settings.read("only_if", options.only_if, "a list of conditions");
  if (const auto word = settings.find<std::string>("profile", "a word")) options.profile = parse_profile(*word);
  if (const auto steps = settings.find<std::uint64_t>("horizon", "a whole number of steps, or None for any number")) {
    options.horizon = Horizon::known(*steps);
  }
  settings.read("release_every", options.release_every, "a whole number of rows, 1 or more");
  if (const auto word = settings.find<std::string>("strategy", "a word")) options.strategy = parse_strategy(*word);
  settings.read("buffers", options.buffers, "a whole number from 1 to 8");
  if (const auto word = settings.find<std::string>("tree_decoding", "a word")) {
    options.tree_decoding = from_word(*word, kDecodings, "tree_decoding");
  }
  settings.read("constraint", options.constraint, "text, e.g. 'l2:2'");
  settings.read_word("solver", options.solver, kSolvers);
  settings.read("noise_aware_ridge", options.noise_aware_ridge, "True or False");
  if (const auto sketch = settings.find<nb::dict>("sketch", "a number of dimensions, 'auto' or a dict")) {
    options.sketch = sketch_from(*sketch);
  }
  settings.read("row_set", options.input_set, kText);
  settings.read("loss", options.loss, kText);
  settings.read("surrogate_margin", options.surrogate_margin, kNumber);
  if (const auto erm = settings.find<nb::dict>("erm", "True or a dict")) options.erm = erm_from(*erm);
  settings.read("insecure_seed", options.insecure_seed, "a whole number");
  settings.refuse_others();
  return options;
}

nb::dict options_state(const StreamOptions& options) {
  nb::dict state;
  state["budget"] = nb::make_tuple(options.budget.epsilon, options.budget.delta);
  state["schema"] = nb::cast(options.schema);
  state["neighbours"] = std::string(to_string(options.neighbours));
  if (options.unit) state["unit"] = nb::make_tuple(options.unit->name, options.unit->max_rows);
  state["only_if"] = nb::cast(options.only_if);
  state["profile"] = std::string(to_string(options.profile));
  if (options.horizon.is_known()) state["horizon"] = options.horizon.steps();
  state["release_every"] = options.release_every;
  if (options.strategy) state["strategy"] = std::string(to_string(*options.strategy));
  state["buffers"] = nb::cast(options.buffers);
  if (options.tree_decoding) state["tree_decoding"] = to_word(*options.tree_decoding, kDecodings);
  state["constraint"] = options.constraint;
  state["solver"] = to_word(options.solver, kSolvers);
  state["noise_aware_ridge"] = options.noise_aware_ridge;
  if (options.sketch) state["sketch"] = sketch_state(*options.sketch);
  state["row_set"] = options.input_set;
  state["loss"] = options.loss;
  state["surrogate_margin"] = options.surrogate_margin;
  if (options.erm) state["erm"] = erm_state(*options.erm);
  state["insecure_seed"] = nb::cast(options.insecure_seed);
  return state;
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::class_<StreamOptions>(module, "Options", "Everything that is decided before the first row.")
      .def(
          "__init__",
          [](StreamOptions* self, const nb::dict& settings) { new (self) StreamOptions(options_from(settings)); },
          "settings"_a)
      .def("settings", &options_state, "As a dict that Options() reads back.")
      .def_prop_ro("schema", [](const StreamOptions& self) { return self.schema; })
      .def_prop_ro("budget",
                   [](const StreamOptions& self) { return std::pair(self.budget.epsilon, self.budget.delta); })
      .def_prop_ro("release_every", [](const StreamOptions& self) { return self.release_every; })
      .def_prop_ro("constraint", [](const StreamOptions& self) { return self.constraint; })
      .def_prop_ro("loss", [](const StreamOptions& self) { return self.loss; })
      .def_prop_ro("neighbours", [](const StreamOptions& self) { return std::string(to_string(self.neighbours)); })
      .def_prop_ro("unit",
                   [](const StreamOptions& self) -> std::optional<std::pair<std::string, std::uint64_t>> {
                     if (!self.unit) return std::nullopt;
                     return std::pair(self.unit->name, self.unit->max_rows);
                   })
      .def_prop_ro("has_sketch", [](const StreamOptions& self) { return self.sketch.has_value(); })
      .def_prop_ro("has_erm", [](const StreamOptions& self) { return self.erm.has_value(); })
      .def_prop_ro("insecure_seed", [](const StreamOptions& self) { return self.insecure_seed; })
      .def("__getstate__", &options_state)
      .def("__setstate__",
           [](StreamOptions& self, const nb::dict& state) { new (&self) StreamOptions(options_from(state)); });
}

}  // namespace rivulet::python
