#include "audit/distinguisher.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/distributions.h"
#include "privacy/calibration.h"

namespace rivulet::audit {

double epsilon_at_least(const ErrorRates& rates, double delta) {
  const auto one_way = [&](double wrong, double missed) {
    const double right = 1.0 - missed - delta;
    return right > 0.0 && wrong > 0.0 ? std::log(right / wrong) : 0.0;
  };
  return std::max({0.0, one_way(rates.false_alarm, rates.miss), one_way(rates.miss, rates.false_alarm)});
}

double mu_at_least(const ErrorRates& rates) {
  const bool says_nothing =
      rates.false_alarm <= 0.0 || rates.false_alarm >= 1.0 || rates.miss <= 0.0 || rates.miss >= 1.0;
  if (says_nothing) return 0.0;
  return std::max(0.0, -standard_normal_quantile(rates.false_alarm) - standard_normal_quantile(rates.miss));
}

double epsilon_of_gaussian(double mu, double delta) {
  if (mu <= 0.0 || privacy::gaussian_delta(mu, 0.0) <= delta) return 0.0;
  double low = 0.0;
  double high = 1.0;
  while (privacy::gaussian_delta(mu, high) > delta && high < 1e6) high *= 2.0;
  for (int i = 0; i < 200 && high - low > 1e-10 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (privacy::gaussian_delta(mu, middle) > delta ? low : high) = middle;
  }
  return low;
}

namespace {

using TrialMatrix = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Below this share of a number's own variance there is no noise, only rounding.
constexpr double kNoNoise = 1e-9;

TrialMatrix as_matrix(const std::vector<double>& trials, std::size_t size) {
  return {trials.data(), static_cast<Eigen::Index>(trials.size() / size), static_cast<Eigen::Index>(size)};
}

Eigen::MatrixXd scatter(const TrialMatrix& trials) {
  const Eigen::MatrixXd centred = trials.rowwise() - trials.colwise().mean();
  return centred.transpose() * centred;
}

}  // namespace

std::vector<double> discriminant(const View& view, const ViewTrials& trials) {
  if (!view.learn_noise) return view.shift;
  const TrialMatrix first = as_matrix(trials.first, view.size);
  const TrialMatrix second = as_matrix(trials.second, view.size);
  Eigen::VectorXd shift = (second.colwise().mean() - first.colwise().mean()).transpose();
  if (!view.shift.empty()) shift = Eigen::Map<const Eigen::VectorXd>(view.shift.data(), shift.size());
  Eigen::MatrixXd noise = (scatter(first) + scatter(second)) / static_cast<double>(first.rows() + second.rows() - 2);

  // In units of each number's own noise. One without any is measured by its shift, and keeps a variance of 0.
  Eigen::VectorXd unit = noise.diagonal().cwiseSqrt();
  for (Eigen::Index i = 0; i < unit.size(); ++i) {
    if (unit(i) == 0.0) unit(i) = shift(i) != 0.0 ? std::abs(shift(i)) : 1.0;
  }
  const Eigen::VectorXd inverse_unit = unit.cwiseInverse();
  noise = inverse_unit.asDiagonal() * noise * inverse_unit.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions(noise);
  const Eigen::VectorXd variances = directions.eigenvalues().cwiseMax(kNoNoise);
  const Eigen::VectorXd along = directions.eigenvectors().transpose() * inverse_unit.cwiseProduct(shift);
  const Eigen::VectorXd weights = inverse_unit.cwiseProduct(directions.eigenvectors() * along.cwiseQuotient(variances));
  return {weights.data(), weights.data() + weights.size()};
}

double score(std::span<const double> weights, std::span<const double> numbers) {
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * numbers[i];
  return sum;
}

namespace {

constexpr std::uint64_t kTrialsBetweenLooks = 256;
constexpr std::uint64_t kMostLearning = 10000;

// An attack has one for each question: which mu, and which epsilon when the second stream makes something likelier, or
// the first does.
constexpr std::size_t kCutoffs = 3;

struct Errors {
  std::uint64_t false_alarms = 0;
  std::uint64_t misses = 0;
};

struct Attack {
  std::string name;
  std::size_t begin = 0;  // of its view among the numbers
  std::vector<double> weights;
  std::array<double, kCutoffs> cutoffs{};
  std::array<Errors, kCutoffs> errors{};
};

// About what largest_probability() will say at n trials when the rate is `rate`; only chooses cutoffs.
double foreseen(double rate, double n, double z) {
  const double square = z * z;
  return std::min(1.0, (rate + square / (2.0 * n) + z * std::sqrt(rate * (1.0 - rate) / n + square / (4.0 * n * n))) /
                           (1.0 + square / n));
}

// Midpoints between neighbours in rank, dense towards both ends.
std::vector<std::pair<std::size_t, double>> candidates(const std::vector<double>& sorted) {
  std::vector<std::pair<std::size_t, double>> found;
  const auto add = [&](std::size_t rank) {
    if (rank >= 1 && rank < sorted.size()) found.emplace_back(rank, 0.5 * (sorted[rank - 1] + sorted[rank]));
  };
  const std::size_t half = sorted.size() / 2;
  for (std::size_t rank = 1; rank < half; rank += std::max<std::size_t>(1, rank / 12)) {
    add(rank);
    add(sorted.size() - rank);
  }
  add(half);
  return found;
}

// Scores in the part that fixes cutoffs.
struct Scores {
  std::vector<double> first;
  std::vector<double> second;
};

void fix_cutoffs(Attack& attack, Scores& scores, const TestPlan& plan, double alpha) {
  std::sort(scores.first.begin(), scores.first.end());
  std::sort(scores.second.begin(), scores.second.end());
  std::vector<double> all = scores.first;
  all.insert(all.end(), scores.second.begin(), scores.second.end());
  std::sort(all.begin(), all.end());

  const double n = static_cast<double>(plan.trials);
  const double seen = static_cast<double>(scores.first.size());
  const double z = std::sqrt(-2.0 * std::log(alpha));
  std::array<double, kCutoffs> best;
  best.fill(-3.0);
  for (const auto& [rank, cutoff] : candidates(all)) {
    const auto above = [&](const std::vector<double>& sorted, double value) {
      return static_cast<double>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), value));
    };
    const double false_alarms = above(scores.first, cutoff);
    const double misses = seen - above(scores.second, cutoff);
    const auto rates_at = [&](double count) {
      return ErrorRates{foreseen(false_alarms / seen, count, z), foreseen(misses / seen, count, z)};
    };
    // The best cutoff for mu lies between the streams and is shallow: rates as uncertain as they are keep chance from
    // drawing it outward. Where not even mu > 0 is in sight, the fewest errors decide.
    const double mu = mu_at_least(rates_at(seen));
    const ErrorRates rates = rates_at(n);
    const std::array<double, kCutoffs> values{mu > 0.0 ? mu : -(false_alarms + misses) / seen,
                                              (1.0 - rates.miss - plan.delta) / rates.false_alarm,
                                              (1.0 - rates.false_alarm - plan.delta) / rates.miss};
    for (std::size_t q = 0; q < kCutoffs; ++q) {
      if (values[q] <= best[q]) continue;
      best[q] = values[q];
      attack.cutoffs[q] = cutoff;
    }
  }
}

class Trials {
 public:
  Trials(Experiment& experiment, const KeepGoing& keep_going, std::uint64_t total)
      : experiment_(experiment), keep_going_(keep_going), total_(total) {
    std::size_t size = 0;
    for (const View& view : experiment.views()) size += view.size;
    numbers_.resize(size);
  }

  // `count` of each stream, in turn. False when stopped.
  template <typename Take>
  bool run(std::uint64_t count, Take take) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (done_++ % kTrialsBetweenLooks == 0 &&
          !keep_going_(static_cast<double>(done_ - 1) / static_cast<double>(total_))) {
        return false;
      }
      for (const bool second : {false, true}) {
        experiment_.run(second, numbers_);
        take(second, std::span<const double>(numbers_));
      }
    }
    return true;
  }

 private:
  Experiment& experiment_;
  const KeepGoing& keep_going_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::vector<double> numbers_;
};

double evidence(const Attack& attack, std::span<const double> numbers) {
  return score(attack.weights, numbers.subspan(attack.begin, attack.weights.size()));
}

}  // namespace

std::optional<Measurement> distinguish(Experiment& experiment, const TestPlan& plan, const KeepGoing& keep_going) {
  const std::vector<View>& views = experiment.views();
  std::uint64_t learning = 0;
  for (const View& view : views) {
    if (view.learn_noise) {
      learning = std::max({learning, std::uint64_t{8} * view.size, std::min(plan.trials / 5, kMostLearning)});
    }
  }
  const std::uint64_t fixing = std::max<std::uint64_t>(plan.trials / 5, 50);
  Trials trials(experiment, keep_going, learning + fixing + plan.trials);

  std::vector<ViewTrials> learnt(views.size());
  const auto keep = [&](bool second, std::span<const double> numbers) {
    std::size_t begin = 0;
    for (std::size_t v = 0; v < views.size(); ++v) {
      const auto part = numbers.subspan(begin, views[v].size);
      std::vector<double>& kept = second ? learnt[v].second : learnt[v].first;
      if (views[v].learn_noise) kept.insert(kept.end(), part.begin(), part.end());
      begin += views[v].size;
    }
  };
  if (!trials.run(learning, keep)) return std::nullopt;
  std::vector<Attack> attacks;
  std::size_t begin = 0;
  for (std::size_t v = 0; v < views.size(); ++v) {
    attacks.push_back({views[v].attack, begin, discriminant(views[v], learnt[v]), {}, {}});
    begin += views[v].size;
  }

  std::vector<Scores> scores(attacks.size());
  const auto weigh = [&](bool second, std::span<const double> numbers) {
    for (std::size_t a = 0; a < attacks.size(); ++a) {
      (second ? scores[a].second : scores[a].first).push_back(evidence(attacks[a], numbers));
    }
  };
  if (!trials.run(fixing, weigh)) return std::nullopt;
  const double alpha = plan.alpha / static_cast<double>(attacks.size() * kCutoffs * 2);
  for (std::size_t a = 0; a < attacks.size(); ++a) fix_cutoffs(attacks[a], scores[a], plan, alpha);

  const auto count = [&](bool second, std::span<const double> numbers) {
    for (Attack& attack : attacks) {
      const double value = evidence(attack, numbers);
      for (std::size_t q = 0; q < kCutoffs; ++q) {
        const bool says_second = value > attack.cutoffs[q];
        attack.errors[q].false_alarms += !second && says_second ? 1 : 0;
        attack.errors[q].misses += second && !says_second ? 1 : 0;
      }
    }
  };
  if (!trials.run(plan.trials, count)) return std::nullopt;

  Measurement result;
  result.trials = plan.trials;
  for (const Attack& attack : attacks) {
    for (const Errors& errors : attack.errors) {
      const ErrorRates rates{largest_probability(errors.false_alarms, plan.trials, alpha),
                             largest_probability(errors.misses, plan.trials, alpha)};
      if (const double epsilon = epsilon_at_least(rates, plan.delta); epsilon > result.epsilon) {
        result.epsilon = epsilon;
        result.epsilon_attack = attack.name;
      }
      if (const double mu = mu_at_least(rates); mu > result.mu) {
        result.mu = mu;
        result.mu_attack = attack.name;
      }
    }
  }
  return result;
}

}  // namespace rivulet::audit
