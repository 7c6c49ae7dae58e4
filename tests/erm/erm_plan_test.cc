// What is decided before the first row, and what is refused.
#include "erm/erm_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/refusal.h"

namespace rivulet::erm {
namespace {

using Method = PrivIncErm::Method;
using TauRule = PrivIncErm::TauRule;
using testing::refusal;

PrivIncErm::Options options_for(std::size_t dimension = 8) {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(dimension);
  options.constraint = "l2:1";
  options.loss = make_squared_loss();
  options.horizon = Horizon::known(1000);
  return options;
}

std::string refused(const PrivIncErm::Options& options) {
  return refusal([&] { const ErmPlan plan(options); });
}

void expect_names(const std::string& message, const std::string& field) {
  EXPECT_EQ(message.find(field + ":"), 0U) << message;
}

TEST(ErmPlan, TauIsThePapersForItsMethod) {
  PrivIncErm::Options options = options_for();
  EXPECT_EQ(ErmPlan(options).options().tau, 20U);  // (1000 * 8)^(1/3)
  EXPECT_EQ(ErmPlan(options).options().rule, TauRule::convex);
  options.ridge = 0.5;  // L = 4 + 0.5; sqrt(8 * 4.5 / 0.5) = 8.49
  EXPECT_EQ(ErmPlan(options).options().tau, 9U);
  EXPECT_EQ(ErmPlan(options).options().rule, TauRule::strongly_convex);
  options.ridge = 0.0;
  options.constraint = "l1:1";
  EXPECT_EQ(ErmPlan(options).options().method, Method::frank_wolfe);
  EXPECT_EQ(ErmPlan(options).options().rule, TauRule::width);
  const double width = make_l1_ball(8, 1.0)->gaussian_width();
  EXPECT_EQ(*ErmPlan(options).options().tau,
            static_cast<std::uint64_t>(std::ceil(std::sqrt(1000.0 * width) * std::pow(8.0 / 4.0, 0.25))));
  options.rule = TauRule::convex;
  EXPECT_EQ(ErmPlan(options).options().tau, 20U);
  options.mechanism = PrivIncErm::Mechanism::naive;
  EXPECT_EQ(ErmPlan(options).options().tau, 1U);
}

TEST(ErmPlan, TauCountsStepsAndTheRuleRows) {
  PrivIncErm::Options options = options_for();
  options.release_every = 7;
  options.horizon = Horizon::known(143);          // 1001 rows
  EXPECT_EQ(ErmPlan(options).options().tau, 3U);  // 21 rows
  options.release_every = 1000;
  options.horizon = Horizon::known(1);
  EXPECT_EQ(ErmPlan(options).options().tau, 1U);
}

TEST(ErmPlan, CallsComeEveryTauStepsAndOnlyThen) {
  PrivIncErm::Options options = options_for();
  options.tau = 30;
  const ErmPlan plan(options);
  std::uint64_t calls = 0;
  for (std::uint64_t step = 1; step <= 1000; ++step) {
    const auto call = plan.call_at(step, step);
    EXPECT_EQ(call.has_value(), step % 30 == 0);
    calls += call.has_value() ? 1 : 0;
  }
  EXPECT_EQ(calls, 33U);
  EXPECT_EQ(plan.last_step(), 1000U);
}

TEST(ErmPlan, AHorizonShorterThanTauMakesNoCallAndNoFuss) {
  PrivIncErm::Options options = options_for();
  options.tau = 1001;
  for (const Profile profile : {Profile::tight, Profile::paper}) {
    options.profile = profile;
    const ErmPlan plan(options);
    for (std::uint64_t step = 1; step <= 1000; ++step) EXPECT_FALSE(plan.call_at(step, step));
  }
  options = options_for();
  options.budget.epsilon = 0.001;  // the rule would say 2000
  EXPECT_EQ(ErmPlan(options).options().tau, 1000U);
}

TEST(ErmPlan, TheWindowIsWhereOldRowsCostAsMuchAsNoise) {
  PrivIncErm::Options options = options_for();
  options.tau = 10;
  const ErmPlan plan(options);
  const ErmCall call = *plan.call_at(10, 10);
  // L ||K|| a row against w(K) D L / mu.
  EXPECT_NEAR(call.window_calls * 10.0, plan.set().gaussian_width() * 2.0 / call.mu, 1e-6);
  options.averaged = false;
  EXPECT_EQ(ErmPlan(options).call_at(10, 10)->window_calls, 1.0);
  options.averaged.reset();
  options.profile = Profile::paper;
  EXPECT_EQ(ErmPlan(options).call_at(10, 10)->window_calls, 1.0) << "the paper publishes the last call's model";
}

TEST(ErmPlan, RefusesWhatCannotBe) {
  const auto with = [](auto change) {
    PrivIncErm::Options options = options_for();
    change(options);
    return refused(options);
  };
  using Options = PrivIncErm::Options;
  EXPECT_EQ(with([](Options&) {}), "accepted");
  expect_names(with([](Options& o) { o.loss = nullptr; }), "loss");
  expect_names(with([](Options& o) { o.loss = make_logistic_loss(); }), "loss");
  expect_names(with([](Options& o) { o.ridge = -1.0; }), "ridge");
  expect_names(with([](Options& o) { o.ridge = std::numeric_limits<double>::quiet_NaN(); }), "ridge");
  expect_names(with([](Options& o) { o.tau = 0; }), "tau");
  expect_names(with([](Options& o) { o.tau = std::uint64_t{1} << 63; }), "tau");
  expect_names(with([](Options& o) { o.iterations = 0; }), "iterations");
  expect_names(with([](Options& o) { o.iterations = std::uint64_t{1} << 63; }), "iterations");
  expect_names(with([](Options& o) { o.iterations = 1000000, o.tau = 1; }), "iterations");
  expect_names(with([](Options& o) { o.iterations = 100000, o.batches = 100000; }), "iterations");
  expect_names(with([](Options& o) { o.batches = 0; }), "batches");
  expect_names(with([](Options& o) { o.batches = 1000000, o.tau = 1; }), "tau");
  expect_names(with([](Options& o) { o.horizon = Horizon::known(std::uint64_t{1} << 63), o.tau = 1; }), "tau");
  expect_names(
      with([](Options& o) { o.constraint = "l1:1", o.loss = make_quantile_loss(0.5), o.method = Method::frank_wolfe; }),
      "method");
  expect_names(with([](Options& o) { o.profile = Profile::paper, o.horizon = Horizon::unbounded(); }), "horizon");
  expect_names(with([](Options& o) { o.profile = Profile::paper, o.budget.epsilon = 40.0; }), "epsilon");
  expect_names(with([](Options& o) { o.late_weight = 11.0; }), "late-weight");
  expect_names(with([](Options& o) { o.late_weight = 1.0, o.horizon = Horizon::unbounded(); }), "late-weight");
  expect_names(with([](Options& o) { o.budget.epsilon = 0.0; }), "epsilon");
  expect_names(with([](Options& o) { o.constraint = "l3:1"; }), "constraint");
  expect_names(with([](Options& o) { o.unit = PrivacyUnit{"person", 0}; }), "max-rows-per-unit");
}

PrivIncErm::Options perturbed(double ridge = 0.1) {
  PrivIncErm::Options options = options_for();
  options.method = Method::output_perturbation;
  options.ridge = ridge;
  return options;
}

TEST(ErmPlan, OutputPerturbationMakesOneReleaseACallWithNoiseForItsRidgeAndRows) {
  const ErmPlan plan(perturbed());
  EXPECT_EQ(plan.options().rule, TauRule::strongly_convex);
  const std::uint64_t tau = *plan.options().tau;
  EXPECT_EQ(plan.gradients().request().most_sums, 1000 / tau);
  for (const std::uint64_t step : {tau, 3 * tau}) {
    const ErmCall call = *plan.call_at(step, step);
    // D L / (n ridge), L = 2 (||K|| + 1), as far as the steps reach.
    const double reached = 1.0 - std::pow(2.0 / 2.2, static_cast<double>(call.settings.iterations));
    const double sensitivity = reached * 2.0 * 4.0 / (static_cast<double>(step) * 0.1);
    EXPECT_NEAR(plan.minimiser_noise(call), sensitivity / call.mu, 1e-6 * sensitivity / call.mu);
  }
  // Nearer to the minimum where there is less noise: more rows, a larger budget, a smaller ridge.
  const auto iterations = [](const PrivIncErm::Options& options, std::uint64_t rows) {
    return ErmPlan(options).call_at(rows, rows)->settings.iterations;
  };
  PrivIncErm::Options options = perturbed();
  options.tau = 100;
  EXPECT_LT(iterations(options, 100), iterations(options, 1000));
  PrivIncErm::Options rich = options;
  rich.budget.epsilon = 8.0;
  EXPECT_LT(iterations(options, 1000), iterations(rich, 1000));
  PrivIncErm::Options steep = options;
  steep.ridge = 1.0;
  EXPECT_LT(iterations(steep, 1000), iterations(options, 1000));
  PrivIncErm::Options flat = options;
  flat.ridge = 1e-9;
  flat.budget.epsilon = 100.0;
  EXPECT_LE(iterations(flat, 1000), 4096U);
  options.iterations = 77;
  EXPECT_EQ(iterations(options, 1000), 77U);
  EXPECT_EQ(ErmPlan(options).gradients().request().most_sums, 10U) << "steps inside the kernel are no releases";
}

TEST(ErmPlan, OutputPerturbationRefusesWhatItsNoiseIsNotMadeFor) {
  const auto with = [](auto change) {
    PrivIncErm::Options options = perturbed();
    change(options);
    return refused(options);
  };
  using Options = PrivIncErm::Options;
  EXPECT_EQ(with([](Options&) {}), "accepted");
  expect_names(with([](Options& o) { o.ridge = 0.0; }), "ridge");
  expect_names(with([](Options& o) { o.ridge = 1e-200; }), "ridge");
  for (const char* set : {"l1:1", "simplex:1", "box:-1:1", "elastic:0.5:1", "lp:1.5:1", "group:2:1"}) {
    expect_names(with([&](Options& o) { o.constraint = set; }), "constraint");
  }
  expect_names(with([](Options& o) { o.constraint = "l2:1e150"; }), "constraint");
  expect_names(with([](Options& o) { o.loss = make_quantile_loss(0.5); }), "loss");
  expect_names(with([](Options& o) { o.batches = 2; }), "batches");
  expect_names(with([](Options& o) {
                 o.loss = std::make_shared<CustomLoss>(
                     "own", [](double p, double y) { return (p - y) * (p - y); },
                     [](double p, double y) { return 2.0 * (p - y); },
                     CustomLoss::Constants{.radius = 2.0, .lipschitz = 6.0, .smoothness = 2.0});
               }),
               "loss");
  // A hinge bends at 1: over a smaller ball it is a straight line.
  const auto hinge_over = [](const char* set) {
    PrivIncErm::Options options = perturbed();
    options.schema = Schema();
    options.schema.intercept(false).feature("x", {-1, 1}).classes("y", -1, 1);
    options.loss = make_hinge_loss();
    options.constraint = set;
    return refused(options);
  };
  EXPECT_EQ(hinge_over("l2:0.9"), "accepted");
  expect_names(hinge_over("l2:0.9999999"), "loss");
  expect_names(hinge_over("l2:1"), "loss");
}

TEST(ErmPlan, ALossWithKinksOverANarrowSetGoesByGradientDescent) {
  PrivIncErm::Options options = options_for();
  options.constraint = "l1:1";
  options.loss = make_quantile_loss(0.5);
  EXPECT_EQ(ErmPlan(options).options().method, Method::gradient_descent);
  EXPECT_EQ(ErmPlan(options).options().rule, TauRule::convex);
}

// Rather than in the middle of a stream.
TEST(ErmPlan, ACallWhoseNoiseCannotBeDrawnIsRefusedBeforeTheFirstRow) {
  PrivIncErm::Options options = options_for();
  options.horizon = Horizon::known(400);
  options.tau = 1;
  options.late_weight = 10.0;
  EXPECT_TRUE(refused(options).starts_with("late-weight")) << refused(options);
  options.late_weight = 2.0;
  EXPECT_EQ(refused(options), "accepted");
  // Without an end the last step is one whose noise can be drawn.
  options.late_weight = 0.0;
  options.horizon = Horizon::unbounded();
  options.unit = PrivacyUnit{"person", std::uint64_t{1} << 14};
  options.budget.epsilon = 0.1;
  options.iterations = 1;
  options.tau.reset();
  const ErmPlan plan(options);
  EXPECT_LT(plan.last_step() / *plan.options().tau, 100000U);
  const auto last = plan.call_at(plan.last_step(), plan.last_step());
  ASSERT_TRUE(last.has_value());
  EXPECT_NO_THROW((void)plan.noise(privacy::even_part(last->mu, last->settings.iterations)));
}

TEST(ErmPlan, AnEnormousTauLeavesStepsToPublish) {
  PrivIncErm::Options options = options_for();
  options.horizon = Horizon::unbounded();
  options.tau = std::uint64_t{1} << 40;
  options.iterations = 1;
  EXPECT_EQ(ErmPlan(options).last_step(), std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace rivulet::erm
