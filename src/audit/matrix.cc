#include "audit/matrix.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "privacy/calibration.h"
#include "rivulet/error.h"

namespace rivulet::audit {

std::string_view to_string(Surface surface) {
  switch (surface) {
    case Surface::kernel:
      return "kernel";
    case Surface::gradients:
      return "gradients";
    case Surface::statistics:
      return "statistics";
    case Surface::models:
      return "models";
    case Surface::binary:
      return "binary";
    case Surface::python:
      return "python";
  }
  throw Error("audit: no such surface");
}

Surface parse_surface(std::string_view word) {
  std::string accepted;
  for (const Surface surface :
       {Surface::kernel, Surface::gradients, Surface::statistics, Surface::models, Surface::binary, Surface::python}) {
    if (word == to_string(surface)) return surface;
    accepted += (accepted.empty() ? "" : ", ") + std::string(to_string(surface));
  }
  throw RequestError("looks-at", "'" + std::string(word) + "' is not accepted; accepted: " + accepted);
}

std::string_view to_string(Place place) {
  switch (place) {
    case Place::first:
      return "first";
    case Place::middle:
      return "middle";
    case Place::last:
      return "last";
    case Place::chosen:
      return "chosen";
  }
  throw Error("audit: no such place");
}

std::uint64_t Configuration::differing_step() const {
  switch (place) {
    case Place::first:
      return 1;
    case Place::middle:
      return (steps + 1) / 2;
    case Place::last:
    case Place::chosen:
      return steps;
  }
  throw Error("audit: no such place");
}

privacy::GradientRequest gradient_request(const Configuration& configuration) {
  privacy::GradientRequest request;
  request.budget = configuration.promise.budget;
  request.neighbours = configuration.promise.neighbours;
  request.dimension = configuration.promise.dimension;
  request.rows_per_step = configuration.promise.rows_per_step;
  request.most_sums = configuration.steps * configuration.parts;
  return request;
}

namespace {

constexpr PairKind kPairs[] = {PairKind::worst,  PairKind::opposite_labels, PairKind::orthogonal_rows,
                               PairKind::sparse, PairKind::outside,         PairKind::missing};
constexpr Place kPlaces[] = {Place::first, Place::middle, Place::last};

std::vector<PairKind> pairs_of(Neighbours neighbours, std::size_t dimension) {
  std::vector<PairKind> pairs;
  std::copy_if(std::begin(kPairs), std::end(kPairs), std::back_inserter(pairs),
               [&](PairKind pair) { return exists(pair, neighbours, dimension); });
  return pairs;
}

// A bound on mu is below the truth by about 11 / sqrt(trials) at the confidence of a full run: this many lose an eighth
// of it, unless the numbers to be drawn would take much longer than ten seconds.
std::uint64_t usual_trials(const Configuration& configuration) {
  constexpr double kMostNumbers = 6e8;
  const double mu = privacy::gaussian_mu(configuration.promise.budget);
  const double order = static_cast<double>(configuration.promise.dimension + 1);
  const double numbers = static_cast<double>(configuration.steps) * order * (order + 1.0);
  const double wanted = std::max(20000.0, std::pow(88.0 / mu, 2));
  return static_cast<std::uint64_t>(std::min(wanted, std::max(4000.0, kMostNumbers / (2.0 * numbers))));
}

// Each trial of a black box makes a whole regression, each of the binary a process.
std::uint64_t black_box_trials(const Configuration& configuration) {
  if (configuration.surface == Surface::binary) return 800;
  const double mu = privacy::gaussian_mu(configuration.promise.budget);
  return static_cast<std::uint64_t>(std::clamp(std::pow(30.0 / mu, 2), 2000.0, 12000.0));
}

Configuration configuration_for(const Budget& budget, StrategyKind strategy, Neighbours neighbours,
                                std::size_t dimension, Horizon horizon, std::uint64_t steps) {
  Configuration result;
  result.promise.budget = budget;
  result.promise.strategy.kind = strategy;
  result.promise.strategy.horizon = horizon;
  result.promise.neighbours = neighbours;
  result.promise.dimension = dimension;
  result.steps = steps;
  result.trials = usual_trials(result);
  return result;
}

class Matrix {
 public:
  explicit Matrix(const Choice& choice) : choice_(choice) {}

  std::vector<Configuration> take() { return std::move(configurations_); }

  void add(Configuration configuration, std::uint64_t trials = 0) {
    if (trials != 0) configuration.trials = trials;
    configurations_.push_back(configuration);
  }

  [[nodiscard]] Budget usual() const { return {choice_.epsilons[choice_.epsilons.size() / 2], choice_.delta}; }
  [[nodiscard]] Budget weakest() const {
    return {*std::max_element(choice_.epsilons.begin(), choice_.epsilons.end()), choice_.delta};
  }

  // Every strategy with every neighbours, epsilon and dimension; pairs, places and horizons take turns.
  void add_crossed(const std::vector<double>& epsilons, const std::vector<std::size_t>& dimensions) {
    std::size_t turn = 0;
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      for (std::size_t d = 0; d < dimensions.size(); ++d) {
        for (std::size_t n = 0; n < choice_.neighbours.size(); ++n) {
          for (std::size_t s = 0; s < choice_.strategies.size(); ++s, ++turn) {
            const StrategyKind strategy = choice_.strategies[s];
            const bool known = strategy == StrategyKind::tree || (e + d + s) % 2 == 0;
            Configuration configuration = configuration_for(
                {epsilons[e], choice_.delta}, strategy, choice_.neighbours[n], dimensions[d],
                known ? Horizon::known(8) : Horizon::unbounded(), known || dimensions[d] > 10 ? 8 : 16);
            const std::vector<PairKind> pairs = pairs_of(choice_.neighbours[n], dimensions[d]);
            configuration.pair = pairs[(turn + turn / 6 + e) % pairs.size()];
            configuration.place = kPlaces[(s + n + d + 2 * e) % 3];
            add(configuration);
          }
        }
      }
    }
  }

  // The other rows, or the place of the differing one, follow what was published.
  void add_adaptive(const Budget& budget) {
    for (const StrategyKind strategy : choice_.strategies) {
      for (const Neighbours neighbours : choice_.neighbours) {
        Configuration rows = configuration_for(budget, strategy, neighbours, 2, Horizon::known(8), 8);
        rows.adaptive = true;
        add(rows);
        Configuration chosen = rows;
        chosen.place = Place::chosen;
        add(chosen);
      }
    }
  }

  // One step, the worst pair, many trials: as near to the claim as counting gets.
  void add_tight(const std::vector<double>& epsilons, std::uint64_t trials) {
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      add(configuration_for({epsilons[e], choice_.delta}, choice_.strategies[e % choice_.strategies.size()],
                            choice_.neighbours[0], 2, Horizon::known(1), 1),
          trials);
    }
  }

  // A long stream without a horizon.
  void add_long(const Budget& budget) {
    for (const StrategyKind strategy : choice_.strategies) {
      const Horizon horizon = strategy == StrategyKind::tree ? Horizon::known(256) : Horizon::unbounded();
      add(configuration_for(budget, strategy, choice_.neighbours[0], 1, horizon, 256));
    }
  }

  void add_units(const Budget& budget) {
    for (const Neighbours neighbours : choice_.neighbours) {
      Configuration configuration =
          configuration_for(budget, choice_.strategies[0], neighbours, 2, Horizon::known(4), 4);
      configuration.promise.units = true;
      configuration.promise.rows_per_unit = 3;
      configuration.promise.rows_per_step = 6;
      add(configuration);
    }
  }

  // The literal constants of the paper, which are proved for epsilon <= 1 only.
  void add_paper() {
    const auto small =
        std::find_if(choice_.epsilons.rbegin(), choice_.epsilons.rend(), [](double e) { return e <= 1.0; });
    const bool tree = std::count(choice_.strategies.begin(), choice_.strategies.end(), StrategyKind::tree) > 0;
    if (small == choice_.epsilons.rend() || !tree) return;
    for (const Neighbours neighbours : choice_.neighbours) {
      Configuration configuration =
          configuration_for({*small, choice_.delta}, StrategyKind::tree, neighbours, 2, Horizon::known(8), 8);
      configuration.promise.profile = Profile::paper;
      add(configuration);
    }
  }

  void add_gradients(const Budget& budget, std::size_t dimension, std::uint64_t calls, std::uint64_t parts,
                     bool adaptive) {
    for (const Neighbours neighbours : choice_.neighbours) {
      Configuration configuration =
          configuration_for(budget, choice_.strategies[0], neighbours, dimension, Horizon::known(calls), calls);
      configuration.surface = Surface::gradients;
      configuration.parts = parts;
      configuration.adaptive = adaptive;
      add(configuration);
    }
  }

  void add_black_box(Surface surface, const Budget& budget, StrategyKind strategy, std::size_t dimension,
                     std::uint64_t steps, std::uint64_t trials = 0) {
    for (const Neighbours neighbours : choice_.neighbours) {
      Configuration configuration =
          configuration_for(budget, strategy, neighbours, dimension, Horizon::known(steps), steps);
      configuration.surface = surface;
      add(configuration, trials != 0 ? trials : black_box_trials(configuration));
      if (surface == Surface::binary) break;
    }
  }

 private:
  Choice choice_;
  std::vector<Configuration> configurations_;
};

}  // namespace

std::vector<Configuration> full_matrix(const Choice& choice) {
  Matrix matrix(choice);
  matrix.add_tight(choice.epsilons, 4'000'000);
  matrix.add_crossed(choice.epsilons, {1, 5, 20});
  matrix.add_adaptive(matrix.usual());
  matrix.add_long(matrix.weakest());
  matrix.add_units(matrix.usual());
  matrix.add_paper();
  matrix.add_gradients(matrix.usual(), 5, 4, 1, true);
  matrix.add_gradients(matrix.usual(), 5, 4, 2, false);
  matrix.add_gradients(matrix.weakest(), 20, 8, 1, true);
  const StrategyKind first = choice.strategies.front();
  const StrategyKind last = choice.strategies.back();
  matrix.add_black_box(Surface::statistics, matrix.usual(), first, 1, 4);
  matrix.add_black_box(Surface::models, matrix.weakest(), first, 1, 1);
  matrix.add_black_box(Surface::models, matrix.usual(), last, 5, 4);
  matrix.add_black_box(Surface::binary, matrix.weakest(), first, 1, 1);
  matrix.add_black_box(Surface::binary, matrix.weakest(), last, 2, 4);
  return matrix.take();
}

std::vector<Configuration> fast_matrix(const Choice& choice) {
  Matrix matrix(choice);
  const Budget weakest = matrix.weakest();
  matrix.add_tight({matrix.usual().epsilon, weakest.epsilon}, 150'000);
  matrix.add_crossed({weakest.epsilon}, {1, 5});
  matrix.add_adaptive(weakest);
  matrix.add_units(weakest);
  matrix.add_gradients(weakest, 5, 4, 1, true);
  matrix.add_black_box(Surface::models, weakest, choice.strategies.back(), 1, 2, 600);
  matrix.add_black_box(Surface::binary, weakest, choice.strategies.front(), 1, 1, 250);
  return matrix.take();
}

std::vector<Configuration> python_matrix(const Choice& choice, bool fast) {
  std::vector<Configuration> configurations;
  Matrix matrix(choice);
  std::size_t turn = 0;
  for (const char* door : {"observe", "observe_many", "learn_one", "partial_fit"}) {
    const Neighbours neighbours = choice.neighbours[turn++ % choice.neighbours.size()];
    // Rows that differ in x: what a later row takes of the one in question shows.
    const bool two_rows = exists(PairKind::orthogonal_rows, neighbours, 2);
    for (const PairKind pair : {two_rows ? PairKind::orthogonal_rows : PairKind::worst, PairKind::missing}) {
      Configuration configuration =
          configuration_for(matrix.weakest(), choice.strategies.front(), neighbours, 2, Horizon::known(1), 1);
      configuration.surface = Surface::python;
      configuration.door = door;
      configuration.pair = pair;
      if (!exists(pair, neighbours, 2)) continue;
      configuration.trials = fast ? 250 : 4000;
      configurations.push_back(configuration);
    }
  }
  return configurations;
}

std::vector<Configuration> matrix_of(const privacy::MechanismRequest& promise, std::uint64_t steps) {
  std::vector<Configuration> configurations;
  Configuration base;
  base.promise = promise;
  base.steps = steps;
  base.trials = usual_trials(base);
  for (const PairKind pair : pairs_of(promise.neighbours, promise.dimension)) {
    for (const Place place : kPlaces) {
      Configuration configuration = base;
      configuration.pair = pair;
      configuration.place = place;
      if (place == Place::first || configuration.differing_step() > 1) configurations.push_back(configuration);
    }
  }
  for (const Place place : {Place::first, Place::chosen}) {
    Configuration configuration = base;
    configuration.adaptive = true;
    configuration.place = place;
    if (steps > 1) configurations.push_back(configuration);
  }
  const bool small = promise.dimension <= 10 && steps * promise.dimension <= 80;
  if (!small || promise.units || promise.profile == Profile::paper) return configurations;
  for (const Surface surface : {Surface::models, Surface::binary}) {
    Configuration configuration = base;
    configuration.surface = surface;
    configuration.promise.rows_per_step = 1;  // their steps have rows of their own making, as many as it takes
    configuration.trials = black_box_trials(configuration);
    configurations.push_back(configuration);
  }
  return configurations;
}

}  // namespace rivulet::audit
