#include "cli/audit_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace rivulet::cli {
namespace {

using audit::Configuration;
using audit::Finding;

double share(const Finding& finding, bool gaussian) {
  return (gaussian ? finding.gaussian_epsilon : finding.measured.epsilon) /
         finding.configuration.promise.budget.epsilon;
}

bool has_strategy(const Configuration& configuration) {
  return configuration.surface != audit::Surface::gradients;
}

std::string strategy_of(const Configuration& configuration) {
  if (!has_strategy(configuration)) return "erm";
  return std::string(to_string(configuration.promise.strategy.kind)) +
         (configuration.promise.profile == Profile::paper ? " paper" : "");
}

std::string horizon_of(const Configuration& configuration) {
  const Horizon& horizon = configuration.promise.strategy.horizon;
  return horizon.is_known() ? std::to_string(horizon.steps()) : "unbounded";
}

std::string pair_of(const Configuration& configuration) {
  const std::uint64_t rows = configuration.promise.rows_per_unit;
  return std::string(to_string(configuration.pair)) +
         (configuration.promise.units ? fmt::format(", {} rows", rows) : "") +
         (configuration.parts > 1 ? fmt::format(", {} parts", configuration.parts) : "");
}

std::string place_of(const Configuration& configuration) {
  if (configuration.surface == audit::Surface::python) return configuration.door;
  return std::string(to_string(configuration.place)) + (configuration.adaptive ? ", adaptive" : "");
}

std::string verdict(const Finding& finding) {
  if (finding.steps_past_the_last > 0)
    return fmt::format("VIOLATION ({} steps past the last)", finding.steps_past_the_last);
  return finding.violated() ? "VIOLATION" : "holds";
}

std::string columns(const Configuration& c) {
  return fmt::format("{:<10} {:<10} {:<8} {:>4} {:>3} {:>9} {:>5}  {:<16} {:<16} {:>8}", to_string(c.surface),
                     strategy_of(c), to_string(c.promise.neighbours), c.promise.budget.epsilon, c.promise.dimension,
                     horizon_of(c), c.steps, pair_of(c), place_of(c), c.trials);
}

std::string tightest_line(const AuditReport& report, bool gaussian) {
  const Finding* finding = report.tightest(gaussian);
  if (finding == nullptr) return "";
  return fmt::format("  {:<34} epsilon >= {:.4g} where {:g} is claimed ({:.0f}%), by {}\n",
                     gaussian ? "Tightest, of a Gaussian mechanism:" : "Tightest, nothing assumed:",
                     gaussian ? finding->gaussian_epsilon : finding->measured.epsilon,
                     finding->configuration.promise.budget.epsilon, 100.0 * share(*finding, gaussian),
                     gaussian ? finding->measured.mu_attack : finding->measured.epsilon_attack);
}

nlohmann::ordered_json json_of(const Finding& finding) {
  const Configuration& c = finding.configuration;
  nlohmann::ordered_json json;
  json["looks_at"] = to_string(c.surface);
  json["strategy"] = has_strategy(c) ? nlohmann::ordered_json(to_string(c.promise.strategy.kind)) : nullptr;
  json["profile"] = to_string(c.promise.profile);
  json["neighbours"] = to_string(c.promise.neighbours);
  json["epsilon"] = c.promise.budget.epsilon;
  json["delta"] = c.promise.budget.delta;
  json["dimension"] = c.promise.dimension;
  json["horizon"] = horizon_of(c);
  json["steps"] = c.steps;
  json["rows_per_unit"] = c.promise.units ? c.promise.rows_per_unit : 1;
  json["parts"] = c.parts;
  json["pair"] = to_string(c.pair);
  json["place"] = to_string(c.place);
  if (c.surface == audit::Surface::python) json["door"] = c.door;
  json["adaptive"] = c.adaptive;
  json["trials"] = finding.measured.trials;
  json["epsilon_at_least"] = finding.measured.epsilon;
  json["epsilon_attack"] = finding.measured.epsilon_attack;
  json["gaussian_epsilon_at_least"] = finding.gaussian_epsilon;
  json["gaussian_attack"] = finding.measured.mu_attack;
  json["mu_at_least"] = finding.measured.mu;
  json["mu_claimed"] = finding.claimed_mu;
  json["steps_past_the_last"] = finding.steps_past_the_last;
  json["violation"] = finding.violated();
  return json;
}

}  // namespace

std::size_t AuditReport::violations() const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& finding) { return finding.violated(); }));
}

const Finding* AuditReport::tightest(bool gaussian) const {
  const auto found = std::max_element(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    return share(a, gaussian) < share(b, gaussian);
  });
  return found == findings.end() ? nullptr : &*found;
}

std::string audit_heading() {
  return fmt::format("{:<10} {:<10} {:<8} {:>4} {:>3} {:>9} {:>5}  {:<16} {:<16} {:>8} {:>9} {:>9} {:>6}  {}\n",
                     "looks at", "strategy", "neighb.", "eps", "d", "horizon", "steps", "pair", "place", "trials",
                     "eps >=", "Gaussian", "share", "promise");
}

std::string audit_line(const Configuration& configuration) {
  return columns(configuration) + "\n";
}

std::string audit_line(const Finding& finding) {
  return fmt::format("{} {:>9.3f} {:>9.3f} {:>5.0f}%  {}\n", columns(finding.configuration), finding.measured.epsilon,
                     finding.gaussian_epsilon, 100.0 * share(finding, true), verdict(finding));
}

std::string audit_summary(const AuditReport& report) {
  const std::size_t violations = report.violations();
  std::string text = "\n";
  if (report.findings.size() < report.planned) {
    text +=
        fmt::format("Interrupted: {} of {} configurations were finished.\n", report.findings.size(), report.planned);
  }
  text += violations == 0
              ? fmt::format("No violation in {} configurations.\n", report.findings.size())
              : fmt::format("VIOLATION in {} of {} configurations: more was told apart than the promise allows.\n",
                            violations, report.findings.size());
  text += tightest_line(report, false) + tightest_line(report, true);
  text += fmt::format(
      "  All bounds hold together with confidence {:.10g}: a promise that is kept is called broken with\n"
      "  probability at most {:.2g}. Rows were made up for the audit, noise is the secure kind. {:.0f} s.\n",
      report.confidence, 1.0 - report.confidence, report.seconds);
  return text;
}

std::string audit_json(const AuditReport& report) {
  nlohmann::ordered_json json;
  json["planned"] = report.planned;
  json["finished"] = report.findings.size();
  json["violations"] = report.violations();
  json["confidence"] = report.confidence;
  json["seconds"] = report.seconds;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings) json["findings"].push_back(json_of(finding));
  return json.dump(2) + "\n";
}

std::string audit_csv(const AuditReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    const nlohmann::ordered_json json = json_of(finding);
    std::string heading;
    std::string line;
    for (const auto& [key, value] : json.items()) {
      std::string field = value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
      if (field.find(',') != std::string::npos) field = fmt::format("\"{}\"", field);
      fmt::format_to(std::back_inserter(heading), "{}{}", heading.empty() ? "" : ",", key);
      fmt::format_to(std::back_inserter(line), "{}{}", line.empty() ? "" : ",", field);
    }
    if (text.empty()) text = heading + "\n";
    text += line + "\n";
  }
  return text;
}

}  // namespace rivulet::cli
