#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "audit/white_box.h"
#include "rivulet/error.h"

namespace rivulet::audit {
std::vector<PublishedVector> published_vectors(const strategy::Strategy& strategy, std::uint64_t steps) {
  std::vector<PublishedVector> vectors;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const std::vector<PublishedVector> at_step = strategy.published_at(step);
    vectors.insert(vectors.end(), at_step.begin(), at_step.end());
  }
  return vectors;
}

namespace {

// An attack that learns weights for every single number takes so many trials; above this, numbers are added up first.
constexpr std::size_t kMostSingleNumbers = 120;
// An attack by coordinates looks at no more than so many, spread over all of them.
constexpr std::size_t kMostCoordinates = 256;
// How far past a known horizon it tries to get: 4 levels more of a tree.
constexpr std::uint64_t kPastTheLast = 16;
// Rows that a unit offers beyond those that count.
constexpr std::uint64_t kRowsTooMany = 2;

double to_double(Int128 value) {
  const auto low = static_cast<std::int64_t>(value);
  return low == value ? static_cast<double>(low) : static_cast<double>(value);
}

double norm(const std::vector<double>& values) {
  double squares = 0.0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

class KernelExperiment final : public Experiment {
 public:
  KernelExperiment(const Configuration& configuration, const privacy::MechanismPlan& plan, StreamSource source)
      : promise_(plan.request()),
        layout_(plan.layout()),
        source_(std::move(source)),
        place_(configuration.differing_step()),
        place_is_chosen_(configuration.place == Place::chosen),
        adaptive_(configuration.adaptive),
        promised_steps_(configuration.steps),
        pair_(make_pair(configuration.pair, promise_.neighbours, promise_.dimension,
                        layout_.has_target_square ? plan.limits().target_scale() : 0.0)),
        common_{std::vector<double>(promise_.dimension, 0.5 / std::sqrt(static_cast<double>(promise_.dimension))),
                0.5} {
    check(configuration, plan);
    set_noise(plan);
    set_rows(plan);
    steps_ = publishable_steps(plan);
    vectors_ = published_vectors(plan.strategy(), steps_);
    signs_.assign(steps_ + 1, 1.0);
    for (std::uint64_t step = 0; step <= steps_; ++step) others_.push_back("other " + std::to_string(step));
    for (std::size_t v = 0; v < vectors_.size(); ++v) fixed_others_.push_back(others_in(v, place_));
    set_views();
  }

  [[nodiscard]] const std::vector<View>& views() const override { return views_; }
  [[nodiscard]] std::uint64_t steps_past_the_last() const override { return steps_ - promised_steps_; }

  void run(bool second, std::span<double> numbers) override {
    const std::unique_ptr<AuditedStream> stream = source_();
    coordinate_sums_.assign(layout_.size(), 0.0);
    std::uint64_t place = place_is_chosen_ ? 0 : place_;
    double likelihood_ratio = 0.0;
    double evidence = 0.0;  // in the last vector
    std::size_t v = 0;
    for (std::uint64_t step = 1; step <= steps_; ++step) {
      if (place == 0 && (step == promised_steps_ || (step > 1 && evidence > 0.0))) place = step;
      signs_[step] = adaptive_ && evidence < 0.0 ? -1.0 : 1.0;
      feed(*stream, step, step == place, second);
      stream->close_step(published_);
      for (const NoisyVector& vector : published_.vectors) {
        if (v == vectors_.size() || vectors_[v].step != step || vector.values.size() != layout_.size()) {
          throw Error("audit: what was published at step " + std::to_string(step) + " is not what the strategy says");
        }
        evidence = take(v, vector.values, place, numbers);
        const double weight = weight_of(v, place);
        likelihood_ratio += weight * (evidence - weight * evidence_at_middle_);
        ++v;
      }
    }
    if (v != vectors_.size()) throw Error("audit: less was published than the strategy says");
    numbers[0] = likelihood_ratio;
    if (by_coordinate()) {
      for (std::size_t i = 0; i < watched_.size(); ++i) {
        numbers[1 + vectors_.size() + i] = coordinate_sums_[watched_[i]] / column_norm_;
      }
    }
  }

 private:
  [[nodiscard]] bool by_coordinate() const { return !single_numbers_ && !place_is_chosen_; }

  void check(const Configuration& configuration, const privacy::MechanismPlan& plan) const {
    if (configuration.steps < 1 || configuration.steps > plan.last_step()) {
      throw RequestError("steps", std::to_string(configuration.steps) + " steps; accepted: 1 to " +
                                      std::to_string(plan.last_step()) + ", the last the promise covers");
    }
    if (promise_.units && promise_.rows_per_step < offered_rows()) {
      throw RequestError("release-every", "a step must have room for " + std::to_string(offered_rows()) +
                                              " rows: the unit's, and " + std::to_string(kRowsTooMany) + " too many");
    }
  }

  [[nodiscard]] std::uint64_t offered_rows() const {
    return promise_.units ? promise_.rows_per_unit + kRowsTooMany : 1;
  }

  void set_noise(const privacy::MechanismPlan& plan) {
    const privacy::BlockSigmas& sigmas = plan.sigmas();
    inverse_sigma_.assign(layout_.size(), 1.0 / sigmas.gram_diagonal);
    for (std::size_t i = layout_.offdiagonal_begin(); i < layout_.cross_begin(); ++i) {
      inverse_sigma_[i] = 1.0 / sigmas.gram_offdiagonal;
    }
    for (std::size_t i = layout_.cross_begin(); i < layout_.target_square(); ++i)
      inverse_sigma_[i] = 1.0 / sigmas.cross;
    if (layout_.has_target_square) inverse_sigma_[layout_.target_square()] = 1.0 / sigmas.target_square;
  }

  // What rows add, in units of the noise.
  void set_rows(const privacy::MechanismPlan& plan) {
    const auto in_noise = [&](const AuditRow& row) {
      std::vector<double> sums = contribution(row, layout_, plan.limits().target_scale());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] *= inverse_sigma_[i] / plan.lattice_unit();
      return sums;
    };
    common_sums_ = in_noise(common_);
    const std::vector<double> first = in_noise(pair_.first);
    const std::vector<double> second = in_noise(pair_.second);
    const double copies = static_cast<double>(promise_.rows_per_unit);
    shift_.resize(layout_.size());
    evidence_at_middle_ = 0.0;
    for (std::size_t i = 0; i < shift_.size(); ++i) {
      shift_[i] = copies * (second[i] - first[i]);
      evidence_at_middle_ += shift_[i] * copies * 0.5 * (second[i] + first[i]);
    }
    shift_norm_ = norm(shift_);
  }

  // Steps that a stream is found to publish, tried once.
  [[nodiscard]] std::uint64_t publishable_steps(const privacy::MechanismPlan& plan) {
    if (promised_steps_ < plan.last_step()) return promised_steps_;
    const std::unique_ptr<AuditedStream> stream = source_();
    std::uint64_t steps = 0;
    try {
      for (; steps < (1 + kPastTheLast) * promised_steps_; ++steps) stream->close_step(published_);
    } catch (const HorizonExceeded&) {
    }
    return std::max(steps, promised_steps_);
  }

  void set_views() {
    views_.push_back({"likelihood ratio", 1, {1.0}, false});
    if (place_is_chosen_) return;
    single_numbers_ = vectors_.size() * layout_.size() <= kMostSingleNumbers;
    View numbers{"learnt, every number", vectors_.size() * layout_.size(), {}, true};
    View whole{"learnt, vectors", vectors_.size(), {}, true};
    const std::size_t stride = (layout_.size() + kMostCoordinates - 1) / kMostCoordinates;
    for (std::size_t i = 0; i < layout_.size(); i += stride) watched_.push_back(i);
    View coordinates{"learnt, coordinates", watched_.size(), {}, true};
    for (std::size_t v = 0; v < vectors_.size(); ++v) {
      whole.shift.push_back(weight_of(v, place_) * shift_norm_);
      for (std::size_t i = 0; single_numbers_ && i < shift_.size(); ++i) {
        numbers.shift.push_back(weight_of(v, place_) * shift_[i]);
      }
      column_norm_ = std::hypot(column_norm_, weight_of(v, place_));
    }
    for (const std::size_t i : watched_) coordinates.shift.push_back(column_norm_ * shift_[i]);
    if (single_numbers_) {
      views_.push_back(numbers);
    } else {
      views_.push_back(whole);
      views_.push_back(coordinates);
    }
  }

  // How much of the differing row is in a vector, in units of its noise.
  [[nodiscard]] double weight_of(std::size_t v, std::uint64_t place) const {
    return place == 0 ? 0.0 : vectors_[v].coefficient(place) / vectors_[v].widening;
  }

  // Whether a step has one of the other rows.
  [[nodiscard]] bool has_common(bool is_place) const { return !is_place || promise_.rows_per_step > offered_rows(); }

  void feed(AuditedStream& stream, std::uint64_t step, bool is_place, bool second) {
    const auto unit = [&](std::string_view name) {
      return promise_.units ? std::optional<std::string_view>(name) : std::nullopt;
    };
    if (has_common(is_place)) {
      row_ = common_.x;
      for (double& value : row_) value *= signs_[step];
      stream.observe(row_, common_.y, unit(others_[step]));
    }
    if (!is_place) return;
    const AuditRow& differing = second ? pair_.second : pair_.first;
    for (std::uint64_t i = 0; i < offered_rows(); ++i) stream.observe(differing.x, differing.y, unit("the unit"));
  }

  // How often the other rows are in a vector; `turned`: with their signs.
  struct OtherRows {
    double count = 0.0;
    double turned = 0.0;
  };
  [[nodiscard]] OtherRows others_in(std::size_t v, std::uint64_t place) const {
    OtherRows others;
    for (std::uint64_t i = 1; i <= vectors_[v].step; ++i) {
      const double present = has_common(i == place) ? vectors_[v].coefficients[i - 1] : 0.0;
      others.count += present;
      others.turned += present * signs_[i];
    }
    return others;
  }

  // Writes a vector's part of the views; returns sum shift * noise, the other rows taken out.
  double take(std::size_t v, const std::vector<Int128>& values, std::uint64_t place, std::span<double> numbers) {
    const PublishedVector& vector = vectors_[v];
    const OtherRows others = adaptive_ || place_is_chosen_ ? others_in(v, place) : fixed_others_[v];
    const double narrowing = 1.0 / vector.widening;
    const double weight = weight_of(v, place);
    double* single = single_numbers_ ? &numbers[1 + v * values.size()] : nullptr;
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool odd = i >= layout_.cross_begin() && i < layout_.target_square();  // x y changes its sign with x
      const double mean = (odd ? others.turned : others.count) * common_sums_[i];
      const double noise = (to_double(values[i]) * inverse_sigma_[i] - mean) * narrowing;
      sum += shift_[i] * noise;
      coordinate_sums_[i] += weight * noise;
      if (single != nullptr) single[i] = noise;
    }
    if (by_coordinate()) numbers[1 + v] = sum / shift_norm_;
    return sum;
  }

  privacy::MechanismRequest promise_;
  privacy::ReleaseLayout layout_;
  StreamSource source_;
  std::uint64_t place_;
  bool place_is_chosen_;
  bool adaptive_;
  std::uint64_t promised_steps_;
  NeighbourPair pair_;
  AuditRow common_;  // the row of all other steps, turned round where the adversary likes
  std::vector<std::string> others_;
  std::uint64_t steps_ = 0;
  std::vector<PublishedVector> vectors_;
  std::vector<double> inverse_sigma_;
  std::vector<double> common_sums_;
  std::vector<double> shift_;
  double shift_norm_ = 0.0;
  double evidence_at_middle_ = 0.0;
  double column_norm_ = 0.0;
  bool single_numbers_ = false;
  std::vector<View> views_;
  std::vector<double> signs_;
  std::vector<OtherRows> fixed_others_;  // where nothing is adaptive
  std::vector<double> row_;
  std::vector<std::size_t> watched_;     // coordinates with a number of their own
  std::vector<double> coordinate_sums_;  // of the noise, weighted as the likelihood ratio weighs vectors
  NoisyStep published_;
};

}  // namespace

std::unique_ptr<Experiment> make_kernel_experiment(const Configuration& configuration,
                                                   const privacy::MechanismPlan& plan, StreamSource source) {
  return std::make_unique<KernelExperiment>(configuration, plan, std::move(source));
}

}  // namespace rivulet::audit
