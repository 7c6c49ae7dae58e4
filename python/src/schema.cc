// Bindings of Schema.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "options.h"
#include "rivulet/request.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

std::pair<double, double> class_numbers(const Schema& schema) {
  const Interval bounds = schema.target_bounds();
  const bool reversed = schema.target_scale().half_range < 0.0;
  return reversed ? std::pair(bounds.hi, bounds.lo) : std::pair(bounds.lo, bounds.hi);
}

nb::object declared(const Feature& feature) {
  if (const auto* bounds = std::get_if<Interval>(&feature.domain)) return nb::make_tuple(bounds->lo, bounds->hi);
  if (const auto* levels = std::get_if<Levels>(&feature.domain)) return nb::cast(levels->names);
  const auto& block = std::get<Block>(feature.domain);
  return nb::make_tuple(block.columns, block.bounds.lo, block.bounds.hi);
}

}  // namespace

nb::dict schema_state(const Schema& schema) {
  nb::dict state;
  nb::list features;
  for (const Feature& feature : schema.features()) features.append(nb::make_tuple(feature.name, declared(feature)));
  state["features"] = features;
  state["target"] = schema.target_name();
  state["bounds"] = nb::make_tuple(schema.target_bounds().lo, schema.target_bounds().hi);
  if (schema.class_words()) {
    state["classes"] = nb::make_tuple((*schema.class_words())[0], (*schema.class_words())[1]);
  } else if (schema.has_classes()) {
    state["classes"] = nb::cast(class_numbers(schema));
  }
  state["intercept"] = schema.has_intercept();
  state["clip_norm"] = nb::cast(schema.clip_norm());
  return state;
}

Schema schema_from_state(const nb::dict& state) {
  Schema schema;
  for (const nb::handle entry : nb::cast<nb::list>(state["features"])) {
    const auto [name, domain] = nb::cast<std::pair<std::string, nb::object>>(entry);
    if (nb::isinstance<nb::list>(domain)) {
      schema.categorical(name, nb::cast<std::vector<std::string>>(domain));
    } else if (nb::len(domain) == 3) {
      const auto [columns, lo, hi] = nb::cast<std::tuple<std::size_t, double, double>>(domain);
      schema.block(name, columns, {lo, hi});
    } else {
      const auto [lo, hi] = nb::cast<std::pair<double, double>>(domain);
      schema.feature(name, {lo, hi});
    }
  }
  const auto target = nb::cast<std::string>(state["target"]);
  if (state.contains("classes")) {
    const nb::object classes = state["classes"];
    if (nb::isinstance<nb::str>(classes[0])) {
      const auto [negative, positive] = nb::cast<std::pair<std::string, std::string>>(classes);
      schema.classes(target, negative, positive);
    } else {
      const auto [negative, positive] = nb::cast<std::pair<double, double>>(classes);
      schema.classes(target, negative, positive);
    }
  } else if (!target.empty()) {
    const auto [lo, hi] = nb::cast<std::pair<double, double>>(state["bounds"]);
    schema.target(target, {lo, hi});
  }
  schema.intercept(nb::cast<bool>(state["intercept"]));
  if (!state["clip_norm"].is_none()) schema.clip_norm(nb::cast<double>(state["clip_norm"]));
  return schema;
}

void bind_schema(nb::module_& module) {
  nb::class_<Schema>(
      module, "Schema",
      "The declared shape of a row: which columns, within which bounds. Bounds are your promise, made before "
      "any row is seen; nothing learns one from data.\n\n"
      "    >>> from rivulet import Schema\n"
      "    >>> schema = Schema().feature('age', 18, 90).categorical('city', ['A', 'B']).target('spend', 0, 5000)\n"
      "    >>> schema.coordinate_names\n"
      "    ['(intercept)', 'age', 'city=B']\n")
      .def(nb::init<>())
      .def(
          "feature",
          [](Schema& self, std::string name, double lo, double hi) -> Schema& {
            return self.feature(std::move(name), {lo, hi});
          },
          "name"_a, "lo"_a, "hi"_a, nb::rv_policy::none,
          "A numeric column and its bounds; values outside are moved to them.")
      .def(
          "categorical",
          [](Schema& self, std::string name, std::vector<std::string> levels) -> Schema& {
            return self.categorical(std::move(name), std::move(levels));
          },
          "name"_a, "levels"_a, nb::rv_policy::none,
          "A column of words; with an intercept the first level is the one the others are compared with.")
      .def(
          "block",
          [](Schema& self, std::string name, std::size_t columns, double lo, double hi) -> Schema& {
            return self.block(std::move(name), columns, {lo, hi});
          },
          "name"_a, "columns"_a, "lo"_a, "hi"_a, nb::rv_policy::none,
          "The numeric columns name1, name2, ... of the same bounds, most of them 0 in any row.")
      .def(
          "target",
          [](Schema& self, std::string name, double lo, double hi) -> Schema& {
            return self.target(std::move(name), {lo, hi});
          },
          "name"_a, "lo"_a, "hi"_a, nb::rv_policy::none, "The column to predict and its bounds.")
      .def(
          "classes",
          [](Schema& self, std::string name, double negative, double positive) -> Schema& {
            return self.classes(std::move(name), negative, positive);
          },
          "name"_a, "negative"_a, "positive"_a, nb::rv_policy::none,
          "A target of two classes, and the numbers that stand for them.")
      .def(
          "classes",
          [](Schema& self, std::string name, std::string negative, std::string positive) -> Schema& {
            return self.classes(std::move(name), std::move(negative), std::move(positive));
          },
          "name"_a, "negative"_a, "positive"_a, nb::rv_policy::none, "The same for classes that are words.")
      .def(
          "intercept", [](Schema& self, bool present) -> Schema& { return self.intercept(present); }, "present"_a,
          nb::rv_policy::none, "Whether models have an intercept; they do unless told otherwise.")
      .def(
          "clip_norm", [](Schema& self, double limit) -> Schema& { return self.clip_norm(limit); }, "limit"_a,
          nb::rv_policy::none, "Rows longer than this, each column scaled to [-1, 1], are shortened to it: less noise.")
      .def_static("unit_ball", &Schema::unit_ball, "features"_a,
                  "Features x1, x2, ... and target y in [-1, 1], rows of length 1 at most, no intercept.")
      .def_prop_ro("row_width", &Schema::row_width, "Numbers that are supplied for a row.")
      .def_prop_ro("dimension", &Schema::dimension, "Coordinates of a row, the intercept included.")
      .def_prop_ro("coordinate_names", &Schema::coordinate_names)
      .def_prop_ro("feature_names",
                   [](const Schema& self) {
                     std::vector<std::string> names;
                     for (const Feature& feature : self.features()) names.push_back(feature.name);
                     return names;
                   })
      .def_prop_ro(
          "features",
          [](const Schema& self) {
            nb::list all;
            for (const Feature& feature : self.features()) all.append(nb::make_tuple(feature.name, declared(feature)));
            return all;
          },
          "Pairs of a name and what was declared: (lo, hi), a list of levels, or (columns, lo, hi).")
      .def_prop_ro("has_categories",
                   [](const Schema& self) {
                     for (const Feature& feature : self.features()) {
                       if (std::holds_alternative<Levels>(feature.domain)) return true;
                     }
                     return false;
                   })
      .def_prop_ro("has_blocks", &Schema::has_blocks)
      .def_prop_ro("has_intercept", &Schema::has_intercept)
      .def_prop_ro("has_clip_norm", [](const Schema& self) { return self.clip_norm().has_value(); })
      .def_prop_ro("norm_limit", &Schema::norm_limit)
      .def_prop_ro("target_name", &Schema::target_name)
      .def_prop_ro("target_bounds",
                   [](const Schema& self) { return std::pair(self.target_bounds().lo, self.target_bounds().hi); })
      .def_prop_ro(
          "class_numbers",
          [](const Schema& self) -> std::optional<std::pair<double, double>> {
            if (!self.has_classes()) return std::nullopt;
            return class_numbers(self);
          },
          "The numbers that stand for the negative and the positive class, where the target has classes.")
      .def_prop_ro("class_words",
                   [](const Schema& self) -> std::optional<std::pair<std::string, std::string>> {
                     if (!self.class_words()) return std::nullopt;
                     return std::pair((*self.class_words())[0], (*self.class_words())[1]);
                   })
      .def("settings", [](const Schema& self) { return to_json(self); }, "The settings that declare it, as JSON.")
      .def("validate", &Schema::validate)
      .def(
          "subset", [](const Schema& self, const std::vector<std::string>& names) { return self.subset(names); },
          "names"_a)
      .def("__getstate__", [](const Schema& self) { return schema_state(self); })
      .def("__setstate__", [](Schema& self, const nb::dict& state) { new (&self) Schema(schema_from_state(state)); });
}

}  // namespace rivulet::python
