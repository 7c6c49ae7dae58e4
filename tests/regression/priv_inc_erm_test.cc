// PrivIncERM as a whole: rows in, models out.
#include "rivulet/priv_inc_erm.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "erm/erm_plan.h"
#include "rivulet/error.h"
#include "support/refusal.h"
#include "synthetic_stream.h"

namespace rivulet {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

PrivIncErm::Options people() {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  options.schema.feature("age", {0, 100}).feature("income", {0, 10}).classes("churned", 0, 1);
  options.loss = make_logistic_loss();
  options.horizon = Horizon::known(100);
  options.release_every = 200;
  options.constraint = "l2:4";
  options.insecure_seed = 3;
  return options;
}

// Churn is likely for the young with a low income: log-odds 2 - 0.04 age - 0.3 income + 1.5.
struct Person {
  std::array<double, 2> values{};
  double churned = 0.0;
};
class People {
 public:
  explicit People(std::uint64_t seed) : random_(seed) {}
  Person next() {
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    Person person{{100.0 * uniform(random_), 10.0 * uniform(random_)}, 0.0};
    const double odds = 3.5 - 0.04 * person.values[0] - 0.3 * person.values[1];
    person.churned = uniform(random_) < 1.0 / (1.0 + std::exp(-odds)) ? 1.0 : 0.0;
    return person;
  }

 private:
  std::mt19937_64 random_;
};

TEST(PrivIncErm, LogOddsComeOutInTheUsersUnits) {
  PrivIncErm erm(people());
  People stream(1);
  for (int i = 0; i < 20000; ++i) {
    const Person person = stream.next();
    EXPECT_EQ(erm.observe(person.values, person.churned), (i + 1) % 200 == 0);
  }
  const Model model = erm.model();
  EXPECT_EQ(model.rows, 20000U);
  EXPECT_NEAR(model.predict({50.0, 5.0}), 0.0, 0.4);
  EXPECT_GT(model.predict({5.0, 0.0}), 1.5);
  EXPECT_LT(model.predict({95.0, 10.0}), -1.5);
  EXPECT_TRUE(model.not_private);
  EXPECT_EQ(erm.calls(), 100U / *erm.options().tau);
}

TEST(PrivIncErm, TheLedgerOfTheKernelNeverExceedsTheBudgetAndIsUsedUpAtTheEnd) {
  for (const double late_weight : {0.0, 2.0}) {
    for (const std::uint64_t batches : {1U, 3U}) {
      PrivIncErm::Options options = people();
      options.horizon = Horizon::known(40);
      options.release_every = 10;
      options.tau = 4;
      options.late_weight = late_weight;
      options.batches = batches;
      PrivIncErm erm(options);
      People stream(2);
      double before = 0.0;
      for (int i = 0; i < 400; ++i) {
        const Person person = stream.next();
        erm.observe(person.values, person.churned);
        EXPECT_GE(erm.spent_mu(), before);
        before = erm.spent_mu();
      }
      EXPECT_LE(erm.spent_mu(), erm.plan().gradients().mu());
      EXPECT_NEAR(erm.spent_mu(), erm.plan().gradients().mu(), 1e-9);
      const Person person = stream.next();
      EXPECT_THROW(erm.observe(person.values, person.churned), HorizonExceeded);
      EXPECT_EQ(erm.released_rows(), 400U);
    }
  }
}

TEST(PrivIncErm, BetweenCallsTheModelStands) {
  PrivIncErm::Options options = people();
  options.release_every = 1;
  options.tau = 10;
  PrivIncErm erm(options);
  People stream(3);
  std::vector<double> last(3, 0.0);
  for (int i = 1; i <= 100; ++i) {
    const Person person = stream.next();
    EXPECT_TRUE(erm.observe(person.values, person.churned));
    EXPECT_EQ(erm.model().theta != last, i % 10 == 0) << i;
    last = erm.model().theta;
  }
}

TEST(PrivIncErm, TauOneCallsAtEveryStepAndTrivialNever) {
  PrivIncErm::Options options = people();
  options.release_every = 1;
  options.tau = 1;
  PrivIncErm each(options);
  options.tau.reset();
  options.mechanism = PrivIncErm::Mechanism::trivial;
  PrivIncErm never(options);
  People stream(4);
  for (int i = 0; i < 100; ++i) {
    const Person person = stream.next();
    each.observe(person.values, person.churned);
    never.observe(person.values, person.churned);
    EXPECT_EQ(each.calls(), static_cast<std::uint64_t>(i + 1));
  }
  EXPECT_EQ(never.calls(), 0U);
  EXPECT_EQ(never.spent_mu(), 0.0);
  EXPECT_EQ(never.model().theta, std::vector<double>(3, 0.0));
}

TEST(PrivIncErm, NothingIsOutBeforeTheFirstStepAndFlushNeedsARow) {
  PrivIncErm erm(people());
  EXPECT_FALSE(erm.flush());
  EXPECT_EQ(erm.step(), 0U);
  EXPECT_THROW((void)erm.model(), Error);
  erm.observe(std::array{30.0, 2.0}, 1.0);
  EXPECT_THROW((void)erm.model(), Error);
  EXPECT_TRUE(erm.flush());
  EXPECT_FALSE(erm.flush());
  EXPECT_EQ(erm.model().rows, 1U);
}

TEST(PrivIncErm, AHorizonShorterThanTauPublishesThePointNearestTheOrigin) {
  PrivIncErm::Options options = people();
  options.tau = 101;
  PrivIncErm erm(options);
  People stream(5);
  for (int i = 0; i < 20000; ++i) {
    const Person person = stream.next();
    erm.observe(person.values, person.churned);
  }
  EXPECT_EQ(erm.calls(), 0U);
  EXPECT_EQ(erm.model().theta, std::vector<double>(3, 0.0));
}

TEST(PrivIncErm, AnUnknownClassOrAMissingValueMakesAZeroRowThatStillCounts) {
  PrivIncErm::Options options = people();
  PrivIncErm clean(options);
  PrivIncErm dirty(options);
  for (int i = 0; i < 200; ++i) {
    clean.observe(std::array{kNan, 1.0}, 1.0);
    switch (i % 4) {
      case 0:
        dirty.observe(std::array{30.0, 2.0}, 2.0);
        break;
      case 1:
        dirty.observe(std::array{30.0, 2.0}, 0.5);
        break;
      case 2:
        dirty.observe(std::array{30.0, 2.0}, kNan);
        break;
      default:
        dirty.observe(std::array{30.0, kNan}, 1.0);
        break;
    }
  }
  EXPECT_EQ(dirty.unusable_rows_for_operator(), 200U);
  EXPECT_EQ(dirty.released_rows(), 200U);
  EXPECT_EQ(dirty.model().theta, clean.model().theta);
}

TEST(PrivIncErm, OneClassOnlyAndSeparableRowsStayInTheConstraintSet) {
  for (const bool separable : {false, true}) {
    for (const char* text : {"logistic", "hinge", "smooth-hinge:0.5"}) {
      PrivIncErm::Options options = people();
      options.loss = parse_loss(text);
      PrivIncErm erm(options);
      People stream(6);
      for (int i = 0; i < 20000; ++i) {
        const Person person = stream.next();
        erm.observe(person.values, !separable || person.values[0] > 50.0 ? 1.0 : 0.0);
      }
      const Model model = erm.model();
      EXPECT_TRUE(erm.plan().set().contains(model.theta));
      if (separable) {
        EXPECT_GT(model.predict({90.0, 5.0}), 0.3) << text;
        EXPECT_LT(model.predict({10.0, 5.0}), -0.3) << text;
      } else {
        EXPECT_GT(model.predict({50.0, 5.0}), 0.5) << text;
      }
    }
  }
}

TEST(PrivIncErm, OnRowsOfZerosTheModelIsNoiseWithinTheSet) {
  for (const char* constraint : {"l2:1", "l1:1", "simplex", "box:-1:1"}) {
    PrivIncErm::Options options;
    options.budget = {1.0, 1e-6};
    options.schema = Schema::unit_ball(3);
    options.loss = make_squared_loss();
    options.constraint = constraint;
    options.horizon = Horizon::known(50);
    options.tau = 5;
    options.insecure_seed = 8;
    PrivIncErm erm(options);
    for (int i = 0; i < 50; ++i) erm.observe(std::array{0.0, 0.0, 0.0}, 0.0);
    for (const double entry : erm.model().theta) EXPECT_TRUE(std::isfinite(entry));
    EXPECT_TRUE(erm.plan().set().contains(erm.model().theta)) << constraint;
  }
}

TEST(PrivIncErm, ALossOfTheUsersOwnDoesWhatTheBuiltInOneDoesToTheBit) {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(3);
  options.constraint = "l2:1";
  options.horizon = Horizon::known(20);
  options.release_every = 50;
  options.insecure_seed = 9;
  options.loss = make_squared_loss();
  PrivIncErm built_in(options);
  const CustomLoss::Constants constants{.radius = 1.0, .lipschitz = 4.0, .smoothness = 2.0, .strong_convexity = 2.0};
  options.loss = std::make_shared<CustomLoss>(
      "mine", [](double p, double y) { return (y - p) * (y - p); }, [](double p, double y) { return 2.0 * (p - y); },
      constants);
  PrivIncErm custom(options);
  experiments::IsotropicStream stream(3, 0.8, 0.1, 9);
  for (int i = 0; i < 1000; ++i) {
    const auto& row = stream.next();
    built_in.observe(row.x, row.y);
    custom.observe(row.x, row.y);
  }
  EXPECT_EQ(custom.model().theta, built_in.model().theta);
  // Vouched for up to radius 1 only.
  options.constraint = "l2:2";
  EXPECT_EQ(testing::refusal([&] { PrivIncErm refused(options); }).find("loss"), 0U);
}

TEST(PrivIncErm, WithNextToNoNoiseARidgeFitComesOut) {
  // J = sum (y - <x, theta>)^2 + rows (ridge / 2) ||theta||^2, solved by hand in two dimensions: gradients of rows and
  // ridge must be in the same units.
  for (const auto method : {PrivIncErm::Method::gradient_descent, PrivIncErm::Method::output_perturbation}) {
    PrivIncErm::Options options;
    options.method = method;
    options.budget = {200.0, 1e-6};
    options.schema = Schema::unit_ball(2);
    options.loss = make_squared_loss();
    options.constraint = "l2:1";
    options.ridge = 0.4;
    options.horizon = Horizon::known(4000);
    options.tau = 4000;
    options.iterations = 200;
    options.insecure_seed = 11;
    PrivIncErm erm(options);
    experiments::IsotropicStream stream(2, 0.8, 0.1, 11);
    double a = 0.5 * options.ridge * 4000.0;
    double b = 0.0;
    double c = a;
    double u = 0.0;
    double v = 0.0;
    for (int i = 0; i < 4000; ++i) {
      const auto& row = stream.next();
      erm.observe(row.x, row.y);
      a += row.x[0] * row.x[0];
      b += row.x[0] * row.x[1];
      c += row.x[1] * row.x[1];
      u += row.x[0] * row.y;
      v += row.x[1] * row.y;
    }
    EXPECT_EQ(erm.calls(), 1U);
    const double determinant = a * c - b * b;
    EXPECT_NEAR(erm.model().theta[0], (c * u - b * v) / determinant, 0.01);
    EXPECT_NEAR(erm.model().theta[1], (a * v - b * u) / determinant, 0.01);
  }
}

TEST(PrivIncErm, OutputPerturbationSpendsItsBudgetOverItsCallsAndEndsWithItsHorizon) {
  PrivIncErm::Options options = people();
  options.method = PrivIncErm::Method::output_perturbation;
  options.ridge = 0.05;
  PrivIncErm erm(options);
  PrivIncErm again(options);
  People stream(1);
  for (int i = 0; i < 20000; ++i) {
    const Person person = stream.next();
    EXPECT_EQ(erm.observe(person.values, person.churned), (i + 1) % 200 == 0);
    again.observe(person.values, person.churned);
    EXPECT_LE(erm.spent_mu(), erm.plan().gradients().mu());
  }
  EXPECT_EQ(erm.calls(), 100U / *erm.options().tau);
  EXPECT_NEAR(erm.spent_mu(), erm.plan().gradients().mu(), 1e-9);
  EXPECT_GT(erm.model().predict({5.0, 0.0}), 0.3);
  EXPECT_LT(erm.model().predict({95.0, 10.0}), -0.3);
  EXPECT_EQ(erm.model().theta, again.model().theta);
  EXPECT_THROW(erm.observe(std::array{1.0, 1.0}, 1.0), HorizonExceeded);
}

TEST(PrivIncErm, SparseRowsAndUnitsGiveTheSameModel) {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(3);
  options.loss = make_huber_loss(0.5);
  options.constraint = "l2:1";
  options.horizon = Horizon::known(50);
  options.unit = PrivacyUnit{"person", 2};
  options.insecure_seed = 10;
  PrivIncErm dense(options);
  PrivIncErm sparse(options);
  const std::vector<std::uint32_t> positions{0, 2};
  for (int i = 0; i < 50; ++i) {
    const double a = 0.01 * i;
    const std::vector<double> values{a, -0.3};
    const std::string unit = "person" + std::to_string(i / 4);
    dense.observe(std::array{a, 0.0, -0.3}, a, unit);
    sparse.observe(SparseRow{positions, values}, a, unit);
  }
  EXPECT_EQ(dense.model().theta, sparse.model().theta);
  EXPECT_EQ(dense.over_limit_rows_for_operator(), 24U);
  EXPECT_EQ(sparse.over_limit_rows_for_operator(), 24U);
}

TEST(PrivIncErm, AnUnboundedHorizonGoesOn) {
  PrivIncErm::Options options = people();
  options.horizon = Horizon::unbounded();
  PrivIncErm erm(options);
  People stream(7);
  for (int i = 0; i < 40000; ++i) {
    const Person person = stream.next();
    erm.observe(person.values, person.churned);
  }
  EXPECT_EQ(erm.calls(), 200U / *erm.options().tau);
  EXPECT_LT(erm.spent_mu(), erm.plan().gradients().mu());
  EXPECT_GT(erm.model().predict({5.0, 0.0}), erm.model().predict({95.0, 10.0}) + 1.0);
}

}  // namespace
}  // namespace rivulet
