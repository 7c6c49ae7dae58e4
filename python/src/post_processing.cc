// Bindings of what can be done with releases: intervals, refits, logs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "numpy_array.h"
#include "published.h"
#include "rivulet/error.h"
#include "rivulet/inference.h"
#include "rivulet/model_quality.h"
#include "rows.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

void bind_inference(nb::module_& module) {
  nb::class_<CoefficientInterval>(module, "CoefficientInterval", "How sure one coefficient is.")
      .def_ro("name", &CoefficientInterval::name)
      .def_ro("estimate", &CoefficientInterval::estimate)
      .def_ro("standard_error", &CoefficientInterval::standard_error)
      .def_ro("lower", &CoefficientInterval::lower)
      .def_ro("upper", &CoefficientInterval::upper)
      .def_ro("naive_standard_error", &CoefficientInterval::naive_standard_error)
      .def_ro("p_value", &CoefficientInterval::p_value)
      .def_ro("determined", &CoefficientInterval::determined)
      .def_prop_ro("mark", [](const CoefficientInterval& self) { return std::string(Inference::mark(self)); });

  nb::class_<Inference>(module, "Inference",
                        "Standard errors and intervals that count sampling and privacy noise together.")
      .def(nb::init<const Schema&, const Statistics&, double>(), "schema"_a, "statistics"_a, "level"_a = 0.95)
      .def_prop_ro("coefficients", [](const Inference& self) { return self.coefficients(); })
      .def_prop_ro("determined", &Inference::determined)
      .def_prop_ro("residual_stddev", &Inference::residual_stddev)
      .def_prop_ro("r_squared", &Inference::r_squared)
      .def_prop_ro("r_squared_stddev", &Inference::r_squared_stddev)
      .def_prop_ro("usable_rows", &Inference::usable_rows)
      .def_prop_ro("level", &Inference::level)
      .def(
          "_predict",
          [](const Inference& self, Rows& rows) {
            std::vector<double> value, lower, upper;
            RowBlock block;
            while (rows.next(block)) {
              if (block.sparse()) throw RequestError("X", "is sparse; accepted here: dense rows");
              for (std::size_t i = 0; i < block.count; ++i) {
                const PredictionInterval interval = self.predict({block.values + i * rows.width(), rows.width()});
                value.push_back(interval.value);
                lower.push_back(interval.lower);
                upper.push_back(interval.upper);
              }
            }
            return nb::make_tuple(vector_array(value), vector_array(lower), vector_array(upper));
          },
          "rows"_a);
}

void bind_quality(nb::module_& module) {
  nb::class_<ModelQuality::RSquared>(module, "RSquared", "R² of a model on the rows so far.")
      .def_ro("value", &ModelQuality::RSquared::value)
      .def_ro("stddev", &ModelQuality::RSquared::stddev)
      .def_ro("lower", &ModelQuality::RSquared::lower)
      .def_ro("upper", &ModelQuality::RSquared::upper);

  nb::class_<ModelQuality>(module, "ModelQuality", "How good a model's own coefficients are on the rows so far.")
      .def_ro("level", &ModelQuality::level)
      .def_ro("r_squared", &ModelQuality::r_squared)
      .def_prop_ro("better_than_baseline",
                   [](const ModelQuality& self) -> std::optional<bool> {
                     if (self.verdict == Verdict::cannot_be_told) return std::nullopt;
                     return self.verdict == Verdict::better;
                   })
      .def_prop_ro("baseline", [](const ModelQuality& self) { return self.against_mean ? "mean" : "zero"; })
      .def_ro("not_known_because", &ModelQuality::not_known_because)
      .def("__str__", &ModelQuality::text);

  module.def(
      "model_quality",
      [](const StreamOptions& options, const std::optional<Statistics>& statistics, const FittedModel& model,
         double level) { return model_quality(options, statistics.value_or(Statistics()), model.model, level); },
      "options"_a, "statistics"_a.none(), "model"_a, "level"_a = 0.95);
}

// Not thread-safe itself: one caller at a time, which the GIL sees to.
struct Refitter {
  Refit refit;
  std::shared_ptr<const Schema> schema;
};

Refit::Options refit_options(const StreamOptions& stream, const std::optional<std::string>& constraint,
                             const std::optional<std::string>& solver,
                             const std::optional<std::vector<std::string>>& features,
                             const std::optional<std::string>& regularisation,
                             const std::optional<double>& surrogate_margin) {
  Refit::Options options = Refit::settings_of(stream);
  if (constraint) options.constraint = *constraint;
  if (solver && *solver == "fast") {
    options.solver = Solver::fast;
  } else if (solver && *solver == "noisy-proj-grad") {
    options.solver = Solver::noisy_proj_grad;
  } else if (solver) {
    throw RequestError("solver", "'" + *solver + "' is not accepted; accepted: fast, noisy-proj-grad");
  }
  if (features) options.features = features;
  if (regularisation) options.regularisation = *regularisation;
  if (surrogate_margin) options.surrogate_margin = surrogate_margin;
  return options;
}

void bind_refit(nb::module_& module) {
  nb::class_<Refitter>(module, "Refit", "Other models from published statistics: no rows, no budget.")
      .def(
          "__init__",
          [](Refitter* self, const StreamOptions& stream, const std::optional<std::string>& constraint,
             const std::optional<std::string>& solver, const std::optional<std::vector<std::string>>& features,
             const std::optional<std::string>& regularisation, const std::optional<double>& surrogate_margin) {
            Refit refit(stream, refit_options(stream, constraint, solver, features, regularisation, surrogate_margin));
            auto schema = std::make_shared<const Schema>(refit.schema());
            new (self) Refitter{std::move(refit), std::move(schema)};
          },
          "options"_a, "constraint"_a.none() = nb::none(), "solver"_a.none() = nb::none(),
          "features"_a.none() = nb::none(), "regularisation"_a.none() = nb::none(),
          "surrogate_margin"_a.none() = nb::none())
      .def(
          "fit",
          [](Refitter& self, const Statistics& statistics, const std::optional<std::vector<double>>& start) {
            const std::vector<double> begin = start.value_or(std::vector<double>());
            return FittedModel{self.refit.fit(statistics, begin), self.schema};
          },
          "statistics"_a, "start"_a.none() = nb::none())
      .def(
          "select", [](const Refitter& self, const Statistics& statistics) { return self.refit.select(statistics); },
          "statistics"_a)
      .def_prop_ro("schema", [](const Refitter& self) { return *self.schema; });
}

struct Log {
  explicit Log(const std::string& where)
      : path(where), log(where), schema(std::make_shared<const Schema>(log.options().schema)) {}
  std::string path;
  ReleaseLog log;
  std::shared_ptr<const Schema> schema;
};

void bind_log(nb::module_& module) {
  nb::class_<Log>(module, "LogBase")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_ro("path", &Log::path)
      .def_prop_ro("options", [](const Log& self) { return self.log.options(); })
      .def_prop_ro("is_export", [](const Log& self) { return self.log.is_export(); })
      .def_prop_ro("made_by", [](const Log& self) { return self.log.made_by(); })
      .def_prop_ro(
          "step", [](const Log& self) { return self.log.last_step(); }, "Of the last release on disk now.")
      .def(
          "_at", [](const Log& self, std::uint64_t step) { return published_from(self.log.at(step), self.schema); },
          "step"_a)
      .def(
          "_range",
          [](const Log& self, std::uint64_t from, std::uint64_t to) {
            std::vector<PublishedRelease> releases;
            self.log.for_each(
                from, to, [&](const Release& release) { releases.push_back(published_from(release, self.schema)); });
            return releases;
          },
          "first"_a, "last"_a)
      .def(
          "ledger",
          [](const Log& self) {
            nb::list entries;
            for (const LedgerEntry& entry : self.log.ledger()) {
              nb::dict line;
              line["entry"] = entry.entry;
              line["time"] = entry.time;
              line["event"] = entry.event;
              line["step"] = entry.step;
              line["rows"] = entry.rows;
              line["detail"] = entry.detail;
              entries.append(line);
            }
            return entries;
          },
          "What happened to the model: its promise, and every run that wrote to it.")
      .def(
          "verify", [](const Log& self) { self.log.verify(); }, "Reads and checks everything; raises DamagedFile.")
      .def(
          "export", [](const Log& self, const std::string& path) { self.log.export_to(path); }, "path"_a,
          "Writes the public half, nothing else, to a new file that is safe to hand out.");
}

}  // namespace

void bind_post_processing(nb::module_& module) {
  bind_inference(module);
  bind_quality(module);
  bind_refit(module);
  bind_log(module);
}

}  // namespace rivulet::python
