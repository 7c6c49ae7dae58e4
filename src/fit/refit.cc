#include "rivulet/refit.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "base/number_text.h"
#include "fit/mechanism.h"
#include "fit/model_fitter.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

void read_regularisation(std::string_view text, fit::ModelFitter::Options& out) {
  out.noise_aware_ridge = text == "auto";
  out.ridge = 0.0;
  if (text == "auto" || text == "none") return;
  constexpr std::string_view prefix = "ridge:";
  if (text.starts_with(prefix)) {
    const char* const last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data() + prefix.size(), last, out.ridge);
    if (status == std::errc{} && end == last && out.ridge > 0.0 && std::isfinite(out.ridge)) return;
  }
  throw RequestError("regularisation", shown(text) +
                                           " is none; accepted: auto, none, or ridge:LAMBDA with a positive finite "
                                           "LAMBDA, e.g. ridge:10");
}

// What a model file says was settled when the model was made, perhaps by the rules of an older version.
StreamOptions complete(const StreamOptions& stream) {
  return stream.mechanism && !stream.loss.empty() ? fit::completed(stream) : fit::with_defaults(stream);
}

fit::ModelFitter::Options read_options(const StreamOptions& stream, const Refit::Options& options,
                                       const fit::StreamPlan* plan) {
  StreamOptions request = stream;
  request.solver = options.solver;
  request = complete(request);
  fit::ModelFitter::Options result;
  result.sketch = fit::make_sketch(request);
  result.constraint = options.constraint;
  if (options.surrogate_margin) request.surrogate_margin = *options.surrogate_margin;
  result.surrogate_curvature = fit::surrogate_curvature_of(request);
  read_regularisation(options.regularisation, result);
  if (request.solver == Solver::noisy_proj_grad) {
    if (result.ridge > 0.0) {
      throw RequestError("regularisation", shown(std::string_view(options.regularisation)) +
                                               " given, but noisy_proj_grad has no regularisation; accepted: auto or "
                                               "none, or the fast solver");
    }
    // The stream's own constraint is part of its mechanism, whatever the model is fitted to now.
    const auto settings = [&](const fit::StreamPlan& made) {
      return fit::fitter_options(request, made.moments()).noisy_proj_grad;
    };
    result.noisy_proj_grad = plan != nullptr ? settings(*plan) : settings(fit::StreamPlan(request));
  }
  return result;
}

// A seed or dimension made up now would not be those of the statistics.
const StreamOptions& with_known_sketch(const StreamOptions& stream) {
  if (!stream.sketch || (stream.sketch->seed && stream.sketch->dimension)) return stream;
  throw RequestError(
      "sketch", "its seed or dimension is not given; accepted: the options of the stream that made the statistics");
}

const StreamOptions& with_statistics(const StreamOptions& stream) {
  if (!stream.erm) return stream;
  throw RequestError("mechanism",
                     "PrivIncERM publishes models without statistics, from which no other model follows; accepted: a "
                     "stream of private moments");
}

Schema refitted_schema(const StreamOptions& stream, const Refit::Options& options) {
  const Schema& whole = with_known_sketch(with_statistics(stream)).schema;
  if (!options.features) return whole;
  if (stream.sketch) {
    throw RequestError("features",
                       "given, but the statistics are those of sketched rows, in which features cannot be told "
                       "apart; accepted: all features");
  }
  return whole.subset(*options.features);
}

}  // namespace

struct Refit::Inside {
  Inside(const StreamOptions& stream, const Options& options, const fit::StreamPlan* plan)
      : schema(refitted_schema(stream, options)),
        whole_dimension(stream.sketch ? *complete(stream).sketch->dimension : stream.schema.dimension()),
        fitter(schema, read_options(stream, options, plan)) {
    if (options.features) positions = stream.schema.subset_coordinates(*options.features);
  }

  void select(const Statistics& from, Statistics& to) const {
    const std::size_t d = positions->size();
    to = Statistics{.step = from.step,
                    .rows = from.rows,
                    .dimension = d,
                    .gram = std::move(to.gram),
                    .cross = std::move(to.cross),
                    .target_square = from.target_square,
                    .has_target_square = from.has_target_square,
                    .target_square_stddev = from.target_square_stddev,
                    .noise = from.noise,
                    .not_private = from.not_private};
    to.gram.resize(d * d);
    to.cross.resize(d);
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t row = (*positions)[i] * whole_dimension;
      for (std::size_t j = 0; j < d; ++j) to.gram[i * d + j] = from.gram[row + (*positions)[j]];
      to.cross[i] = from.cross[(*positions)[i]];
    }
  }

  Schema schema;
  std::size_t whole_dimension;
  fit::ModelFitter fitter;
  std::optional<std::vector<std::size_t>> positions;  // of the chosen coordinates; absent: all
  Statistics part;                                    // memory of fit()
};

Refit::Options Refit::settings_of(const StreamOptions& stream) {
  const StreamOptions whole = complete(with_statistics(stream));
  return {.constraint = whole.constraint,
          .solver = whole.solver,
          .features = std::nullopt,
          .regularisation = whole.noise_aware_ridge ? "auto" : "none",
          .surrogate_margin = whole.surrogate_margin};
}

Refit::Refit(const StreamOptions& stream, const Options& options)
    : inside_(std::make_unique<Inside>(stream, options, nullptr)) {}
Refit::Refit(const StreamOptions& stream, const Options& options, const fit::StreamPlan& plan)
    : inside_(std::make_unique<Inside>(stream, options, &plan)) {}
Refit::Refit(Refit&&) noexcept = default;
Refit& Refit::operator=(Refit&&) noexcept = default;
Refit::~Refit() = default;

const Schema& Refit::schema() const {
  return inside_->schema;
}

Statistics Refit::select(const Statistics& statistics) const {
  fit::require_shape(statistics, inside_->whole_dimension);
  if (!inside_->positions) return statistics;
  Statistics part;
  inside_->select(statistics, part);
  return part;
}

Model Refit::fit(const Statistics& statistics, std::span<const double> start) {
  fit::require_shape(statistics, inside_->whole_dimension);
  if (!inside_->positions) return inside_->fitter.fit(statistics, start);
  inside_->select(statistics, inside_->part);
  return inside_->fitter.fit(inside_->part);
}

}  // namespace rivulet
