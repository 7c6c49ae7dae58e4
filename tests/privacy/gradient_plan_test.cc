#include "privacy/gradient_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/calibration.h"
#include "rivulet/error.h"

namespace rivulet::privacy {
namespace {

GradientRequest request_for(std::size_t dimension, std::uint64_t sums, Budget budget = {1.0, 1e-6}) {
  GradientRequest request;
  request.budget = budget;
  request.dimension = dimension;
  request.most_sums = sums;
  return request;
}

// Section 6 of docs/privacy.md: every coordinate of every sum is a draw, and what they cost is not spent again.
TEST(GradientPlan, LeavesRoomForTheChargeOfEveryDraw) {
  for (const Budget budget : {Budget{1.0, 1e-6}, Budget{0.1, 1e-9}, Budget{8.0, 1e-5}}) {
    for (const std::size_t dimension : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
      for (const std::uint64_t sums : {std::uint64_t{1}, std::uint64_t{1} << 20}) {
        const GradientPlan plan(request_for(dimension, sums, budget));
        const double draws = static_cast<double>(sums) * static_cast<double>(dimension);
        const Charge charge = discreteness_charge(draws, plan.lattice_sensitivity() / gaussian_mu(budget), budget);
        EXPECT_GE(plan.charge().epsilon, charge.epsilon);
        EXPECT_GE(plan.charge().delta, charge.delta);
        EXPECT_GE(plan.charge().bound, charge.bound);
        EXPECT_LE(plan.mu(), gaussian_mu({budget.epsilon - charge.epsilon, budget.delta - charge.delta}));
        if (draws > 1e12) {
          EXPECT_LT(plan.mu(), gaussian_mu(budget));
        }
        EXPECT_LE(plan.charge().epsilon, 1e-6 * budget.epsilon);
        EXPECT_LE(plan.charge().delta, 1e-3 * budget.delta);
      }
    }
  }
}

TEST(GradientPlan, NoiseIsNeverBelowSensitivityOverMu) {
  const GradientPlan plan(request_for(10, 1000));
  for (double mu_k = plan.mu(); mu_k > 1e-6; mu_k *= 0.37) {
    EXPECT_GE(plan.sigma_for(mu_k), plan.lattice_sensitivity() / mu_k);
    EXPECT_LE(plan.sigma_for(mu_k), plan.lattice_sensitivity() / mu_k * (1.0 + 1e-12));
  }
  EXPECT_THROW((void)plan.sigma_for(std::nextafter(plan.mu(), 100.0)), Error);
  EXPECT_THROW((void)plan.sigma_for(1e-300), Error);
}

TEST(GradientPlan, RefusesWhatItCannotHonour) {
  const auto field = [](GradientRequest request) {
    try {
      (void)GradientPlan(request);
      return std::string("accepted");
    } catch (const RequestError& error) {
      return std::string(error.what()).substr(0, std::string(error.what()).find(':'));
    }
  };
  EXPECT_EQ(field(request_for(3, 100)), "accepted");
  EXPECT_EQ(field(request_for(0, 100)), "dimension");
  EXPECT_EQ(field(request_for((std::size_t{1} << 24) + 1, 100)), "dimension");
  EXPECT_EQ(field(request_for(3, 0)), "iterations");
  EXPECT_EQ(field(request_for(3, (std::uint64_t{1} << 32) + 1)), "iterations");
  GradientRequest request = request_for(3, 100);
  request.rows_per_unit = 2;  // without units
  EXPECT_EQ(field(request), "max-rows-per-unit");
  request.units = true;
  EXPECT_EQ(field(request), "accepted");
}

}  // namespace
}  // namespace rivulet::privacy
