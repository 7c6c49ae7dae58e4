// logistic_flights FLIGHTS.csv.gz [SEEDS]: will a flight arrive more than 15 minutes late? Logistic regression by
// PrivIncERM at the end of the stream, with a known and an unknown horizon, against the fit without privacy, and
// against the quadratic surrogate that PrivIncReg1's statistics allow in constant memory. Once with the delay at
// departure, which decides nearly everything, and once without. All on the rows of the stream itself.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

#include "fit/model_fitter.h"
#include "input/byte_source.h"
#include "input/csv.h"
#include "logistic_fit.h"
#include "rivulet/priv_inc_erm.h"
#include "rivulet/priv_inc_reg1.h"

namespace {

using namespace rivulet;
using namespace rivulet::experiments;

constexpr std::uint64_t kStepRows = 1000;
constexpr const char* kConstraint = "l2:6";
constexpr double kLate = 15.0;  // minutes

// Half an hour early to an hour late is where the departure leaves the arrival in doubt.
Schema features(bool with_departure) {
  Schema schema;
  if (with_departure) schema.feature("dep_delay", {-30, 60});
  schema.feature("distance", {0, 5000}).feature("hour", {0, 23}).feature("weekday", {1, 7}).feature("month", {1, 12});
  schema.categorical("origin", {"EWR", "JFK", "LGA"});
  return schema;
}

struct Flights {
  Schema schema;  // for learning: two classes
  std::size_t width = 0;
  std::vector<double> values;   // as read; NaN where missing
  std::vector<double> targets;  // 0, 1 or NaN
  LabelledRows usable;

  template <class Mechanism>
  void feed(Mechanism& mechanism) const {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      mechanism.observe(std::span(values).subspan(i * width, width), targets[i]);
    }
    mechanism.flush();
  }
  [[nodiscard]] std::uint64_t steps() const { return (targets.size() + kStepRows - 1) / kStepRows; }
};

Flights read_flights(const std::string& path, bool with_departure) {
  Schema schema = features(with_departure);
  schema.target("arr_delay", {-60, 180});
  input::FileSource source(path);
  input::CsvRowSource rows(source, schema);
  input::Row row;
  Flights flights;
  flights.schema = features(with_departure).classes("late", 0, 1);
  flights.width = schema.row_width();
  while (rows.next(row)) {
    const bool known = !std::isnan(row.target);
    flights.values.insert(flights.values.end(), row.values.begin(), row.values.end());
    flights.targets.push_back(known ? (row.target > kLate ? 1.0 : 0.0) : std::numeric_limits<double>::quiet_NaN());
    flights.usable.add(schema, row.values, known ? (row.target > kLate ? 1.0 : -1.0) : row.target);
  }
  return flights;
}

void print(const std::string& what, const Quality& quality, double seconds) {
  std::printf("%-48s %9.2f %10.4f %8.4f %9.1f\n", what.c_str(), 100.0 * quality.accuracy, quality.log_loss, quality.auc,
              seconds);
  std::fflush(stdout);
}

template <class Run>
void report(const std::string& what, int seeds, Run run) {
  Quality mean;
  const auto begin = std::chrono::steady_clock::now();
  for (int seed = 1; seed <= seeds; ++seed) {
    const Quality one = run(static_cast<std::uint64_t>(seed));
    mean.accuracy += one.accuracy / seeds;
    mean.log_loss += one.log_loss / seeds;
    mean.auc += one.auc / seeds;
  }
  print(what, mean, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / seeds);
}

Quality by_erm(const Flights& flights, Horizon horizon, std::optional<std::uint64_t> tau, std::uint64_t seed) {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  options.schema = flights.schema;
  options.loss = make_logistic_loss();
  options.constraint = kConstraint;
  options.release_every = kStepRows;
  options.horizon = horizon;
  options.tau = tau;
  options.insecure_seed = seed;
  PrivIncErm erm(options);
  flights.feed(erm);
  return quality(score_of(erm.model()), flights.usable);
}

Quality by_surrogate(const Flights& flights, Horizon horizon, double epsilon, double radius, std::uint64_t seed) {
  StreamOptions options;
  options.budget = {epsilon, 1e-6};
  options.schema = flights.schema;
  options.constraint = kConstraint;
  options.release_every = kStepRows;
  options.horizon = horizon;
  options.loss = "logistic";
  options.surrogate_margin = radius;
  options.insecure_seed = seed;
  PrivIncReg1 regression(options);
  flights.feed(regression);
  return quality(score_of(regression.model()), flights.usable);
}

void compare(const Flights& flights, int seeds, bool with_departure) {
  const Horizon known = Horizon::known(flights.steps());
  const Horizon unknown = Horizon::unbounded();
  std::printf("\n%-48s %9s %10s %8s %9s\n", with_departure ? "with the delay at departure" : "without it", "accuracy",
              "log-loss", "AUC", "seconds");
  const auto fixed = [&](const char* what, const Score& score) {
    report(what, 1, [&](std::uint64_t) { return quality(score, flights.usable); });
  };
  Score rule(flights.width + 1, 0.0);
  fixed("no data: every flight is on time", rule);
  if (with_departure) {
    rule[0] = -kLate;
    rule[1] = 1.0;
    fixed("no data: late when it left 15 minutes late", rule);
  }
  fixed("NOT PRIVATE: maximum likelihood", fit_logistic(flights.usable));
  const auto erm = [&](const std::string& what, Horizon horizon, std::optional<std::uint64_t> tau) {
    report(what, seeds, [&](std::uint64_t seed) { return by_erm(flights, horizon, tau, seed); });
  };
  if (with_departure) {  // minutes
    report("PrivIncERM, known horizon, every 1000; one seed", 1,
           [&](std::uint64_t seed) { return by_erm(flights, known, std::nullopt, seed); });
  }
  erm("PrivIncERM, known horizon, every 10,000 rows", known, 10);
  erm("PrivIncERM, unknown horizon, every 10,000 rows", unknown, 10);
  for (const double radius : {0.0, 2.0, 4.0, 6.0}) {
    char what[80];
    std::snprintf(what, sizeof what, "surrogate, |m| <= %g, c = %.4f", radius, fit::surrogate_curvature(radius));
    report(std::string(what) + ", known", seeds,
           [&](std::uint64_t seed) { return by_surrogate(flights, known, 1.0, radius, seed); });
    report(std::string(what) + ", unknown", seeds,
           [&](std::uint64_t seed) { return by_surrogate(flights, unknown, 1.0, radius, seed); });
    // Next to no noise: what is left is the surrogate's own bias.
    report(std::string(what) + ", epsilon 500", 1,
           [&](std::uint64_t seed) { return by_surrogate(flights, known, 500.0, radius, seed); });
  }
}

int run(const std::string& path, int seeds) {
  for (const bool with_departure : {true, false}) {
    const Flights flights = read_flights(path, with_departure);
    if (with_departure) {
      std::printf("%zu flights, %zu usable; epsilon = 1, delta = 1e-6, a step every %llu rows; means of %d seeds\n",
                  flights.targets.size(), flights.usable.size(), static_cast<unsigned long long>(kStepRows), seeds);
    }
    compare(flights, seeds, with_departure);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: logistic_flights FLIGHTS.csv.gz [SEEDS]\n");
    return 2;
  }
  try {
    return run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 3);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "logistic_flights: %s\n", error.what());
    return 1;
  }
}
