#include "fit/sketch_plan.h"

#include <algorithm>
#include <cmath>

#include "fit/excess_risk.h"
#include "fit/mechanism.h"
#include "privacy/paper_profile.h"

namespace rivulet::fit {
namespace {

constexpr std::size_t kFewestDimensions = 25;
constexpr double kGoodEnough = 1.05;

privacy::MechanismPlan plan_without_sketch(const StreamOptions& options) {
  StreamOptions plain = options;
  plain.sketch.reset();
  privacy::MechanismRequest request = mechanism_request(plain);
  request.dimension = std::min<std::size_t>(request.dimension, kFewestDimensions);
  return privacy::MechanismPlan(request);
}

double rows_of(const StreamOptions& options) {
  if (!options.horizon.is_known()) return std::max(kAssumedRows, static_cast<double>(options.release_every));
  return static_cast<double>(options.horizon.steps()) * static_cast<double>(options.release_every);
}

}  // namespace

SketchPlan::SketchPlan(const StreamOptions& options, double beta)
    : dimension_(options.schema.dimension()),
      set_(unit_ball_constraint(options.schema, options.constraint)),
      plan_(plan_without_sketch(options)),
      rows_(rows_of(options)),
      width_(input_set(options).gaussian_width() + set_->gaussian_width()),
      beta_(beta) {
  const double steps = rows_ / static_cast<double>(options.release_every);
  noise_ = plan_.noise_at(std::clamp<std::uint64_t>(static_cast<std::uint64_t>(steps), 1, plan_.last_step()));
}

// Per pair of coordinates: sums, products and row blocks of the kernel, the encoder's and decoder's buffers (128 and 64
// bits each), three vectors on their way, the statistics.
double SketchPlan::memory(double dimension) const {
  const double buffers = plan_.strategy().kept_numbers(plan_.last_step());
  const double pairs = 0.5 * (dimension + 1.0) * (dimension + 2.0);
  return pairs * (8.0 + 16.0 + 24.0 * buffers + 3.0 * 16.0 + 16.0) + 256.0 * 8.0 * (dimension + 1.0);
}

double SketchPlan::trivial_risk() const {
  return rows_ * std::pow(1.0 + set_->diameter(), 2);
}

SketchChoice SketchPlan::with_sketch(std::size_t dimension) const {
  const double m = static_cast<double>(dimension);
  const double diameter = set_->diameter();
  const double image_diameter = diameter + set_->gaussian_width() / std::sqrt(m);
  SketchChoice choice;
  choice.dimension = dimension;
  choice.memory_bytes = memory(m);
  choice.noise_risk =
      std::min(trivial_risk(), fast_solver_bound(noise_, image_diameter, set_->gaussian_width(), 0.0, 1.0));
  choice.distortion_risk = std::min(trivial_risk(), rows_ * diameter * diameter / m);
  return choice;
}

SketchChoice SketchPlan::full_matrix() const {
  SketchChoice choice;
  choice.dimension = dimension_;
  choice.memory_bytes = memory(static_cast<double>(dimension_));
  choice.noise_risk = std::min(trivial_risk(), fast_solver_bound(noise_, *set_, 0.0, 1.0));
  return choice;
}

std::size_t SketchPlan::most_dimensions() const {
  std::size_t most = std::min(dimension_, privacy::kMostDimensions);
  while (most > kFewestDimensions && memory(static_cast<double>(most)) > kMechanismMemory)
    most -= std::max<std::size_t>(most / 64, 1);
  return most;
}

std::vector<SketchChoice> SketchPlan::trade_off() const {
  const std::size_t most = most_dimensions();
  std::vector<SketchChoice> choices;
  for (std::size_t m = std::min(kFewestDimensions, most); m < most; m *= 2) choices.push_back(with_sketch(m));
  choices.push_back(with_sketch(most));
  return choices;
}

SketchChoice SketchPlan::best() const {
  const std::size_t most = most_dimensions();
  std::vector<SketchChoice> choices;
  double least = with_sketch(most).predicted_excess_risk();
  for (std::size_t m = std::min(kFewestDimensions, most); m < most; m = std::max(m + 1, m + m / 16)) {
    choices.push_back(with_sketch(m));
    least = std::min(least, choices.back().predicted_excess_risk());
  }
  choices.push_back(with_sketch(most));
  return *std::find_if(choices.begin(), choices.end(), [&](const SketchChoice& choice) {
    return choice.predicted_excess_risk() <= kGoodEnough * least;
  });
}

std::size_t SketchPlan::paper_dimension() const {
  const double wanted = privacy::paper_sketch_dimension(width_, rows_, beta_);
  return wanted >= static_cast<double>(dimension_) ? dimension_ : static_cast<std::size_t>(std::max(wanted, 1.0));
}

bool SketchPlan::recommends_full_matrix() const {
  const SketchChoice full = full_matrix();
  return dimension_ <= privacy::kMostDimensions && full.memory_bytes <= kMechanismMemory &&
         full.predicted_excess_risk() <= best().predicted_excess_risk();
}

double SketchPlan::theorem_5_7() const {
  return privacy::theorem_5_7_bound(plan_.request().budget, rows_, width_, set_->diameter(), 0.0, beta_);
}

std::size_t chosen_sketch_dimension(const StreamOptions& options) {
  const SketchPlan plan(options);
  return options.sketch->rule == SketchRule::paper || options.profile == Profile::paper ? plan.paper_dimension()
                                                                                        : plan.best().dimension;
}

}  // namespace rivulet::fit
