// Refits of exact statistics (no noise, sums built here) against ordinary least squares on the raw columns in the
// user's units: another computation, by QR, that knows nothing of boxes, unit balls or statistics.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <random>

#include "rivulet/refit.h"

namespace rivulet {
namespace {

using Names = std::vector<std::string>;

Schema shop(bool intercept) {
  Schema schema;
  schema.intercept(intercept).feature("age", {18, 90}).categorical("town", {"A", "B", "C"}).feature("visits", {-1, 40});
  return schema.feature("distance", {0, 3}).target("spend", {-100, 500});
}

// One row: the values of age, town's level, visits, distance, and the target.
struct Person {
  double age, visits, distance, spend;
  std::size_t town;
};

std::vector<Person> people() {
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<Person> list;
  for (int i = 0; i < 400; ++i) {
    Person person{};
    person.age = 18.0 + 72.0 * unit(random);
    person.visits = person.age / 3.0 + 10.0 * unit(random);  // correlated: leaving one out moves the other
    person.distance = 3.0 * unit(random);
    person.town = static_cast<std::size_t>(3.0 * unit(random));
    person.spend = 2.0 * person.age - 20.0 * person.distance + 30.0 * static_cast<double>(person.town) + person.visits +
                   25.0 * unit(random);
    list.push_back(person);
  }
  return list;
}

// A row of raw columns for some of the features, in the schema's order; with an intercept a column of ones first and
// no indicator of the first town.
std::vector<double> raw_row(const Person& person, bool intercept, const Names& names) {
  const auto wanted = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  std::vector<double> row;
  if (intercept) row.push_back(1.0);
  if (wanted("age")) row.push_back(person.age);
  for (std::size_t town = intercept ? 1 : 0; wanted("town") && town < 3; ++town) {
    row.push_back(person.town == town ? 1.0 : 0.0);
  }
  if (wanted("visits")) row.push_back(person.visits);
  if (wanted("distance")) row.push_back(person.distance);
  return row;
}

const Names kAll = {"age", "town", "visits", "distance"};

// The exact statistics of the whole schema, by its documented units.
Statistics exact_statistics(const Schema& schema) {
  Statistics statistics;
  const std::size_t d = schema.dimension();
  statistics.dimension = d;
  statistics.gram.assign(d * d, 0.0);
  statistics.cross.assign(d, 0.0);
  statistics.step = 1;
  statistics.has_target_square = true;
  const auto scales = schema.value_scales();
  const std::size_t first = schema.has_intercept() ? 1 : 0;
  for (const Person& person : people()) {
    std::vector<double> x = raw_row(person, schema.has_intercept(), kAll);
    for (std::size_t i = 0; i < scales.size(); ++i)
      x[first + i] = (x[first + i] - scales[i].centre) / scales[i].half_range;
    for (double& entry : x) entry /= schema.norm_limit();
    const double y = (person.spend - schema.target_scale().centre) / schema.target_scale().half_range;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) statistics.gram[i * d + j] += x[i] * x[j];
      statistics.cross[i] += x[i] * y;
    }
    statistics.target_square += y * y;
    ++statistics.rows;
  }
  return statistics;
}

Eigen::VectorXd least_squares(bool intercept, const Names& names) {
  const std::vector<Person> list = people();
  const auto columns = static_cast<Eigen::Index>(raw_row(list[0], intercept, names).size());
  Eigen::MatrixXd design(static_cast<Eigen::Index>(list.size()), columns);
  Eigen::VectorXd target(design.rows());
  for (Eigen::Index i = 0; i < design.rows(); ++i) {
    const Person& person = list[static_cast<std::size_t>(i)];
    design.row(i) = Eigen::Map<const Eigen::VectorXd>(raw_row(person, intercept, names).data(), columns).transpose();
    target[i] = person.spend;
  }
  return design.colPivHouseholderQr().solve(target);
}

StreamOptions stream(bool intercept) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = shop(intercept);
  return options;
}

TEST(Refit, OfASubsetIsLeastSquaresOnItsColumns) {
  const std::vector<Names> subsets = {
      {"age"}, {"town"}, {"distance", "age"}, {"visits", "town"}, {"town", "age", "distance"}, kAll};
  for (const bool intercept : {true, false}) {
    const Statistics statistics = exact_statistics(shop(intercept));
    for (const Names& names : subsets) {
      for (const char* constraint : {"l2:1000", "l1:1000"}) {
        for (const char* regularisation : {"auto", "none"}) {  // without noise the same
          Refit refit(stream(intercept),
                      {.constraint = constraint, .features = names, .regularisation = regularisation});
          const Model model = refit.fit(statistics);
          const Eigen::VectorXd expected = least_squares(intercept, names);
          const Eigen::Index first = intercept ? 1 : 0;
          ASSERT_EQ(static_cast<Eigen::Index>(model.coefficients.size()), expected.size() - first);
          for (Eigen::Index i = first; i < expected.size(); ++i) {
            const Coefficient& coefficient = model.coefficients[static_cast<std::size_t>(i - first)];
            EXPECT_NEAR(coefficient.value, expected[i], 1e-3 * std::abs(expected[i]) + 1e-3)
                << coefficient.name << " " << constraint;
          }
          EXPECT_NEAR(model.intercept, intercept ? expected[0] : 0.0, 0.05) << constraint;
        }
      }
    }
  }
}

TEST(Refit, OfTheInterceptAloneIsTheMean) {
  Refit refit(stream(true), {.constraint = "l2:1000", .features = Names{}});
  double sum = 0.0;
  for (const Person& person : people()) sum += person.spend;
  EXPECT_NEAR(refit.fit(exact_statistics(shop(true))).predict(std::vector<double>{}), sum / 400.0, 1e-9 * sum);
}

TEST(Refit, PredictsFromTheChosenFeaturesInTheSchemasOrder) {
  Refit refit(stream(true), {.constraint = "l2:1000", .features = Names{"distance", "age"}});
  EXPECT_EQ(refit.schema().coordinate_names(), (Names{"(intercept)", "age", "distance"}));
  const Model model = refit.fit(exact_statistics(shop(true)));
  const Eigen::VectorXd expected = least_squares(true, {"age", "distance"});
  EXPECT_NEAR(model.predict({50.0, 2.0}), expected[0] + 50.0 * expected[1] + 2.0 * expected[2], 1e-6);
}

TEST(Refit, SelectsTheSubMatrixAndKeepsEverythingElse) {
  Statistics whole = exact_statistics(shop(true));
  whole.noise = {3.0, 2.0, 1.0};
  whole.target_square_stddev = 7.0;
  whole.not_private = true;
  const Refit refit(stream(true), {.features = Names{"distance", "town"}});
  const Statistics part = refit.select(whole);
  const std::size_t positions[] = {0, 2, 3, 5};  // (intercept), town=B, town=C, distance of (intercept), age, B, C, ...
  ASSERT_EQ(part.dimension, 4u);
  ASSERT_EQ(part.gram.size(), 16u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(part.cross[i], whole.cross[positions[i]]);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(part.gram[i * 4 + j], whole.gram[positions[i] * 6 + positions[j]]);
  }
  EXPECT_EQ(part.rows, 400u);
  EXPECT_EQ(part.step, 1u);
  EXPECT_EQ(part.target_square, whole.target_square);
  EXPECT_EQ(part.target_square_stddev, 7.0);
  EXPECT_TRUE(part.has_target_square);
  EXPECT_EQ(part.noise.cross, 1.0);
  EXPECT_TRUE(part.not_private);
}

TEST(Refit, ARidgeIsAddedToTheGramMatrixInUnitBallUnits) {
  const Statistics statistics = exact_statistics(shop(true));
  for (const double lambda : {0.01, 5.0, 3000.0}) {
    Refit refit(stream(true),
                {.constraint = "l2:1000", .features = {}, .regularisation = "ridge:" + std::to_string(lambda)});
    const Model model = refit.fit(statistics);
    Eigen::MatrixXd gram = Eigen::Map<const Eigen::MatrixXd>(statistics.gram.data(), 6, 6);
    gram.diagonal().array() += lambda;
    const Eigen::VectorXd expected =
        gram.colPivHouseholderQr().solve(Eigen::Map<const Eigen::VectorXd>(statistics.cross.data(), 6));
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(model.theta[i], expected[static_cast<Eigen::Index>(i)], 1e-8 * expected.norm()) << lambda;
    }
  }
}

// The radius is in box units of the whole stream: theta = norm limit of the whole schema times the coefficients.
TEST(Refit, AConstraintThatBindsOnASubsetIsReachedAndNotPassed) {
  const Statistics statistics = exact_statistics(shop(true));
  const double limit = shop(true).norm_limit();
  for (const char* kind : {"l2:", "l1:"}) {
    for (const double radius : {0.05, 0.2}) {
      Refit refit(
          stream(true),
          {.constraint = kind + std::to_string(radius), .features = Names{"age", "town"}, .regularisation = "none"});
      double size = 0.0;
      for (const double entry : refit.fit(statistics).theta) size += kind[1] == '2' ? entry * entry : std::abs(entry);
      size = kind[1] == '2' ? std::sqrt(size) : size;
      EXPECT_NEAR(size, radius * limit, 1e-6 * radius * limit) << kind << radius;
    }
  }
}

}  // namespace
}  // namespace rivulet
