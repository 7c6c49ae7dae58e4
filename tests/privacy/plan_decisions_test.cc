// A stream that goes on later goes on with the noise it began with: decisions describe a plan completely, and decisions
// that were tampered with never make a plan with less noise than the accounting demands.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "privacy/calibration.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Strategies, horizons, budgets, dimensions, neighbours, units, step sizes, set sizes and the paper's profile.
std::vector<MechanismRequest> grid() {
  std::vector<MechanismRequest> requests;
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    for (const std::uint64_t horizon : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{100000}}) {
      if (kind == StrategyKind::tree && horizon == 0) continue;
      for (const Budget budget : {Budget{1.0, 1e-6}, Budget{0.05, 1e-9}, Budget{8.0, 1e-5}}) {
        for (const std::size_t dimension : {1U, 12U, 300U}) {
          for (const std::uint64_t rows_per_unit : {0U, 1U, 5U}) {
            MechanismRequest request;
            request.budget = budget;
            request.strategy.kind = kind;
            request.strategy.horizon = horizon == 0 ? Horizon::unbounded() : Horizon::known(horizon);
            request.dimension = dimension;
            request.units = rows_per_unit != 0;
            request.rows_per_unit = std::max<std::uint64_t>(rows_per_unit, 1);
            request.neighbours = dimension == 12 ? Neighbours::zero_out : Neighbours::replace;
            request.rows_per_step = dimension == 1 ? 1 : std::uint64_t{1} << 25;
            request.diameter = dimension == 300 ? 0.2 : 2.0;
            requests.push_back(request);
          }
        }
      }
    }
  }
  MechanismRequest paper = requests.front();
  paper.profile = Profile::paper;
  paper.strategy.kind = StrategyKind::tree;
  paper.strategy.horizon = Horizon::known(1000);
  requests.push_back(paper);
  paper.units = true;
  paper.rows_per_unit = 2;
  requests.push_back(paper);
  MechanismRequest buffers = requests.front();
  buffers.strategy.buffers = 3;
  requests.push_back(buffers);
  return requests;
}

// Every accessor, as one list of numbers.
std::vector<double> all_of(const MechanismPlan& plan) {
  std::vector<double> all{static_cast<double>(plan.limits().bits),
                          static_cast<double>(plan.limits().target_limit),
                          static_cast<double>(plan.layout().size()),
                          static_cast<double>(plan.noise_bits()),
                          static_cast<double>(plan.last_step()),
                          plan.sigmas().gram_diagonal,
                          plan.sigmas().gram_offdiagonal,
                          plan.sigmas().cross,
                          plan.sigmas().target_square,
                          plan.mu(),
                          plan.l2_sensitivity(),
                          plan.rounding_share(),
                          plan.charge().epsilon,
                          plan.charge().delta,
                          plan.charge().bound,
                          plan.lattice_unit(),
                          plan.strategy().norm(),
                          plan.strategy().rounding_width(),
                          plan.strategy().published_vectors()};
  for (const std::uint64_t step : {1U, 2U, 5U}) {
    const NoiseLevel noise = plan.noise_at(step);
    all.insert(all.end(),
               {noise.gram_diagonal, noise.gram_offdiagonal, noise.cross, plan.strategy().decoder_norm(step)});
  }
  return all;
}

TEST(PlanDecisions, MakeThePlanTheyWereTakenFrom) {
  for (const MechanismRequest& request : grid()) {
    const MechanismPlan plan(request);
    const PlanDecisions decisions = plan.decisions();
    const MechanismPlan again(request, decisions);
    EXPECT_EQ(all_of(plan), all_of(again));
    EXPECT_EQ(again.request().rows_per_unit, request.rows_per_unit);
    const PlanDecisions twice = again.decisions();
    EXPECT_EQ(decisions.design.theta_gap_numerators, twice.design.theta_gap_numerators);
    EXPECT_EQ(decisions.design.omega_numerators, twice.design.omega_numerators);
    EXPECT_EQ(decisions.design.inverse_gaps, twice.design.inverse_gaps);
  }
}

// Refused, and in the words for a request.
bool refused(const MechanismRequest& request, const PlanDecisions& decisions) {
  try {
    const MechanismPlan plan(request, decisions);
  } catch (const RequestError& error) {
    return !error.field().empty();
  }
  return false;
}

using Tampering = std::function<void(PlanDecisions&)>;

std::vector<Tampering> tamperings() {
  std::vector<Tampering> all;
  const std::vector<double BlockSigmas::*> blocks{&BlockSigmas::gram_diagonal, &BlockSigmas::gram_offdiagonal,
                                                  &BlockSigmas::cross, &BlockSigmas::target_square};
  for (const auto block : blocks) {
    // Profile `paper` has no sum of y^2 and no noise for it: that zero is tampered with by a value.
    for (const double factor : {0.0, 0.5, 0.999, 1.0 - 1e-11, 1.0 + 1e-8, 1.001, 2.0, -1.0}) {
      all.push_back(
          [=](PlanDecisions& d) { d.sigmas.*block = d.sigmas.*block == 0.0 ? 1e9 : d.sigmas.*block * factor; });
    }
    for (const double value : {kNan, kInf, -kInf, -1.0}) {
      all.push_back([=](PlanDecisions& d) { d.sigmas.*block = value; });
    }
  }
  all.push_back([](PlanDecisions& d) { d.sigmas = {}; });
  for (const unsigned change : {1U, 2U, ~0U, ~0U - 1}) {  // up and, modulo 2^32, down
    all.push_back([=](PlanDecisions& d) { d.noise_bits += change; });
    all.push_back([=](PlanDecisions& d) { d.bits += change; });
  }
  all.push_back([](PlanDecisions& d) { d.bits = 0; });
  all.push_back([](PlanDecisions& d) { d.bits = 63; });
  all.push_back([](PlanDecisions& d) { d.noise_bits = 200; });
  for (const std::int64_t change : {-1, 1, 1000}) all.push_back([=](PlanDecisions& d) { d.target_limit += change; });
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min()}) {
    all.push_back([=](PlanDecisions& d) { d.target_limit = value; });
  }
  all.push_back([](PlanDecisions& d) { d.last_step += 1; });
  all.push_back([](PlanDecisions& d) { d.last_step *= 2; });
  all.push_back([](PlanDecisions& d) { d.last_step = ~std::uint64_t{0}; });
  all.push_back([](PlanDecisions& d) { d.last_step = 0; });
  return all;
}

std::vector<Tampering> blt_tamperings() {
  std::vector<Tampering> all;
  for (auto list : {&strategy::Design::theta_gap_numerators, &strategy::Design::omega_numerators}) {
    all.push_back([=](PlanDecisions& d) { (d.design.*list).clear(); });
    all.push_back([=](PlanDecisions& d) { (d.design.*list).pop_back(); });
    all.push_back([=](PlanDecisions& d) { (d.design.*list).push_back(1); });
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()}) {
      all.push_back([=](PlanDecisions& d) { (d.design.*list).front() = value; });
      all.push_back([=](PlanDecisions& d) { (d.design.*list).back() = value; });
    }
    for (const double factor : {0.5, 0.999, 1.0 - 1e-6, 1.0 + 1e-6, 1.001}) {
      all.push_back([=](PlanDecisions& d) {
        for (auto& numerator : d.design.*list)
          numerator = static_cast<std::int64_t>(static_cast<double>(numerator) * factor);
      });
      all.push_back([=](PlanDecisions& d) {
        (d.design.*list).back() = static_cast<std::int64_t>(static_cast<double>((d.design.*list).back()) * factor);
      });
    }
  }
  for (const double factor : {0.0, 0.5, 1.0 - 1e-6, 1.0 + 1e-6, 2.0, kNan, kInf, -1.0}) {
    all.push_back([=](PlanDecisions& d) { d.design.inverse_gaps.front() *= factor; });
    all.push_back([=](PlanDecisions& d) { d.design.inverse_gaps.back() *= factor; });
  }
  all.push_back([](PlanDecisions& d) { d.design.inverse_gaps.clear(); });
  all.push_back([](PlanDecisions& d) { d.design.inverse_gaps.push_back(0.5); });
  all.push_back([](PlanDecisions& d) {
    d.design.theta_gap_numerators.clear();
    d.design.omega_numerators.clear();
    d.design.inverse_gaps.clear();
  });
  return all;
}

TEST(PlanDecisions, ThatWereTamperedWithAreRefused) {
  const std::vector<Tampering> everywhere = tamperings();
  const std::vector<Tampering> blt_only = blt_tamperings();
  for (const MechanismRequest& request : grid()) {
    const PlanDecisions whole = MechanismPlan(request).decisions();
    EXPECT_FALSE(refused(request, whole));
    const auto expect_refused = [&](const std::vector<Tampering>& all) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        PlanDecisions altered = whole;
        all[i](altered);
        EXPECT_TRUE(refused(request, altered)) << i;
      }
    };
    expect_refused(everywhere);
    if (request.strategy.kind == StrategyKind::blt) expect_refused(blt_only);
    EXPECT_TRUE(refused(request, PlanDecisions{}));
  }
}

TEST(PlanDecisions, OfAnotherRequestAreRefusedWhereTheyWouldMakeLessNoise) {
  std::vector<MechanismRequest> requests = grid();
  std::erase_if(requests, [](const MechanismRequest& request) { return request.profile == Profile::paper; });
  int taken = 0;
  for (std::size_t from = 0; from < requests.size(); from += 3) {
    const PlanDecisions decisions = MechanismPlan(requests[from]).decisions();
    for (std::size_t to = 0; to < requests.size(); to += 5) {
      try {
        const MechanismPlan plan(requests[to], decisions);
        // What is taken has the noise that this request's promise needs on that lattice.
        const MechanismRequest& request = requests[to];
        const double one_row = (request.neighbours == Neighbours::replace ? std::sqrt(2.0) : 1.0) *
                               static_cast<double>(plan.limits().norm_squared()) * std::exp2(plan.noise_bits());
        const double mu =
            static_cast<double>(request.rows_per_unit) * one_row * plan.strategy().norm() / plan.sigmas().gram_diagonal;
        EXPECT_LE(gaussian_delta(mu, request.budget.epsilon - plan.charge().epsilon) + plan.charge().delta,
                  request.budget.delta * (1.0 + 1e-12))
            << from << " " << to;
        ++taken;
      } catch (const RequestError&) {
        continue;
      }
    }
  }
  EXPECT_GT(taken, 5);
}

TEST(PlanDecisions, OfAFinerLatticeAreTakenWithTheNoiseThatBelongsToIt) {
  // Decisions need not be those of this version's own choice, only honest: twice as fine, and noise as wide as before.
  MechanismRequest request;
  request.strategy.kind = StrategyKind::tree;
  request.strategy.horizon = Horizon::known(1000);
  const MechanismPlan plan(request);
  PlanDecisions finer = plan.decisions();
  finer.noise_bits += 1;
  EXPECT_TRUE(refused(request, finer));
  finer.sigmas = {2 * finer.sigmas.gram_diagonal, 2 * finer.sigmas.gram_offdiagonal, 2 * finer.sigmas.cross,
                  2 * finer.sigmas.target_square};
  const MechanismPlan again(request, finer);
  EXPECT_EQ(again.noise_bits(), plan.noise_bits() + 1);
  EXPECT_LE(gaussian_delta(again.mu(), request.budget.epsilon - again.charge().epsilon) + again.charge().delta,
            request.budget.delta * (1.0 + 1e-12));
}

}  // namespace
}  // namespace rivulet::privacy
