// What all calls cost together, added up by a second way: the parameter of every sum that a solver really asks for, in
// extended precision, and the Gaussian mechanism's delta from its formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "erm/erm_plan.h"
#include "erm/gradient_sources.h"
#include "privacy/paper_profile.h"

namespace rivulet::erm {
namespace {

PrivIncErm::Options options_for(const std::string& constraint = "l2:1", std::uint64_t steps = 640) {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(3);
  options.constraint = constraint;
  options.loss = make_huber_loss(1.0);
  options.horizon = Horizon::known(steps);
  return options;
}

long double normal_cdf(long double x) {
  return 0.5L * std::erfc(-x / std::sqrt(2.0L));
}

long double delta_of(long double mu, long double epsilon) {
  return normal_cdf(mu / 2 - epsilon / mu) - std::exp(epsilon) * normal_cdf(-mu / 2 - epsilon / mu);
}

struct Account {
  long double mu = 0.0L;
  std::uint64_t calls = 0;
  std::uint64_t sums = 0;
};

// Everything the plan lets happen up to `steps`.
Account spend_all(const PrivIncErm::Options& options, std::uint64_t steps) {
  const ErmPlan plan(options);
  testing::RecordingGradients recorder;
  const std::vector<double> start(plan.set().dimension(), 0.0);
  Account account;
  for (std::uint64_t step = 1; step <= std::min(steps, plan.last_step()); ++step) {
    const auto call = plan.call_at(step, step * options.release_every);
    if (!call) continue;
    ++account.calls;
    EXPECT_EQ(call->number, account.calls);
    solve_batch(plan.problem(call->rows), call->settings, call->mu, recorder, start);
  }
  long double squares = 0.0L;
  for (const double mu_k : recorder.costs()) squares += static_cast<long double>(mu_k) * mu_k;
  account.mu = std::sqrt(squares);
  account.sums = recorder.sums();
  EXPECT_LE(account.sums, plan.gradients().request().most_sums) << "discreteness was charged for fewer draws";
  return account;
}

void expect_within(const PrivIncErm::Options& options, const Account& account, const std::string& what) {
  const ErmPlan plan(options);
  const privacy::Charge& charge = plan.gradients().charge();
  EXPECT_GT(account.calls, 0U) << what;
  EXPECT_LE(delta_of(account.mu, options.budget.epsilon - charge.epsilon), options.budget.delta - charge.delta) << what;
}

struct Request {
  std::string name;
  PrivIncErm::Options options;
};

std::vector<Request> requests() {
  std::vector<Request> all;
  const auto add = [&](const std::string& name, auto change) {
    Request request{name, options_for()};
    change(request.options);
    all.push_back(request);
  };
  using Options = PrivIncErm::Options;
  add("as it comes", [](Options&) {});
  add("tau 1", [](Options& o) { o.tau = 1; });
  add("tau that does not divide T", [](Options& o) { o.tau = 7; });
  add("one call", [](Options& o) { o.tau = 640; });
  add("naive", [](Options& o) { o.mechanism = PrivIncErm::Mechanism::naive; });
  add("late", [](Options& o) { o.late_weight = 2.0; });
  add("very late", [](Options& o) { o.late_weight = 10.0, o.tau = 160; });
  add("early", [](Options& o) { o.late_weight = -1.5; });
  add("batches", [](Options& o) { o.batches = 5; });
  add("iterations", [](Options& o) { o.iterations = 333; });
  add("ridge", [](Options& o) { o.ridge = 0.1; });
  add("frank-wolfe", [](Options& o) { o.constraint = "l1:2"; });
  add("frank-wolfe does not take batches",
      [](Options& o) { o.constraint = "l1:2", o.batches = 3, o.method = PrivIncErm::Method::frank_wolfe; });
  add("zero out", [](Options& o) { o.neighbours = Neighbours::zero_out; });
  add("units", [](Options& o) { o.unit = PrivacyUnit{"person", 5}; });
  add("long steps", [](Options& o) { o.release_every = 50; });
  add("large epsilon", [](Options& o) { o.budget = {8.0, 1e-9}; });
  add("small epsilon", [](Options& o) { o.budget = {0.05, 1e-12}; });
  add("paper", [](Options& o) { o.profile = Profile::paper; });
  add("paper, tau 10", [](Options& o) { o.profile = Profile::paper, o.tau = 10; });
  add("paper, naive", [](Options& o) { o.profile = Profile::paper, o.mechanism = PrivIncErm::Mechanism::naive; });
  return all;
}

TEST(ErmAccounting, TheCallsOfAKnownHorizonNeverCostMoreThanTheBudgetTogether) {
  for (const Request& request : requests()) {
    const Account account = spend_all(request.options, 1000);
    expect_within(request.options, account, request.name);
    if (request.options.profile == Profile::tight) {
      // Nor is any of it left lying: a call forgotten or paid twice would show.
      EXPECT_NEAR(static_cast<double>(account.mu) / ErmPlan(request.options).gradients().mu(), 1.0, 1e-9)
          << request.name;
    }
  }
}

TEST(ErmAccounting, AnUnboundedHorizonNeverRunsOut) {
  for (const std::uint64_t tau : {1U, 3U, 100U}) {
    PrivIncErm::Options options = options_for();
    options.horizon = Horizon::unbounded();
    options.tau = tau;
    options.iterations = 2;
    const Account account = spend_all(options, 60000);
    expect_within(options, account, "unbounded");
    EXPECT_LT(account.mu, ErmPlan(options).gradients().mu());
  }
}

TEST(ErmAccounting, CallsPastTheAssumedLengthOfAnUnboundedStreamArePaidTooAndLeaveSomethingForTheNext) {
  PrivIncErm::Options options = options_for();
  options.horizon = Horizon::unbounded();
  options.release_every = 100000;  // ten steps to the assumed million rows
  options.tau = 1;
  options.iterations = 1;
  const Account early = spend_all(options, 10);
  const Account late = spend_all(options, 100000);
  expect_within(options, late, "far past the assumed length");
  EXPECT_NEAR(static_cast<double>(early.mu) / ErmPlan(options).gradients().mu(), std::sqrt(0.5), 1e-9);
  EXPECT_GT(late.mu, 1.1L * early.mu);
}

TEST(ErmAccounting, TheDefaultNeedsLessThanHalfThePapersNoiseAtSixtyFourCalls) {
  PrivIncErm::Options options = options_for();
  options.tau = 10;
  const ErmPlan tight(options);
  options.profile = Profile::paper;
  const ErmPlan paper(options);
  const double tight_mu = tight.call_at(10, 10)->mu;
  const double paper_mu = paper.call_at(10, 10)->mu;
  EXPECT_LT(2.0 * tight.noise(tight_mu), paper.noise(paper_mu));
  // And the paper's own call is calibrated to its own budget: epsilon' and delta' of the mechanism's first line.
  const Budget call = privacy::paper_call_budget(options.budget, 640, 10);
  EXPECT_NEAR(call.epsilon, 1.0 / (2.0 * std::sqrt(128.0 * std::log(2e6))), 1e-15);
  EXPECT_NEAR(call.delta, 1e-6 / 128.0, 1e-20);
  EXPECT_LE(delta_of(paper_mu, call.epsilon), call.delta);
  EXPECT_GT(delta_of(1.001 * paper_mu, call.epsilon), call.delta);
}

TEST(ErmAccounting, LateWeightFavoursLateCallsAsAsked) {
  PrivIncErm::Options options = options_for();
  options.tau = 10;
  options.late_weight = 2.0;
  const ErmPlan plan(options);
  const double first = plan.call_at(10, 10)->mu;
  const double last = plan.call_at(640, 640)->mu;
  EXPECT_NEAR(std::pow(last / first, 2.0), 64.0 * 64.0, 1e-6);
}

}  // namespace
}  // namespace rivulet::erm
