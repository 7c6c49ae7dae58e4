#include "high_dimension.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "fit/model_fitter.h"
#include "rivulet/incremental_regression.h"
#include "synthetic_stream.h"

namespace rivulet::experiments {
namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of the process, in bytes: what it has, and the most it ever had.
double status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kibibytes = 0.0;
    if (word == field && status >> kibibytes) return 1024.0 * kibibytes;
  }
  return 0.0;
}

std::vector<SparseSyntheticRow> made_rows(const HighDimensionSetting& setting, std::vector<double>& theta) {
  SparseStream stream(setting.dimension, 10, setting.theta_l1, setting.noise, setting.seed, setting.zipf);
  theta = stream.theta();
  std::vector<SparseSyntheticRow> rows;
  rows.reserve(setting.rows);
  for (std::uint64_t i = 0; i < setting.rows; ++i) rows.push_back(stream.next_sparse());
  return rows;
}

double risk(const std::vector<SparseSyntheticRow>& rows, const std::vector<double>& theta) {
  double sum = 0.0;
  for (const SparseSyntheticRow& row : rows) {
    double residual = row.y;
    for (std::size_t i = 0; i < row.positions.size(); ++i) residual -= row.values[i] * theta[row.positions[i]];
    sum += residual * residual;
  }
  return sum;
}

// The best model of the set, by exact sums: not private.
std::vector<double> best_theta(const HighDimensionSetting& setting, const Schema& schema,
                               const std::vector<SparseSyntheticRow>& rows) {
  const std::size_t d = setting.dimension;
  Statistics sums;
  sums.dimension = d;
  sums.gram.assign(d * d, 0.0);
  sums.cross.assign(d, 0.0);
  for (const SparseSyntheticRow& row : rows) {
    for (std::size_t i = 0; i < row.positions.size(); ++i) {
      for (std::size_t j = 0; j < row.positions.size(); ++j) {
        sums.gram[row.positions[i] * d + row.positions[j]] += row.values[i] * row.values[j];
      }
      sums.cross[row.positions[i]] += row.values[i] * row.y;
    }
  }
  return fit::ModelFitter(schema, {.constraint = setting.constraint}).fit(sums).theta;
}

HighDimensionOutcome run(const HighDimensionSetting& setting) {
  StreamOptions options;
  options.budget = setting.budget;
  options.schema.block("x", setting.dimension, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(false).clip_norm(1.0);
  options.horizon = Horizon::known((setting.rows + setting.release_every - 1) / setting.release_every);
  options.release_every = setting.release_every;
  options.constraint = setting.constraint;
  options.insecure_seed = setting.seed;
  options.noise_aware_ridge = !setting.sketch || setting.corrected;  // over an L1 ball that is all it does
  if (setting.sketch) {
    options.sketch =
        Sketch{.dimension = setting.sketch, .embedding = setting.embedding, .column_weight = setting.column_weight};
  }

  std::vector<double> theta;
  const std::vector<SparseSyntheticRow> rows = made_rows(setting, theta);
  const double before = status_bytes("VmRSS:");
  HighDimensionOutcome outcome;
  std::vector<double> found;
  {
    IncrementalRegression regression(options);
    const double begin = processor_seconds();
    for (const SparseSyntheticRow& row : rows) {
      const bool released = regression.observe(SparseRow{row.positions, row.values}, row.y);
      if (released && setting.model_every_release) found = regression.model().theta;
    }
    outcome.rows_per_second = static_cast<double>(rows.size()) / (processor_seconds() - begin);
    const double solving = processor_seconds();
    found = regression.model().theta;
    outcome.model_seconds = processor_seconds() - solving;
    outcome.distorted = regression.distorted_rows_for_operator();
  }
  outcome.peak_bytes = status_bytes("VmHWM:") - before;
  outcome.nonzeros =
      static_cast<std::uint64_t>(std::count_if(found.begin(), found.end(), [](double v) { return v != 0.0; }));
  const double reference = risk(rows, setting.against_best ? best_theta(setting, options.schema, rows) : theta);
  outcome.reference = reference;
  outcome.excess = risk(rows, found) - reference;
  outcome.trivial = risk(rows, std::vector<double>(setting.dimension, 0.0)) - reference;
  return outcome;
}

}  // namespace

HighDimensionOutcome measure_high_dimension(const HighDimensionSetting& setting) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("no pipe for the measurement");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process for the measurement");
  if (child == 0) {
    close(channel[0]);
    const HighDimensionOutcome outcome = run(setting);
    const bool told = write(channel[1], &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome);
    _exit(told ? 0 : 1);
  }
  close(channel[1]);
  HighDimensionOutcome outcome;
  const bool heard = read(channel[0], &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome);
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!heard || status != 0) throw std::runtime_error("the measurement failed");
  return outcome;
}

}  // namespace rivulet::experiments
