#include "erm_measure.h"

#include <cmath>
#include <memory>
#include <random>

#include "erm/erm_plan.h"
#include "rivulet/priv_inc_reg1.h"
#include "solve/default_solver.h"
#include "synthetic_stream.h"

namespace rivulet::experiments {
namespace {

constexpr double kHardRadius = 0.9;

PrivIncErm::Options options_for(const ErmSetting& setting) {
  PrivIncErm::Options options;
  options.budget = setting.budget;
  options.schema = Schema::unit_ball(setting.dimension);
  options.loss = make_squared_loss();
  options.constraint = "l2:1";
  options.horizon = Horizon::known(setting.rows);
  options.mechanism = setting.mechanism;
  options.method = PrivIncErm::Method::gradient_descent;
  options.rule = setting.rule;
  options.profile = setting.profile;
  options.averaged = setting.averaged;
  options.ridge = setting.ridge;
  options.insecure_seed = setting.seed;
  return options;
}

IsotropicStream stream_for(const ErmSetting& setting) {
  return {setting.dimension, 0.8, 0.1, setting.seed};
}

// Theorem 3.1, the part that belongs to the rule; the naive mechanism is a batch solver with budget for T calls.
double theorem(const PrivIncErm& erm, const ErmSetting& setting) {
  const ConstraintSet& set = erm.plan().set();
  const ErmObjective objective(erm.options().loss, setting.ridge);
  const double rows = static_cast<double>(setting.rows);
  const double dimension = static_cast<double>(setting.dimension);
  const double epsilon = setting.budget.epsilon;
  const double scale = objective.lipschitz(set) * set.diameter();
  const double log_term = std::log(1.0 / setting.budget.delta);
  if (setting.mechanism == PrivIncErm::Mechanism::naive) {
    return std::sqrt(rows * dimension) * scale * std::pow(log_term, 2.5) / epsilon;
  }
  switch (setting.rule) {
    case PrivIncErm::TauRule::strongly_convex:
      return std::sqrt(dimension / setting.ridge) * std::pow(objective.lipschitz(set), 1.5) *
             std::sqrt(set.diameter()) * std::pow(log_term, 4.0) / epsilon;
    case PrivIncErm::TauRule::width:
      return std::sqrt(rows * set.gaussian_width() / epsilon) * std::pow(objective.curvature(set), 0.25) *
             std::pow(scale, 0.75) * std::pow(log_term, 7.0 / 3.0);
    default:
      return std::cbrt(rows * dimension) * scale * std::pow(log_term, 2.5) / std::pow(epsilon, 2.0 / 3.0);
  }
}

double terms(const PrivIncErm& erm, const ErmSetting& setting) {
  const ConstraintSet& set = erm.plan().set();
  const std::uint64_t tau = *erm.options().tau;
  const auto call = erm.plan().call_at(erm.calls() * tau, erm.calls() * tau);
  if (!call) return 0.0;
  const double lipschitz = ErmObjective(erm.options().loss, setting.ridge).lipschitz(set);
  return set.gaussian_width() * erm.plan().noise(call->mu) +
         2.0 * static_cast<double>(tau) * lipschitz * set.diameter();
}

// Sums of the stream as statistics without noise, and their exact minimiser with the ridge's share.
class RidgeRisk {
 public:
  RidgeRisk(std::size_t dimension, double ridge)
      : dimension_(dimension), ridge_(ridge), gram_(dimension * dimension, 0.0), cross_(dimension, 0.0) {}

  void observe(const SyntheticRow& row) {
    rows_ += 1.0;
    for (std::size_t i = 0; i < dimension_; ++i) {
      cross_[i] += row.x[i] * row.y;
      for (std::size_t j = 0; j < dimension_; ++j) gram_[i * dimension_ + j] += row.x[i] * row.x[j];
    }
  }
  // J(theta) - min J, J = sum (y - <x, theta>)^2 + rows (ridge / 2) ||theta||^2.
  [[nodiscard]] double excess(std::span<const double> theta) const {
    std::vector<double> gram = gram_;
    for (std::size_t i = 0; i < dimension_; ++i) gram[i * dimension_ + i] += 0.5 * ridge_ * rows_;
    const solve::Quadratic quadratic{dimension_, gram, cross_};
    solve::DefaultSolver solver(make_l2_ball(dimension_, 1.0));
    return quadratic.value(theta) - quadratic.value(solver.solve(quadratic, NoiseLevel{}));
  }

 private:
  std::size_t dimension_;
  double ridge_;
  double rows_ = 0.0;
  std::vector<double> gram_;
  std::vector<double> cross_;
};

}  // namespace

ErmOutcome measure_regression(const ErmSetting& setting) {
  PrivIncErm erm(options_for(setting));
  RidgeRisk exact(setting.dimension, setting.ridge);
  IsotropicStream stream = stream_for(setting);
  for (std::uint64_t i = 0; i < setting.rows; ++i) {
    const SyntheticRow& row = stream.next();
    exact.observe(row);
    erm.observe(row.x, row.y);
  }
  return {.excess = exact.excess(erm.model().theta),
          .trivial = exact.excess(std::vector<double>(setting.dimension, 0.0)),
          .terms = terms(erm, setting),
          .theorem = theorem(erm, setting),
          .tau = *erm.options().tau,
          .calls = erm.calls()};
}

ErmOutcome measure_priv_inc_reg1(const ErmSetting& setting) {
  StreamOptions options;
  options.budget = setting.budget;
  options.schema = Schema::unit_ball(setting.dimension);
  options.constraint = "l2:1";
  options.horizon = Horizon::known(setting.rows);
  options.insecure_seed = setting.seed;
  PrivIncReg1 regression(options);
  RidgeRisk exact(setting.dimension, 0.0);
  IsotropicStream stream = stream_for(setting);
  for (std::uint64_t i = 0; i < setting.rows; ++i) {
    const SyntheticRow& row = stream.next();
    exact.observe(row);
    regression.observe(row.x, row.y);
  }
  return {.excess = exact.excess(regression.model().theta),
          .trivial = exact.excess(std::vector<double>(setting.dimension, 0.0)),
          .terms = 0.0,
          .theorem = std::sqrt(static_cast<double>(setting.dimension) * std::log(1.0 / setting.budget.delta)) /
                     setting.budget.epsilon,
          .tau = 1,
          .calls = setting.rows};
}

ErmOutcome measure_hard_stream(const ErmSetting& setting) {
  PrivIncErm::Options options = options_for(setting);
  options.schema = Schema();
  options.schema.intercept(false).clip_norm(1.0);
  for (std::size_t i = 0; i < setting.dimension; ++i) options.schema.feature("x" + std::to_string(i + 1), {-1, 1});
  options.schema.classes("y", -1, 1);
  options.loss = make_hinge_loss();
  options.constraint = "l2:" + std::to_string(kHardRadius);
  PrivIncErm erm(options);

  // Rows u and -u, u a corner of the cube, in long runs: G goes up to the length of a call's noise, down to minus that
  // and up again, and is at its height when the stream ends. Rows change it as fast as rows can.
  std::mt19937_64 random(setting.seed);
  std::vector<double> corner(setting.dimension);
  for (double& entry : corner) {
    entry = (random() % 2 == 0 ? 1.0 : -1.0) / std::sqrt(static_cast<double>(setting.dimension));
  }
  const auto call = erm.plan().call_at(*erm.options().tau, *erm.options().tau);
  const double noise = std::sqrt(static_cast<double>(setting.dimension)) * erm.plan().noise(call->mu);
  const auto height = static_cast<std::uint64_t>(noise);
  const std::uint64_t runs = (setting.rows - height) / (2 * height);
  const std::uint64_t lead = setting.rows - 2 * height * runs;
  double sum = 0.0;
  for (std::uint64_t i = 0; i < setting.rows; ++i) {
    bool up = i % 2 == 0;                                                // going nowhere
    if (i + height >= lead) up = runs % 2 == 0;                          // to the first height
    if (i >= lead) up = (setting.rows - 1 - i) / (2 * height) % 2 == 0;  // from height to height
    const double y = up ? 1.0 : -1.0;
    sum += y;
    erm.observe(corner, y);
  }
  double along = 0.0;
  const Model model = erm.model();
  for (std::size_t i = 0; i < setting.dimension; ++i) along += corner[i] * model.theta[i];
  return {.excess = std::abs(sum) * kHardRadius - sum * along,
          .trivial = std::abs(sum) * kHardRadius,
          .terms = terms(erm, setting),
          .theorem = theorem(erm, setting),
          .tau = *erm.options().tau,
          .calls = erm.calls()};
}

ErmOutcome mean_outcome(const std::function<ErmOutcome(const ErmSetting&)>& measure, ErmSetting setting, int streams) {
  ErmOutcome mean;
  for (int stream = 1; stream <= streams; ++stream) {
    setting.seed = static_cast<std::uint64_t>(stream);
    const double excess = mean.excess;
    const double trivial = mean.trivial;
    mean = measure(setting);
    mean.excess = excess + mean.excess / streams;
    mean.trivial = trivial + mean.trivial / streams;
  }
  return mean;
}

}  // namespace rivulet::experiments
