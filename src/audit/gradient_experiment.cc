#include <algorithm>
#include <cmath>
#include <utility>

#include "audit/white_box.h"
#include "privacy/erm_schedule.h"
#include "rivulet/error.h"

namespace rivulet::audit {
namespace {

class GradientExperiment final : public Experiment {
 public:
  GradientExperiment(const Configuration& configuration, const privacy::GradientPlan& plan, HistorySource source)
      : dimension_(configuration.promise.dimension),
        calls_(configuration.steps),
        parts_(configuration.parts),
        place_(configuration.differing_step()),
        adaptive_(configuration.adaptive),
        price_(privacy::ErmSchedule::even(plan.mu(), calls_).mu(calls_)),
        unit_(1.0 / (plan.lattice_unit(1.0) * plan.sigma_for(price_))),
        inverse_sigma_(1.0 / plan.sigma_for(price_)),
        source_(std::move(source)),
        pair_(make_pair(configuration.pair, configuration.promise.neighbours, dimension_, 1.0)) {
    if (parts_ < 1) throw RequestError("parts", "0 is not accepted; accepted: 1 or more");
    if (configuration.place == Place::chosen)
      throw RequestError("place", "gradients are attacked at a fixed step only");
    const AuditRow first = bounded(pair_.first);
    const AuditRow second = bounded(pair_.second);
    View learnt{"learnt, every number", calls_ * parts_ * dimension_, {}, true};
    for (std::uint64_t sum = 0; sum < calls_ * parts_; ++sum) {
      const bool inside = sum / parts_ + 1 >= place_ && (place_ - 1) % parts_ == sum % parts_;
      for (std::size_t i = 0; i < dimension_; ++i) {
        learnt.shift.push_back(inside ? unit_ * (first.y * first.x[i] - second.y * second.x[i]) : 0.0);
      }
    }
    views_ = {{"likelihood ratio", 1, {1.0}, false}, learnt};
  }

  [[nodiscard]] const std::vector<View>& views() const override { return views_; }

  void run(bool second, std::span<double> numbers) override {
    const std::unique_ptr<AuditedHistory> history = source_();
    std::vector<double> theta(dimension_, 0.0);
    std::vector<double> others(parts_ * dimension_, 0.0);  // what the other rows add to each part
    std::vector<double> row(dimension_);
    double likelihood_ratio = 0.0;
    std::size_t next = 0;
    std::uint64_t turn = 0;  // the part that the next row belongs to
    for (std::uint64_t call = 1; call <= calls_; ++call) {
      if (call == place_) {
        const AuditRow& differing = second ? pair_.second : pair_.first;
        history->observe(differing.x, differing.y);
      } else {
        // The adversary's label follows the evidence so far.
        const double label = adaptive_ && likelihood_ratio < 0.0 ? -1.0 : 1.0;
        std::fill(row.begin(), row.end(), 0.8 / std::sqrt(static_cast<double>(dimension_)));
        history->observe(row, label);
        double* part = &others[turn * dimension_];
        for (std::size_t i = 0; i < dimension_; ++i) part[i] -= label * row[i];
      }
      history->close_step();
      turn = turn + 1 < parts_ ? turn + 1 : 0;
      for (std::uint64_t part = 0; part < parts_; ++part) {
        history->noisy_gradient(theta, price_, sum_, part, parts_);
        for (std::size_t i = 0; i < dimension_; ++i, ++next) {
          const double noise =
              static_cast<double>(sum_.values[i]) * inverse_sigma_ - unit_ * others[part * dimension_ + i];
          numbers[1 + next] = noise;
          likelihood_ratio += views_[1].shift[next] * noise;
        }
      }
      if (adaptive_) choose(theta);
    }
    numbers[0] = likelihood_ratio;
  }

 private:
  // Where the last noisy sum points, short enough that every row keeps its full gradient.
  void choose(std::vector<double>& theta) const {
    double squares = 0.0;
    for (std::size_t i = 0; i < dimension_; ++i) {
      theta[i] = static_cast<double>(sum_.values[i]);
      squares += theta[i] * theta[i];
    }
    const double factor = squares > 0.0 ? 0.9 / std::sqrt(squares) : 0.0;
    for (double& value : theta) value *= factor;
  }

  std::size_t dimension_;
  std::uint64_t calls_;
  std::uint64_t parts_;
  std::uint64_t place_;
  bool adaptive_;
  double price_;  // mu of one call
  double unit_;   // of a gradient, in units of the noise
  double inverse_sigma_;
  HistorySource source_;
  NeighbourPair pair_;
  std::vector<View> views_;
  NoisyGradient sum_;
};

}  // namespace

std::unique_ptr<Experiment> make_gradient_experiment(const Configuration& configuration,
                                                     const privacy::GradientPlan& plan, HistorySource source) {
  return std::make_unique<GradientExperiment>(configuration, plan, std::move(source));
}

}  // namespace rivulet::audit
