#include <algorithm>

#include "audit/black_box.h"
#include "rivulet/incremental_regression.h"

namespace rivulet::audit {
namespace {

constexpr std::uint64_t kAnchorsPerAxis = 100;

class ModelExperiment final : public Experiment {
 public:
  explicit ModelExperiment(const Configuration& configuration)
      : options_(stream_options(configuration)),
        steps_(configuration.steps),
        statistics_(configuration.surface == Surface::statistics) {
    for (const bool second : {false, true}) {
      for (std::uint64_t step = 1; step <= steps_; ++step) {
        const std::vector<AuditRow> rows = anchored_rows(configuration, step, second);
        (second ? second_ : first_).insert((second ? second_ : first_).end(), rows.begin(), rows.end());
      }
    }
    const std::size_t d = configuration.promise.dimension;
    const std::size_t released = statistics_ ? (d + 1) * (d + 2) / 2 : d;
    views_ = {{statistics_ ? "learnt, statistics" : "learnt, models", released * steps_, {}, true}};
  }

  [[nodiscard]] const std::vector<View>& views() const override { return views_; }

  void run(bool second, std::span<double> numbers) override {
    IncrementalRegression regression(options_);
    std::size_t next = 0;
    for (const AuditRow& row : second ? second_ : first_) {
      if (!regression.observe(row.x, row.y)) continue;
      if (!statistics_) {
        for (const double theta : regression.model().theta) numbers[next++] = theta;
        continue;
      }
      const Statistics statistics = regression.statistics();
      const std::size_t d = statistics.dimension;
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = i; j < d; ++j) numbers[next++] = statistics.gram[i * d + j];
        numbers[next++] = statistics.cross[i];
      }
      numbers[next++] = statistics.target_square;
    }
  }

 private:
  StreamOptions options_;
  std::uint64_t steps_;
  bool statistics_;
  std::vector<AuditRow> first_;
  std::vector<AuditRow> second_;
  std::vector<View> views_;
};

}  // namespace

std::uint64_t anchored_step_rows(const Configuration& configuration) {
  return kAnchorsPerAxis * configuration.promise.dimension + 1;
}

StreamOptions stream_options(const Configuration& configuration) {
  const privacy::MechanismRequest& promise = configuration.promise;
  StreamOptions options;
  options.budget = promise.budget;
  options.schema = Schema::unit_ball(promise.dimension);
  options.neighbours = promise.neighbours;
  options.profile = promise.profile;
  options.horizon = promise.strategy.horizon;
  options.strategy = promise.strategy.kind;
  options.release_every = anchored_step_rows(configuration);
  options.constraint = "l2:1";
  return options;
}

std::vector<AuditRow> anchored_rows(const Configuration& configuration, std::uint64_t step, bool second) {
  const std::size_t d = configuration.promise.dimension;
  std::vector<AuditRow> rows;
  for (std::size_t axis = 0; axis < d; ++axis) {
    AuditRow anchor{std::vector<double>(d, 0.0), 0.0};
    anchor.x[axis] = 1.0;
    rows.insert(rows.end(), kAnchorsPerAxis, anchor);
  }
  if (step == configuration.differing_step()) {
    const NeighbourPair pair = make_pair(configuration.pair, configuration.promise.neighbours, d, 1.0);
    rows.push_back(second ? pair.second : pair.first);
  } else {
    rows.push_back({std::vector<double>(d, 0.0), 0.0});
  }
  return rows;
}

std::unique_ptr<Experiment> make_model_experiment(const Configuration& configuration) {
  return std::make_unique<ModelExperiment>(configuration);
}

}  // namespace rivulet::audit
