#include "options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rivulet/plan.h"
#include "rivulet/request.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {

void bind_options(nb::module_& module) {
  nb::class_<StreamOptions>(module, "Options", "Everything that is decided before the first row.")
      .def(
          "__init__",
          [](StreamOptions* self, const std::string& settings) {
            new (self) StreamOptions(request_from_json(settings));
          },
          "settings"_a)
      .def("settings", [](const StreamOptions& self) { return to_json(self); }, "As JSON that Options() reads back.")
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
      .def("__getstate__", [](const StreamOptions& self) { return to_json(self); })
      .def("__setstate__", [](StreamOptions& self, const std::string& state) {
        new (&self) StreamOptions(request_read_back(state));
      });
  nb::class_<Plan>(module, "PlanBase", "What a mechanism will do, before there is any data.")
      .def(nb::init<const StreamOptions&>(), "options"_a)
      .def_prop_ro("options", [](const Plan& self) { return self.request(); })
      .def_prop_ro("last_step", &Plan::last_step, "The last step that may be published.")
      .def_prop_ro("mu", &Plan::mu, "Gaussian parameter of the whole stream.")
      .def("noise_at", &Plan::noise_at, "step"_a, "Standard deviations of the released sums, rows in the unit ball.")
      .def("memory_bytes", &Plan::memory_bytes, "step"_a, "What the stream takes after a step.")
      .def("_standard_errors", &Plan::standard_errors, "step"_a)
      .def("_text", [](const Plan& self, const std::vector<std::uint64_t>& steps, double share, double beta,
                       bool sketches) { return self.text({steps, share, beta, sketches}); })
      .def("_json", [](const Plan& self, const std::vector<std::uint64_t>& steps, double share, double beta,
                       bool sketches) { return self.json({steps, share, beta, sketches}); });
  module.def(
      "setting_table",
      [] {
        nb::list rows;
        for (const SettingDescription& setting : describe_settings()) {
          if (!setting.of_the_tool) rows.append(nb::make_tuple(setting.key, setting.value, setting.help, setting.group));
        }
        return rows;
      },
      "Every setting of a request: key, what stands for a value, help, group.");
}

}  // namespace rivulet::python
