#include "published.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "numpy_array.h"
#include "one_row.h"
#include "options.h"
#include "rivulet/error.h"
#include "rows.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

nb::tuple noise_tuple(const NoiseLevel& noise) {
  return nb::make_tuple(noise.gram_diagonal, noise.gram_offdiagonal, noise.cross);
}

NoiseLevel noise_from(const nb::handle& state) {
  const auto [diagonal, off_diagonal, cross] = nb::cast<std::tuple<double, double, double>>(state);
  return {diagonal, off_diagonal, cross};
}

std::vector<double> predictions(const FittedModel& self, Rows& rows) {
  if (rows.width() != self.model.width) {
    throw RequestError("X", "rows of " + std::to_string(rows.width()) + " values were given; the model has " +
                                std::to_string(self.model.width));
  }
  std::vector<double> result;
  const nb::gil_scoped_release no_gil;
  RowBlock block;
  std::vector<double> row(rows.width());
  while (rows.next(block)) {
    for (std::size_t i = 0; i < block.count; ++i) {
      if (block.sparse()) {
        result.push_back(self.model.predict(block.sparse_row(i)));
        continue;
      }
      row.assign(block.values + i * rows.width(), block.values + (i + 1) * rows.width());
      result.push_back(self.model.predict(row));
    }
  }
  return result;
}

double predict_one(const FittedModel& self, nb::handle x) {
  OneRow reader(*self.schema, "");
  reader.read(x);
  return reader.is_sparse() ? self.model.predict(reader.sparse_row()) : self.model.predict(reader.values());
}

nb::dict coefficients(const FittedModel& self) {
  nb::dict named;
  for (const Coefficient& coefficient : self.model.coefficients) {
    named[nb::str(coefficient.name.c_str(), coefficient.name.size())] = coefficient.value;
  }
  return named;
}

Array coefficient_array(const FittedModel& self) {
  std::vector<double> values(self.model.width, 0.0);
  for (const Coefficient& coefficient : self.model.coefficients) values[coefficient.position] = coefficient.value;
  return vector_array(std::move(values));
}

nb::tuple model_state(const FittedModel& self) {
  nb::list listed;
  for (const Coefficient& coefficient : self.model.coefficients) {
    listed.append(nb::make_tuple(coefficient.name, coefficient.value, coefficient.position));
  }
  return nb::make_tuple(self.model.step, self.model.rows, listed, self.model.width, self.model.intercept,
                        noise_tuple(self.model.noise), self.model.theta, self.model.not_private,
                        schema_state(*self.schema));
}

FittedModel model_from(const nb::tuple& state) {
  FittedModel fitted;
  Model& model = fitted.model;
  model.step = nb::cast<std::uint64_t>(state[0]);
  model.rows = nb::cast<std::uint64_t>(state[1]);
  for (const nb::handle entry : nb::cast<nb::list>(state[2])) {
    const auto [name, value, position] = nb::cast<std::tuple<std::string, double, std::size_t>>(entry);
    model.coefficients.push_back({name, value, position});
  }
  model.width = nb::cast<std::size_t>(state[3]);
  model.intercept = nb::cast<double>(state[4]);
  model.noise = noise_from(state[5]);
  model.theta = nb::cast<std::vector<double>>(state[6]);
  model.not_private = nb::cast<bool>(state[7]);
  for (const Coefficient& coefficient : model.coefficients) {
    if (coefficient.position >= model.width) throw RequestError("model", "the pickle does not hold a model");
  }
  fitted.schema = std::make_shared<const Schema>(schema_from_state(nb::cast<nb::dict>(state[8])));
  return fitted;
}

nb::tuple statistics_state(const Statistics& self) {
  return nb::make_tuple(self.step, self.rows, self.dimension, self.gram, self.cross, self.target_square,
                        self.has_target_square, self.target_square_stddev, noise_tuple(self.noise), self.not_private);
}

Statistics statistics_from(const nb::tuple& state) {
  Statistics result;
  result.step = nb::cast<std::uint64_t>(state[0]);
  result.rows = nb::cast<std::uint64_t>(state[1]);
  result.dimension = nb::cast<std::size_t>(state[2]);
  result.gram = nb::cast<std::vector<double>>(state[3]);
  result.cross = nb::cast<std::vector<double>>(state[4]);
  result.target_square = nb::cast<double>(state[5]);
  result.has_target_square = nb::cast<bool>(state[6]);
  result.target_square_stddev = nb::cast<double>(state[7]);
  result.noise = noise_from(state[8]);
  result.not_private = nb::cast<bool>(state[9]);
  if (result.gram.size() != result.dimension * result.dimension || result.cross.size() != result.dimension) {
    throw RequestError("statistics", "the pickle does not hold statistics");
  }
  return result;
}

void bind_models(nb::module_& module) {
  nb::class_<NoiseLevel>(
      module, "NoiseLevel",
      "Standard deviations of the privacy noise in a released sum, in units in which rows have length 1 at most.")
      .def_ro("gram_diagonal", &NoiseLevel::gram_diagonal)
      .def_ro("gram_offdiagonal", &NoiseLevel::gram_offdiagonal)
      .def_ro("cross", &NoiseLevel::cross);

  nb::class_<FittedModel>(module, "Model",
                          "A published model: private by construction, free to print, store and share.")
      .def_prop_ro(
          "step", [](const FittedModel& self) { return self.model.step; }, "Releases so far, this one included.")
      .def_prop_ro(
          "rows", [](const FittedModel& self) { return self.model.rows; }, "Rows seen so far, unusable ones included.")
      .def_prop_ro("intercept", [](const FittedModel& self) { return self.model.intercept; })
      .def_prop_ro("coefficients", &coefficients, "By name: change of the target for one unit of the feature.")
      .def_prop_ro("coef", &coefficient_array, nb::rv_policy::move,
                   "The same as an array, one for each supplied value.")
      .def_prop_ro(
          "theta", [](const FittedModel& self) { return vector_array(self.model.theta); }, nb::rv_policy::move,
          "The solution in units in which rows have length 1 at most, the intercept first.")
      .def_prop_ro("noise", [](const FittedModel& self) { return self.model.noise; })
      .def_prop_ro(
          "not_private", [](const FittedModel& self) { return self.model.not_private; },
          "Made with an insecure seed: anyone can remove the noise.")
      .def_prop_ro("schema", [](const FittedModel& self) { return *self.schema; })
      .def(
          "predict",
          [](const FittedModel& self, nb::handle X) {
            const nb::object rows = nb::module_::import_("rivulet._rows").attr("rows_of")(nb::cast(*self.schema), X);
            return vector_array(predictions(self, nb::cast<Rows&>(rows)));
          },
          "X"_a.none(),
          "Predictions for many rows: an array, a sparse matrix or a table, as Stream.observe_many() takes them.")
      .def("predict_one", &predict_one, "x"_a.none(),
           "The prediction for one row: a dict by the declared names, or a sequence in their order.")
      .def("__getstate__", &model_state)
      .def("__setstate__",
           [](FittedModel& self, const nb::tuple& state) { new (&self) FittedModel(model_from(state)); });
}

void bind_statistics(nb::module_& module) {
  nb::class_<Statistics>(
      module, "Statistics",
      "Private sums over everything seen so far, noise included: public, and enough for any number of "
      "models. In units in which rows have length 1 at most and targets lie in [-1, 1].")
      .def_ro("step", &Statistics::step)
      .def_ro("rows", &Statistics::rows)
      .def_ro("dimension", &Statistics::dimension)
      .def_prop_ro(
          "gram",
          [](const Statistics& self) {
            return array_of(self.gram, {self.dimension, self.dimension});
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "cross", [](const Statistics& self) { return vector_array(self.cross); }, nb::rv_policy::move)
      .def_prop_ro("target_square",
                   [](const Statistics& self) -> std::optional<double> {
                     if (!self.has_target_square) return std::nullopt;
                     return self.target_square;
                   })
      .def_ro("target_square_stddev", &Statistics::target_square_stddev)
      .def_ro("noise", &Statistics::noise)
      .def_ro("not_private", &Statistics::not_private)
      .def("__getstate__", &statistics_state)
      .def("__setstate__",
           [](Statistics& self, const nb::tuple& state) { new (&self) Statistics(statistics_from(state)); });

  nb::class_<PublishedRelease>(module, "Release", "One publication: the model, and the private sums it was made from.")
      .def(
          "__init__",
          [](PublishedRelease* self, const std::optional<Statistics>& statistics, const FittedModel& model,
             const std::string& chain) {
            new (self) PublishedRelease{statistics, model, chain};
          },
          "statistics"_a.none(), "model"_a, "chain"_a = "")
      .def_prop_ro("step", [](const PublishedRelease& self) { return self.model.model.step; })
      .def_prop_ro("rows", [](const PublishedRelease& self) { return self.model.model.rows; })
      .def_prop_ro("model", [](const PublishedRelease& self) { return self.model; })
      .def_prop_ro("statistics", [](const PublishedRelease& self) { return self.statistics; })
      .def_ro("chain", &PublishedRelease::chain, "Of a model file: a digest of this release and of all before it.")
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(),
                              nb::make_tuple(self.attr("statistics"), self.attr("model"), self.attr("chain")));
      });
}

}  // namespace

PublishedRelease published_from(const Release& release, const std::shared_ptr<const Schema>& schema) {
  std::optional<Statistics> statistics;
  if (release.statistics.dimension > 0) statistics = release.statistics;
  return {std::move(statistics), {release.model, schema}, release.chain};
}

void bind_published(nb::module_& module) {
  bind_models(module);
  bind_statistics(module);
}

}  // namespace rivulet::python
