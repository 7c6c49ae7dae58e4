// What a person reads about a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "erm/erm_plan.h"
#include "rivulet/incremental_regression.h"
#include "rivulet/model.h"
#include "rivulet/model_quality.h"

namespace rivulet::cli {

struct TableOptions {
  double level = 0.95;
  std::optional<std::size_t> top{};  // the largest coefficients only, by size in box units; see shown_coefficients()
  bool sketched = false;             // the statistics are those of sketched rows
  std::string loss = "squared";
  std::optional<ErmSettings> erm{};  // PrivIncERM's, filled in
  double surrogate_margin = 0.0;     // of the logistic loss without `erm`

  // Whether the statistics, where there are any, say how sure the coefficients are.
  [[nodiscard]] bool may_have_intervals() const { return !sketched && !erm && loss == "squared"; }
};

// Those of a request whose defaults are filled in.
TableOptions table_options(const StreamOptions& options, double level = 0.95);
// The last call that went into a model, if its steps were full ones; nothing before the first.
std::optional<erm::ErmCall> last_call(const erm::ErmPlan& plan, const Model& model);

// Coefficients that are listed: all, but of a sketched model, which may have thousands, 20 unless `top` says otherwise.
std::size_t shown_coefficients(const Model& model, const TableOptions& options);

// The coefficients; beside them the unconstrained estimates with standard errors, intervals and marks; and how good
// the model is; ends in a newline. Without the sum of squared targets (profile `paper`), with a sketch and with any
// other loss there are coefficients alone. Those of a sketched model, and with `top` of any, are in order of size.
std::string model_table(const Model& model, const Statistics& statistics, const Schema& schema,
                        const ModelQuality& quality, const TableOptions& options = {});
// The promise in one sentence, or, where noise was deterministic, that there is none.
std::string promise_or_warning(const StreamOptions& options, std::uint64_t releases);

}  // namespace rivulet::cli
