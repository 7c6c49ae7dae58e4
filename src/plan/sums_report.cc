#include <fmt/format.h>

#include <algorithm>

#include "fit/mechanism.h"
#include "plan/reports.h"
#include "privacy/paper_profile.h"
#include "strategy/blt.h"

namespace rivulet::plan {
namespace {

nlohmann::ordered_json stddev_json(const NoiseLevel& noise) {
  return {{"gram_diagonal", noise.gram_diagonal}, {"gram_offdiagonal", noise.gram_offdiagonal}, {"cross", noise.cross}};
}

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

SumsReport::SumsReport(const StreamOptions& request, const privacy::MechanismPlan& plan, const ConstraintSet& set,
                       const PlanQuestions& questions, bool first_was_asked)
    : request_(request),
      plan_(plan),
      set_(set),
      questions_(questions),
      first_was_asked_(first_was_asked),
      report_(plan, set, questions.beta, request.sketch.has_value()),
      sketches_(request, questions.beta) {}

std::uint64_t SumsReport::paper_steps() const {
  const Horizon horizon = plan_.strategy().horizon();
  return horizon.is_known() ? horizon.steps() : questions_.steps.empty() ? 1 : questions_.steps.back();
}

double SumsReport::theorem_4_2() const {
  return privacy::theorem_4_2_bound(plan_.request().budget, std::max<std::uint64_t>(paper_steps(), 2),
                                    static_cast<double>(request_.schema.dimension()), set_.diameter(), questions_.beta);
}

nlohmann::ordered_json SumsReport::json() const {
  const auto& strategy = plan_.strategy();
  const double decoder_norm =
      first_was_asked_ ? strategy.decoder_norm(questions_.steps.front()) : report_.largest_decoder_norm();
  nlohmann::ordered_json json;
  json["mu"] = plan_.mu();
  json["l2_sensitivity"] = plan_.l2_sensitivity();
  json["strategy_norm"] = strategy.norm();
  json["decoder_norm"] = decoder_norm;
  json["prefix_stddev_factor"] = strategy.norm() * decoder_norm;
  json["stddev"] = stddev_json(plan_.noise_for(decoder_norm));
  json["charge"] = {{"epsilon", plan_.charge().epsilon}, {"delta", plan_.charge().delta}};
  json["rounding_share"] = plan_.rounding_share();
  json["target_scale"] = plan_.limits().target_scale();
  json["strategy"] = to_string(strategy.kind());
  json["neighbours"] = to_string(plan_.request().neighbours);
  json["profile"] = to_string(plan_.request().profile);
  json["last_step"] = plan_.last_step();
  if (const auto buffers = strategy.buffers()) json["buffers"] = *buffers;
  json["theorem_4_2_bound"] = theorem_4_2();
  const auto until = report_.steps_until_share(questions_.noise_share);
  json["steps_until_noise_share"] = {
      {"share", questions_.noise_share},
      {"steps", until ? nlohmann::ordered_json(*until) : nlohmann::ordered_json(nullptr)}};
  json["times"] = nlohmann::ordered_json::array();
  for (const std::uint64_t step : questions_.steps) {
    const fit::PlanAtStep at = report_.at(step);
    json["times"].push_back({{"step", step},
                             {"decoder_norm", at.decoder_norm},
                             {"prefix_stddev_factor", strategy.norm() * at.decoder_norm},
                             {"stddev", stddev_json(at.noise)},
                             {"noise_share", at.noise_share},
                             {"predicted_excess_risk", at.predicted_excess_risk},
                             {"excess_risk_bound", at.excess_risk_bound}});
  }
  if (questions_.sketches) {
    json["sketches"] = sketch_json();
  }
  return json;
}

std::string SumsReport::text() const {
  return mechanism_text() + noise_text() + sketch_text();
}

std::string SumsReport::mechanism_text() const {
  const auto& strategy = plan_.strategy();
  std::string kind(to_string(strategy.kind()));
  if (const auto buffers = strategy.buffers()) {
    kind += fmt::format(", {} buffer{}", *buffers, *buffers == 1 ? "" : "s");
  }
  std::string out = "Mechanism\n";
  if (request_.sketch) {
    out += line("sketch", fmt::format("{} dimensions for {} covariates", *request_.sketch->dimension,
                                      request_.schema.dimension()));
  }
  return out + line("strategy", fmt::format("{}; profile {}", kind, to_string(plan_.request().profile))) +
         line("mu", fmt::format("{:.6f}", plan_.mu())) +
         line("sensitivity of a step", fmt::format("{:.6f}  (target weight s = {:.4f})", plan_.l2_sensitivity(),
                                                   plan_.limits().target_scale())) +
         line("strategy norm", fmt::format("{:.6f}", strategy.norm())) +
         line("charged",
              fmt::format("epsilon {:.2e}, delta {:.2e} for discrete noise; {:.1e} of the sensitivity for rounding",
                          plan_.charge().epsilon, plan_.charge().delta, plan_.rounding_share())) +
         line("constraint", fmt::format("{}: diameter {:g}, Gaussian width {:.4g}", set_.name(), set_.diameter(),
                                        set_.gaussian_width()));
}

std::string SumsReport::noise_text() const {
  const auto& strategy = plan_.strategy();
  std::string out = "Noise on the private sums (standard deviations) and what it costs\n";
  out += fmt::format("  {:>12} {:>12} {:>12} {:>12} {:>10} {:>12} {:>14} {:>14}\n", "step", "gram diag", "gram off",
                     "cross", "x optimum", "noise share", "expected risk", "risk bound");
  for (const std::uint64_t step : questions_.steps) {
    const fit::PlanAtStep at = report_.at(step);
    out += fmt::format("  {:>12} {:>12.4g} {:>12.4g} {:>12.4g} {:>10.3f} {:>12.3g} {:>14.4g} {:>14.4g}\n", step,
                       at.noise.gram_diagonal, at.noise.gram_offdiagonal, at.noise.cross,
                       strategy.norm() * at.decoder_norm / strategy::sqrt_toeplitz_stddev(step), at.noise_share,
                       at.predicted_excess_risk, at.excess_risk_bound);
  }
  out += fmt::format(
      "  x optimum: prefix noise against the best that knows the stream ends at that step. noise share: spectral\n"
      "  noise of the Gram matrix against its eigenvalues for rows that fill the unit ball evenly. risk: excess "
      "squared\n"
      "  error summed over all rows; expected bound, and bound with probability {:g}.\n",
      1.0 - questions_.beta);
  if (!request_.sketch) {
    out += line("Theorem 4.2",
                fmt::format("{:.4g} (the paper's bound, constant 1, T = {})", theorem_4_2(), paper_steps()));
  }
  const auto until = report_.steps_until_share(questions_.noise_share);
  return out + line(fmt::format("noise share <= {:g}", questions_.noise_share),
                    until ? fmt::format("from step {} ({} rows) on", *until, *until * plan_.request().rows_per_step)
                          : "not within the steps covered");
}

std::string SumsReport::recommendation() const {
  const fit::SketchChoice best = sketches_.best();
  const fit::SketchChoice full = sketches_.full_matrix();
  if (sketches_.recommends_full_matrix()) {
    return fmt::format("--mechanism full: it takes {} and no sketch is predicted to do better",
                       bytes_text(full.memory_bytes));
  }
  const bool fits = full.memory_bytes <= fit::kMechanismMemory;
  return fmt::format("--sketch {}: {} of memory; the full matrix would take {}{}", best.dimension,
                     bytes_text(best.memory_bytes), bytes_text(full.memory_bytes),
                     fits ? " and is predicted to do worse" : "");
}

std::string SumsReport::sketch_text() const {
  // Without being asked, only where the full matrix is not what to use.
  if (!questions_.sketches) {
    return sketches_.recommends_full_matrix() ? "" : line("recommended", recommendation() + "; see --sketch auto");
  }
  std::string out = "Sketches: what m dimensions cost\n";
  out += fmt::format("  {:>12} {:>12} {:>14} {:>16} {:>14}\n", "m", "memory", "by noise", "by distortion",
                     "expected risk");
  for (const fit::SketchChoice& choice : sketches_.trade_off()) {
    out += choice_line(fmt::format("{}", choice.dimension), choice);
  }
  if (request_.sketch) {
    const std::size_t chosen = *request_.sketch->dimension;
    out += choice_line(fmt::format("asked: {}", chosen), sketches_.with_sketch(chosen));
  }
  out += choice_line(fmt::format("full: {}", sketches_.full_matrix().dimension), sketches_.full_matrix());
  out += fmt::format(
      "  After {:g} rows{}. expected risk: bound on the excess squared error summed over all rows, in two\n"
      "  parts: what the noise costs, and what the projection does, about ||theta||^2 / m a row for rows that fill\n"
      "  the unit ball and a solution at the edge of the constraint set; shorter ones lose less.\n",
      sketches_.rows(), request_.horizon.is_known() ? "" : ", assumed because no horizon is given");
  out += line("rows expected",
              fmt::format("{}; W = w(X) + w(K) = {:.4g}", fit::input_set(request_).name(), sketches_.width()));
  out += line("the paper's m", fmt::format("{}", sketches_.paper_dimension()));
  out += line("Theorem 5.7",
              fmt::format("{:.4g} (sketch, constant 1, best model without loss); Theorem 4.2: {:.4g} (full)",
                          sketches_.theorem_5_7(), theorem_4_2()));
  out += line("recommended", recommendation());
  return out;
}

nlohmann::ordered_json SumsReport::sketch_json() const {
  nlohmann::ordered_json json;
  if (request_.sketch) json["asked"] = choice_json(sketches_.with_sketch(*request_.sketch->dimension));
  json["rows"] = sketches_.rows();
  json["row_set"] = fit::input_set(request_).name();
  json["width"] = sketches_.width();
  json["trade_off"] = nlohmann::ordered_json::array();
  for (const fit::SketchChoice& choice : sketches_.trade_off()) json["trade_off"].push_back(choice_json(choice));
  json["full_matrix"] = choice_json(sketches_.full_matrix());
  json["paper_dimension"] = sketches_.paper_dimension();
  json["theorem_5_7_bound"] = sketches_.theorem_5_7();
  json["theorem_4_2_bound"] = theorem_4_2();
  json["recommended"] = {{"mechanism", sketches_.recommends_full_matrix() ? "full" : "sketch"}};
  if (!sketches_.recommends_full_matrix()) json["recommended"]["sketch"] = sketches_.best().dimension;
  return json;
}

}  // namespace rivulet::plan
