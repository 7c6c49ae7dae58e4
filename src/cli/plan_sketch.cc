#include "cli/plan_sketch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fit/mechanism.h"

namespace rivulet::cli {
namespace {

std::string bytes_text(double bytes) {
  constexpr double kStep = 1024.0;
  const char* unit = "KiB";
  double amount = bytes / kStep;
  for (const char* larger : {"MiB", "GiB", "TiB", "PiB"}) {
    if (amount < kStep) break;
    amount /= kStep;
    unit = larger;
  }
  return fmt::format("{:.4g} {}", amount, unit);
}

std::string choice_line(const std::string& label, const fit::SketchChoice& choice) {
  return fmt::format("  {:>12} {:>12} {:>14.4g} {:>16.4g} {:>14.4g}\n", label, bytes_text(choice.memory_bytes),
                     choice.noise_risk, choice.distortion_risk, choice.predicted_excess_risk());
}

nlohmann::ordered_json choice_json(const fit::SketchChoice& choice) {
  return {{"dimension", choice.dimension},
          {"memory_bytes", choice.memory_bytes},
          {"noise_risk", choice.noise_risk},
          {"distortion_risk", choice.distortion_risk},
          {"predicted_excess_risk", choice.predicted_excess_risk()}};
}

}  // namespace

std::string recommendation(const fit::SketchPlan& sketches) {
  const fit::SketchChoice best = sketches.best();
  const fit::SketchChoice full = sketches.full_matrix();
  if (sketches.recommends_full_matrix()) {
    return fmt::format("--mechanism full: it takes {} and no sketch is predicted to do better",
                       bytes_text(full.memory_bytes));
  }
  const bool fits = full.memory_bytes <= fit::kMechanismMemory;
  return fmt::format("--sketch {}: {} of memory; the full matrix would take {}{}", best.dimension,
                     bytes_text(best.memory_bytes), bytes_text(full.memory_bytes),
                     fits ? " and is predicted to do worse" : "");
}

std::string sketch_table(const fit::SketchPlan& sketches, const StreamOptions& options, double theorem_4_2) {
  std::string out = "Sketches: what m dimensions cost\n";
  out += fmt::format("  {:>12} {:>12} {:>14} {:>16} {:>14}\n", "m", "memory", "by noise", "by distortion",
                     "expected risk");
  for (const fit::SketchChoice& choice : sketches.trade_off()) {
    out += choice_line(fmt::format("{}", choice.dimension), choice);
  }
  if (options.sketch) {
    const std::size_t chosen = *options.sketch->dimension;
    out += choice_line(fmt::format("asked: {}", chosen), sketches.with_sketch(chosen));
  }
  out += choice_line(fmt::format("full: {}", sketches.full_matrix().dimension), sketches.full_matrix());
  out += fmt::format(
      "  After {:g} rows{}. expected risk: bound on the excess squared error summed over all rows, in two\n"
      "  parts: what the noise costs, and what the projection does, about ||theta||^2 / m a row for rows that fill\n"
      "  the unit ball and a solution at the edge of the constraint set; shorter ones lose less.\n",
      sketches.rows(), options.horizon.is_known() ? "" : ", assumed because no horizon is given");
  const auto line = [&](const std::string& label, const std::string& value) {
    out += fmt::format("  {:<24}{}\n", label, value);
  };
  line("rows expected", fmt::format("{}; W = w(X) + w(K) = {:.4g}", fit::input_set(options).name(), sketches.width()));
  line("the paper's m", fmt::format("{}", sketches.paper_dimension()));
  line("Theorem 5.7", fmt::format("{:.4g} (sketch, constant 1, best model without loss); Theorem 4.2: {:.4g} (full)",
                                  sketches.theorem_5_7(), theorem_4_2));
  line("recommended", recommendation(sketches));
  return out;
}

nlohmann::ordered_json sketch_json(const fit::SketchPlan& sketches, const StreamOptions& options, double theorem_4_2) {
  nlohmann::ordered_json json;
  if (options.sketch) json["asked"] = choice_json(sketches.with_sketch(*options.sketch->dimension));
  json["rows"] = sketches.rows();
  json["row_set"] = fit::input_set(options).name();
  json["width"] = sketches.width();
  json["trade_off"] = nlohmann::ordered_json::array();
  for (const fit::SketchChoice& choice : sketches.trade_off()) json["trade_off"].push_back(choice_json(choice));
  json["full_matrix"] = choice_json(sketches.full_matrix());
  json["paper_dimension"] = sketches.paper_dimension();
  json["theorem_5_7_bound"] = sketches.theorem_5_7();
  json["theorem_4_2_bound"] = theorem_4_2;
  json["recommended"] = {{"mechanism", sketches.recommends_full_matrix() ? "full" : "sketch"}};
  if (!sketches.recommends_full_matrix()) json["recommended"]["sketch"] = sketches.best().dimension;
  return json;
}

}  // namespace rivulet::cli
