#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rivulet::cli {

std::string coefficient_table(const Model& model, const Schema& schema) {
  std::size_t width = std::string("(intercept)").size();
  for (const Coefficient& coefficient : model.coefficients) width = std::max(width, coefficient.name.size());
  const double target_half_range = schema.target_scale().half_range;
  const auto scales = schema.value_scales();

  std::string out =
      fmt::format("Model of {} after {} rows (release {})\n\n", schema.target_name(), model.rows, model.step);
  out += fmt::format("  {:<{}}  {:>14}  {:>9}\n", "", width, "per unit", "scaled");
  if (schema.has_intercept()) out += fmt::format("  {:<{}}  {:>14.6g}\n", "(intercept)", width, model.intercept);
  for (std::size_t i = 0; i < model.coefficients.size(); ++i) {
    const Coefficient& coefficient = model.coefficients[i];
    out += fmt::format("  {:<{}}  {:>14.6g}  {:>9.4f}\n", coefficient.name, width, coefficient.value,
                       coefficient.value * scales[i].half_range / target_half_range);
  }
  out +=
      "\n  per unit: change of the target for one unit of the feature. scaled: the same with feature and target\n"
      "  each measured in half of its declared range.\n";
  return out;
}

std::string privacy_statement(const PrivIncReg1::Options& options, std::uint64_t releases) {
  const char* change =
      options.neighbours == Neighbours::replace ? "exchanging any one row for another" : "leaving out any one row";
  const std::string what = releases == 1 ? "the one release is" : fmt::format("all {} releases together are", releases);
  const double epsilon = options.budget.epsilon;
  const std::string factor = epsilon <= 20.0 ? fmt::format("{:.4g}", std::exp(epsilon)) : fmt::format("e^{}", epsilon);
  return fmt::format(
      "Privacy: {} ({}, {})-differentially private for every row: {} changes the probability of anything published by "
      "a "
      "factor of at most {}, but for an event of probability {}.",
      what, epsilon, options.budget.delta, change, factor, options.budget.delta);
}

std::string insecure_warning(std::uint64_t seed) {
  return fmt::format("NOT PRIVATE: the noise came from --insecure-seed {} and anyone can remove it. For tests only.",
                     seed);
}

}  // namespace rivulet::cli
