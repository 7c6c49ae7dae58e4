// horizons [--out FOLDER] [--streams N] [--quick]: what it costs not to know how long the stream will be. The noise of
// released prefix sums in the second half of T steps, and the excess risk of the models there, for strategies that were
// told T and for those that were not. Writes horizons.csv, horizons_noise.svg and horizons_excess.svg.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "experiment.h"
#include "not_private/exact_least_squares.h"
#include "plot_svg.h"
#include "rivulet/priv_inc_reg1.h"
#include "strategy/blt.h"
#include "strategy/strategy.h"
#include "synthetic_stream.h"

namespace {

using namespace rivulet;
using namespace rivulet::experiments;

constexpr std::size_t kDimension = 5;
constexpr std::uint64_t kRowsPerStep = 16;
constexpr Budget kBudget{1.0, 1e-6};
constexpr int kStreams = 12;

struct Contender {
  const char* name;
  StrategyKind kind;
  bool told;  // of T
  TreeDecoding decoding;
};

constexpr Contender kContenders[] = {
    {"blt, T known", StrategyKind::blt, true, TreeDecoding::optimal},
    {"blt, unbounded (default)", StrategyKind::blt, false, TreeDecoding::optimal},
    {"tree, T known", StrategyKind::tree, true, TreeDecoding::optimal},
    {"tree, T known, paper's decoding", StrategyKind::tree, true, TreeDecoding::paper},
    {"hybrid, unbounded", StrategyKind::hybrid, false, TreeDecoding::optimal},
    {"hybrid, unbounded, paper's decoding", StrategyKind::hybrid, false, TreeDecoding::paper},
};

std::vector<std::uint64_t> lengths(bool quick) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t steps = 1 << 8; steps <= (quick ? 1 << 9 : 1 << 16); steps *= 2) result.push_back(steps);
  return result;
}

Horizon horizon_of(const Contender& contender, std::uint64_t steps) {
  return contender.told ? Horizon::known(steps) : Horizon::unbounded();
}

// Standard deviations of the prefix sums of steps T/2 + 1 to T, for sensitivity 1 and mu = 1.
struct Noise {
  double root_mean_square = 0.0;
  double largest = 0.0;
};

Noise noise_of(const Contender& contender, std::uint64_t steps) {
  const auto strategy = strategy::make_strategy({.kind = contender.kind,
                                                 .horizon = horizon_of(contender, steps),
                                                 .buffers = {},
                                                 .tree_decoding = contender.decoding});
  Noise noise;
  for (std::uint64_t step = steps / 2 + 1; step <= steps; ++step) {
    const double here = strategy->norm() * strategy->decoder_norm(step);
    noise.root_mean_square += here * here / static_cast<double>(steps / 2);
    noise.largest = std::max(noise.largest, here);
  }
  noise.root_mean_square = std::sqrt(noise.root_mean_square);
  return noise;
}

// Steps of the second half where models are looked at: spread out, and of all kinds to a tree, whose noise depends on
// the binary digits of the step.
std::vector<std::uint64_t> looked_at(std::uint64_t steps) {
  std::vector<std::uint64_t> result;
  for (int i = 1; i <= 8; ++i) {
    const double share = std::fmod(0.6180339887 * i, 1.0);
    result.push_back(steps / 2 + static_cast<std::uint64_t>(share * static_cast<double>(steps / 2)));
  }
  std::sort(result.begin(), result.end());
  return result;
}

struct Outcome {
  double excess = 0.0;
  double trivial = 0.0;
};

// For each of the lengths the mean over the steps looked at, on one stream.
std::vector<Outcome> measure(const Contender& contender, Horizon horizon, const std::vector<std::uint64_t>& at,
                             std::uint64_t seed) {
  StreamOptions options;
  options.budget = kBudget;
  options.schema = Schema::unit_ball(kDimension);
  options.horizon = horizon;
  options.release_every = kRowsPerStep;
  options.strategy = contender.kind;
  if (contender.kind != StrategyKind::blt) options.tree_decoding = contender.decoding;
  options.constraint = "l2:1";
  options.insecure_seed = seed;
  PrivIncReg1 regression(options);
  not_private::ExactLeastSquares exact(options.schema, options.constraint);
  IsotropicStream stream(kDimension, 0.8, 0.1, seed);
  const std::vector<double> zero(kDimension, 0.0);
  std::vector<Outcome> result;
  for (const std::uint64_t steps : at) {
    const std::vector<std::uint64_t> looks = looked_at(steps);
    const auto number = static_cast<double>(looks.size());
    Outcome mean;
    for (const std::uint64_t step : looks) {
      while (regression.step() < step) {
        const SyntheticRow& row = stream.next();
        exact.observe(row.x, row.y);
        regression.observe(row.x, row.y);
      }
      mean.excess += exact.excess_risk(regression.model().theta) / number;
      mean.trivial += exact.excess_risk(zero) / number;
    }
    result.push_back(mean);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const int streams = arguments.streams ? arguments.streams : kStreams;
  const std::vector<std::uint64_t> steps = lengths(arguments.quick);
  std::string csv = "strategy,steps,noise_rms,noise_largest,largest_to_optimum,streams,excess,standard_error,trivial\n";
  Plot noise{"Largest noise of a prefix sum in the second half of T steps",
             "steps T",
             "times the optimum for that T",
             {},
             std::pair{0.0, 5.0}};
  Plot excess{"Excess risk in the second half of T steps, d = 5, epsilon = 1",
              "steps T, 16 rows each",
              "excess risk (sum of squares)",
              {}};
  PlotLine ignoring{"ignoring the rows", {}, true};
  std::printf(
      "Largest noise against the optimum for that T, and mean excess risk of %d streams: d = %zu, %llu rows a step, "
      "epsilon = "
      "%g, delta = 1e-6, L2 ball\n%-36s",
      streams, kDimension, static_cast<unsigned long long>(kRowsPerStep), kBudget.epsilon, "T");
  for (const std::uint64_t t : steps) std::printf(" %12llu", static_cast<unsigned long long>(t));
  for (const Contender& contender : kContenders) {
    std::vector<Sample> risk(steps.size());
    std::vector<Sample> trivial(steps.size());
    for (int stream = 1; stream <= streams; ++stream) {
      const auto seed = static_cast<std::uint64_t>(stream);
      std::vector<Outcome> outcomes;
      if (contender.told) {
        for (const std::uint64_t t : steps) {
          outcomes.push_back(measure(contender, Horizon::known(t), {t}, seed).front());
        }
      } else {
        outcomes = measure(contender, Horizon::unbounded(), steps, seed);
      }
      for (std::size_t i = 0; i < steps.size(); ++i) {
        risk[i].add(outcomes[i].excess);
        trivial[i].add(outcomes[i].trivial);
      }
    }
    PlotLine noise_line{contender.name, {}};
    PlotLine excess_line{contender.name, {}};
    std::printf("\n%-36s", contender.name);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto t = static_cast<double>(steps[i]);
      const Noise measured = noise_of(contender, steps[i]);
      const double share = measured.largest / strategy::sqrt_toeplitz_stddev(steps[i]);
      noise_line.points.emplace_back(t, share);
      excess_line.points.emplace_back(t, risk[i].mean());
      if (&contender == &kContenders[0]) ignoring.points.emplace_back(t, trivial[i].mean());
      csv += text("\"%s\",%llu,%.4f,%.4f,%.4f,%d,%.3f,%.3f,%.1f\n", contender.name,
                  static_cast<unsigned long long>(steps[i]), measured.root_mean_square, measured.largest, share,
                  streams, risk[i].mean(), risk[i].standard_error(), trivial[i].mean());
      std::printf(" %5.2f %6.1f", share, risk[i].mean());
    }
    std::fflush(stdout);
    noise.lines.push_back(noise_line);
    excess.lines.push_back(excess_line);
  }
  std::printf("\n%-36s", ignoring.name.c_str());
  for (const auto& point : ignoring.points) std::printf(" %12.1f", point.second);
  std::printf("\n");
  excess.lines.push_back(ignoring);
  write_text(arguments.out + "/horizons_noise.svg", svg(noise));
  write_text(arguments.out + "/horizons_excess.svg", svg(excess));
  write_text(arguments.out + "/horizons.csv", csv);
  return 0;
}
