// What a person reads about a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "rivulet/incremental_regression.h"
#include "rivulet/model.h"

namespace rivulet::cli {

struct TableOptions {
  double level = 0.95;
  std::optional<std::size_t> top{};  // the largest coefficients only, by size in box units; see shown_coefficients()
  bool sketched = false;             // the statistics are those of sketched rows
};

// Coefficients that are listed: all, but of a sketched model, which may have thousands, 20 unless `top` says otherwise.
std::size_t shown_coefficients(const Model& model, const TableOptions& options);

// The coefficients with standard errors, intervals and marks, and how well the model fits; ends in a newline. Without
// the sum of squared targets (profile `paper`), and with a sketch, there are coefficients alone. Those of a sketched
// model, and with `top` of any, are in order of size.
std::string model_table(const Model& model, const Statistics& statistics, const Schema& schema,
                        const TableOptions& options = {});
// The promise in one sentence, or, where noise was deterministic, that there is none.
std::string promise_or_warning(const StreamOptions& options, std::uint64_t releases);

}  // namespace rivulet::cli
