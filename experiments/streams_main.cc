// streams [--out FOLDER] [--data FOLDER] [--streams SEEDS] [--quick]: what a private model is worth on real streams.
// R^2 over time at five budgets, unbounded horizon, a release after every hundred rows, against least squares without
// privacy on the same rows and the model that ignores them. Defaults throughout. Writes streams.csv and two figures a
// stream.
#include <cstdio>
#include <exception>
#include <vector>

#include "experiment.h"
#include "plot_svg.h"
#include "real_stream.h"

namespace {

using namespace rivulet;
using namespace rivulet::experiments;

constexpr double kEpsilons[] = {0.1, 0.5, 1.0, 2.0, 8.0};
constexpr double kPictured = 1.0;
constexpr std::uint64_t kReleaseEvery = 100;

struct Table {
  const char* name;
  const char* title;
  const char* coefficient;
  std::pair<double, double> r_squared_range;  // of the figures
  std::pair<double, double> coefficient_range;
  double close;  // in R^2
};

constexpr Table kTables[] = {
    {"flights",
     "Arrival delay of flights",
     "minutes at arrival for a minute at departure",
     {0.0, 1.0},
     {0.0, 1.5},
     0.05},
    {"diamonds", "Log price of diamonds", "per cent of price for a per cent of weight", {0.0, 1.0}, {0.0, 2.5}, 0.05},
    {"fertility", "Weeks worked by mothers", "weeks for a third child", {0.0, 0.08}, {-12.0, 2.0}, 0.01},
};

struct AtCheckpoint {
  Sample r_squared;
  Sample coefficient;
};

std::vector<AtCheckpoint> measure(const RealStream& stream, double epsilon, int seeds) {
  std::vector<AtCheckpoint> result(stream.checkpoints().size());
  StreamOptions options = stream.options();
  options.budget.epsilon = epsilon;
  options.horizon = Horizon::unbounded();
  options.release_every = kReleaseEvery;
  for (int seed = 1; seed <= seeds; ++seed) {
    options.insecure_seed = static_cast<std::uint64_t>(seed);
    const std::vector<PrivateFit> fits = stream.fit(options);
    for (std::size_t i = 0; i < fits.size(); ++i) {
      result[i].r_squared.add(fits[i].r_squared);
      result[i].coefficient.add(fits[i].coefficient);
    }
  }
  return result;
}

// The first checkpoint where the mean comes close to least squares; 0 when none does.
std::uint64_t rows_until_close(const std::vector<AtCheckpoint>& measured, const RealStream& stream, double close) {
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Checkpoint& checkpoint = stream.checkpoints()[i];
    if (measured[i].r_squared.mean() >= checkpoint.least_squares - close) return checkpoint.rows;
  }
  return 0;
}

struct Output {
  std::string csv =
      "stream,epsilon,rows,seeds,r2,r2_standard_error,r2_least,r2_largest,r2_least_squares,r2_trivial,coefficient,"
      "coefficient_standard_error,coefficient_least_squares\n";
  std::string rows = "stream,epsilon,close,rows\n";  // 0: not within the stream
};

void run(const Table& table, const Arguments& arguments, int seeds, Output& output) {
  const std::string base = arguments.data + "/" + table.name;
  const RealStream stream(base + ".csv.gz", base + ".toml", arguments.quick ? 2000 : UINT64_MAX);
  const std::vector<Checkpoint>& at = stream.checkpoints();
  Plot quality{table.title, "rows", "R^2 on the rows so far", {}, table.r_squared_range};
  Plot coefficient{std::string(table.title) + ", epsilon = 1", "rows", table.coefficient, {}, table.coefficient_range};
  PlotLine best{"least squares, not private", {}, true};
  PlotLine best_coefficient = best;
  for (const Checkpoint& checkpoint : at) {
    const auto rows = static_cast<double>(checkpoint.rows);
    best.points.emplace_back(rows, checkpoint.least_squares);
    best_coefficient.points.emplace_back(rows, checkpoint.coefficient);
  }
  quality.lines.push_back(best);
  coefficient.lines.push_back(best_coefficient);

  std::printf("\n%s: %llu rows; R^2 at the end: least squares %.4f, trivial %.4f\n%8s", table.name,
              static_cast<unsigned long long>(stream.rows()), at.back().least_squares, at.back().trivial, "epsilon");
  for (const Checkpoint& checkpoint : at) std::printf(" %8llu", static_cast<unsigned long long>(checkpoint.rows));
  std::printf("  worst at the end; rows until within %g\n", table.close);
  for (const double epsilon : kEpsilons) {
    const std::vector<AtCheckpoint> measured = measure(stream, epsilon, seeds);
    PlotLine line{text("epsilon = %g", epsilon), {}};
    PlotLine slopes{"private, mean and range", {}};
    std::printf("%8g", epsilon);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Sample& r = measured[i].r_squared;
      const Sample& c = measured[i].coefficient;
      const auto rows = static_cast<double>(at[i].rows);
      line.points.emplace_back(rows, r.mean());
      slopes.points.emplace_back(rows, c.mean());
      slopes.band.push_back({rows, c.least(), c.largest()});
      if (epsilon == kPictured) line.band.push_back({rows, r.least(), r.largest()});
      output.csv +=
          text("%s,%g,%llu,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", table.name, epsilon,
               static_cast<unsigned long long>(at[i].rows), seeds, r.mean(), r.standard_error(), r.least(), r.largest(),
               at[i].least_squares, at[i].trivial, c.mean(), c.standard_error(), at[i].coefficient);
      std::printf(" %8.4f", r.mean());
    }
    const auto needed = static_cast<unsigned long long>(rows_until_close(measured, stream, table.close));
    output.rows += text("%s,%g,%g,%llu\n", table.name, epsilon, table.close, needed);
    std::printf("  %.4f; %llu\n", measured.back().r_squared.least(), needed);
    quality.lines.push_back(line);
    if (epsilon == kPictured) {
      coefficient.lines.push_back(slopes);
      std::printf(
          "%s at epsilon = 1, unbounded horizon, a release every %llu rows, defaults: R^2 %.4f at the end, mean "
          "of %d seeds; least squares %.4f\n",
          table.name, static_cast<unsigned long long>(kReleaseEvery), measured.back().r_squared.mean(), seeds,
          at.back().least_squares);
    }
    std::fflush(stdout);
  }
  write_text(arguments.out + "/streams_" + table.name + ".svg", svg(quality));
  write_text(arguments.out + "/streams_" + table.name + "_coefficient.svg", svg(coefficient));
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const int seeds = arguments.streams ? arguments.streams : 20;
  try {
    Output output;
    for (const Table& table : kTables) run(table, arguments, seeds, output);
    write_text(arguments.out + "/streams.csv", output.csv);
    write_text(arguments.out + "/streams_rows.csv", output.rows);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "streams: %s\n", error.what());
    return 1;
  }
  return 0;
}
