// R^2 of a model's own coefficients from noisy sums. Unit-ball units, Q = G + N, q = g + n, S = sum y^2 + m as in
// noisy_least_squares.h; z stands for all the noise together, with covariance C.
//
// 1. What is seen. For fixed theta the sum of squared errors E(theta) = S - 2 q.theta + theta^T Q theta is linear in
//    the sums: it carries the noise F(theta).z, F = (theta theta^T, -2 theta, 1). But theta was fitted to the very same
//    noise, which it follows: E[F(theta).z] < 0, the model looks better than it is.
// 2. How much better. Stein: for Gaussian z, E[F.z] = E[tr(C dF/dz)] = E[b]. So E(theta) - b is unbiased for the sum of
//    squared errors on the rows themselves, whatever theta does with the sums, as long as it does it without jumps.
// 3. How sure that is. Second-order Stein (Bellec and Zhang, Annals of Statistics 49, 2021, Theorem 2.1):
//      E[(F.z - b)^2] = E[F^T C F] + E[tr((C dF/dz)^2)].
//    The first term is the noise for fixed theta, the second what fitting to it adds. C^(1/2) dF/dz C^(1/2) is
//    symmetric where theta minimises E itself (F is then the gradient of the smallest E) and nearly so otherwise;
//    the sum of its squared entries is used, which is never less than the trace.
//    Both terms come from refits to the sums moved by a small step h along random directions w of covariance C: with
//    dF = (F(z + h w) - F(z - h w)) / 2h, b is the mean of w.dF, the second term the mean of dF^T C dF. Signs +-sigma
//    serve as w: traces vary least with them, and they are the same on every machine.
// 4. R^2 = 1 - E / T, T = S - q_0^2 / Q_00 + (second-order noise of the quotient). Fieller: the interval is every r for
//    which E - (1 - r) T, of known variance, is within z_level standard deviations of 0. It covers where the delta
//    method's would not, with T only a few standard deviations above 0, and r = 0 is the verdict's test.
#include "rivulet/model_quality.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>
#include <utility>

#include "base/distributions.h"
#include "infer/noisy_least_squares.h"
#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using infer::NoiseFunctional;

// In standard deviations of the noise. Coverage is the same from 0.1 to 0.5; with 1 the step leaves the neighbourhood.
constexpr double kStep = 0.25;
constexpr int kMostProbes = 64;
// Traces of large matrices vary little from probe to probe; what they do vary is counted.
constexpr int kFewestProbes = 8;

double square(double x) {
  return x * x;
}

// A direct comparison of the two: what the model leaves and what a constant leaves, with the noise in both.
struct Errors {
  double of_model = 0.0;  // E - b
  double of_constant = 0.0;
  double model_variance = 0.0;
  double constant_variance = 0.0;
  double covariance = 0.0;

  // Of of_model - share * of_constant.
  [[nodiscard]] double variance(double share) const {
    return std::max(0.0, model_variance - 2.0 * share * covariance + share * share * constant_variance);
  }
};

// The statistics moved along a random direction of the noise and back.
class Probe {
 public:
  Probe(const Statistics& statistics, std::mt19937_64& random) : forward_(statistics), back_(statistics) {
    const std::size_t d = statistics.dimension;
    const NoiseLevel& noise = statistics.noise;
    const auto move = [&](double sigma, double& up, double& down) {
      const double by = (random() >> 63) != 0 ? kStep * sigma : -kStep * sigma;
      up += by;
      down -= by;
    };
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        move(noise.gram_offdiagonal, forward_.gram[i * d + j], back_.gram[i * d + j]);
        forward_.gram[j * d + i] = forward_.gram[i * d + j];
        back_.gram[j * d + i] = back_.gram[i * d + j];
      }
      move(noise.gram_diagonal, forward_.gram[i * d + i], back_.gram[i * d + i]);
      move(noise.cross, forward_.cross[i], back_.cross[i]);
    }
  }

  // How F changes along the direction w, and w.dF.
  [[nodiscard]] std::pair<NoiseFunctional, double> change(Refit& refit) const {
    const NoiseFunctional up = infer::squared_error(theta(refit.fit(forward_)));
    const NoiseFunctional down = infer::squared_error(theta(refit.fit(back_)));
    NoiseFunctional change{(up.gram - down.gram) / (2.0 * kStep), (up.cross - down.cross) / (2.0 * kStep), 0.0};
    const Statistics forward = refit.select(forward_);
    const Statistics back = refit.select(back_);
    double along = 0.0;
    for (std::size_t i = 0; i < forward.gram.size(); ++i) {
      along += (forward.gram[i] - back.gram[i]) * change.gram.data()[i];
    }
    for (std::size_t i = 0; i < forward.cross.size(); ++i) {
      along += (forward.cross[i] - back.cross[i]) * change.cross(static_cast<Index>(i));
    }
    return {std::move(change), along / (2.0 * kStep)};
  }

 private:
  static VectorXd theta(const Model& model) {
    return Eigen::Map<const VectorXd>(model.theta.data(), static_cast<Index>(model.theta.size()));
  }

  Statistics forward_;
  Statistics back_;
};

int probes_for(std::size_t dimension) {
  constexpr double kWork = 2e7;  // of the d^3 of a fit, in all
  const double affordable = kWork / std::pow(static_cast<double>(dimension), 3.0);
  return static_cast<int>(std::clamp(affordable, double{kFewestProbes}, double{kMostProbes}));
}

// Adds -b, and the second term of the variance with what the number of probes leaves open.
void correct_for_fitting(Errors& errors, const Statistics& whole, const Statistics& part, Refit& refit) {
  const NoiseLevel& noise = whole.noise;
  if (noise.gram_diagonal == 0.0 && noise.gram_offdiagonal == 0.0 && noise.cross == 0.0) return;
  std::mt19937_64 random(1);  // public: nothing is hidden by it
  const int probes = probes_for(whole.dimension);
  double sum = 0.0;
  double squares = 0.0;
  double variances = 0.0;
  for (int i = 0; i < probes; ++i) {
    const auto [change, along] = Probe(whole, random).change(refit);
    sum += along;
    squares += square(along);
    variances += infer::covariance(change, change, part);
  }
  const double count = probes;
  errors.of_model -= sum / count;
  errors.model_variance += variances / count + std::max(0.0, squares / count - square(sum / count)) / (count - 1.0);
}

// Step 2 needs a fit that does not jump. The noise-aware ridge sees to that; without it the fit is of the noisy matrix
// itself (with its fixed ridge), and from a minimum on one side of the set to one on the other where that is
// indefinite.
bool may_jump(const Statistics& part, const Refit::Options& options) {
  constexpr std::string_view kRidge = "ridge:";
  const bool automatic = options.regularisation == "auto";
  if (automatic && !parse_constraint(options.constraint, part.dimension)->prefers_width()) return false;
  const double ridge = options.regularisation.starts_with(kRidge)
                           ? std::strtod(options.regularisation.c_str() + kRidge.size(), nullptr)
                           : 0.0;
  const auto d = static_cast<Index>(part.dimension);
  const Eigen::Map<const MatrixXd> gram(part.gram.data(), d, d);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(gram, Eigen::EigenvaluesOnly);
  return solver.info() != Eigen::Success || solver.eigenvalues()(0) + ridge < 0.0;
}

// Nothing where the mean itself is not determined.
std::optional<Errors> compare(const Statistics& part, const VectorXd& theta, bool intercept) {
  const auto d = static_cast<Index>(part.dimension);
  const Eigen::Map<const MatrixXd> gram(part.gram.data(), d, d);
  const Eigen::Map<const VectorXd> cross(part.cross.data(), d);
  Errors errors;
  const NoiseFunctional of_model = infer::squared_error(theta);
  errors.of_model = part.target_square - 2.0 * theta.dot(cross) + theta.dot(gram * theta);
  errors.model_variance = infer::covariance(of_model, of_model, part);

  VectorXd constant = VectorXd::Zero(d);
  errors.of_constant = part.target_square;
  if (intercept) {
    if (!(gram(0, 0) > infer::eigenvalue_limit(part.noise, 1))) return std::nullopt;
    constant(0) = cross(0) / gram(0, 0);
    // (n_0 - c N_00)^2 / Q_00 is missing from S - q_0^2 / Q_00 on average.
    const double second_order = square(part.noise.cross) + square(constant(0) * part.noise.gram_diagonal);
    errors.of_constant += (second_order - square(cross(0))) / gram(0, 0);
  }
  const NoiseFunctional of_constant = infer::squared_error(constant);
  errors.constant_variance = infer::covariance(of_constant, of_constant, part);
  errors.covariance = infer::covariance(of_model, of_constant, part);
  return errors;
}

void judge(ModelQuality& quality, const Errors& errors) {
  const double quantile = two_sided_quantile(1.0 - quality.level, std::numeric_limits<double>::infinity());
  const double most = square(quantile);
  const double model = errors.of_model;
  const double constant = errors.of_constant;
  // A sum of squares below zero beyond doubt: a draw of the noise that the formulas do not describe. Rounding aside.
  if (model + quantile * std::sqrt(errors.model_variance) < -1e-9 * std::abs(constant)) return;

  const double reach = quantile * std::sqrt(errors.variance(1.0));
  if (constant - model > reach) quality.verdict = Verdict::better;
  if (constant - model <= -reach) quality.verdict = Verdict::no_better;

  // (E - s T)^2 <= most * variance(s), for the share s = 1 - r: between the roots of a parabola if T is clear of 0.
  const double a = square(constant) - most * errors.constant_variance;
  if (!(constant > 0.0 && a > 0.0)) return;
  const double b = model * constant - most * errors.covariance;
  const double c = square(model) - most * errors.model_variance;
  const double half = std::sqrt(std::max(0.0, b * b - a * c));
  const double share = std::max(0.0, model / constant);
  const ModelQuality::RSquared r{1.0 - share, std::sqrt(errors.variance(share)) / constant, 1.0 - (b + half) / a,
                                 std::min(1.0, 1.0 - (b - half) / a)};
  if (std::isfinite(r.value) && std::isfinite(r.stddev) && std::isfinite(r.lower)) quality.r_squared = r;
}

std::string why_not_known(const StreamOptions& stream, const Refit::Options& options, const Statistics& statistics) {
  if (stream.erm) return "PrivIncERM publishes models, and no statistics that would tell it";
  if (stream.sketch) return "with a sketch the private statistics are those of projected rows";
  if (!(stream.loss == "squared" || (stream.loss.empty() && !stream.schema.has_classes())))
    return "R² is a measure of least squares, not of the " + stream.loss + " loss";
  if (!statistics.has_target_square) return "profile `paper` does not publish the sum of squared targets";
  if (options.solver == Solver::noisy_proj_grad) {
    return "how far the model follows the noise takes many fits, for which the solver noisy-proj-grad is too slow";
  }
  return "";
}

// At least two digits of what the noise leaves of it.
std::string number(double value, double stddev) {
  const int digits = stddev > 0.0 ? static_cast<int>(std::ceil(-std::log10(stddev))) + 1 : 4;
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", std::clamp(digits, 2, 6), value);
  return text;
}

}  // namespace

std::string ModelQuality::text() const {
  if (!not_known_because.empty()) return "R² of the model is not known: " + not_known_because + ".";
  const std::string constant = against_mean ? "the mean of the target" : "always saying 0";
  std::string out = "R² of the model on the rows so far";
  if (r_squared) {
    char share[32];
    std::snprintf(share, sizeof share, "%.4g", 100.0 * level);
    out += " " + number(r_squared->value, r_squared->stddev) + " (" + share + "% interval " +
           number(r_squared->lower, r_squared->stddev) + " to " + number(r_squared->upper, r_squared->stddev) +
           ", for the privacy noise): ";
  } else {
    out += " cannot be told yet at this noise";
    if (verdict == Verdict::cannot_be_told) return out + ".";
    out += ", but it is ";
  }
  switch (verdict) {
    case Verdict::better:
      return out + "better than " + constant + ".";
    case Verdict::no_better:
      return out + "no better than " + constant + ".";
    case Verdict::cannot_be_told:
      break;
  }
  return out + "whether it is better than " + constant + " cannot be told yet at this noise.";
}

ModelQuality model_quality(const StreamOptions& stream, const Refit::Options& options, const Statistics& statistics,
                           const Model& model, double level) {
  infer::check_level(level);
  ModelQuality quality;
  quality.level = level;
  quality.against_mean = stream.schema.has_intercept();
  quality.not_known_because = why_not_known(stream, options, statistics);
  if (!quality.not_known_because.empty()) return quality;

  infer::check_statistics(stream.schema, statistics);
  Refit refit(stream, options);
  const Statistics part = refit.select(statistics);
  if (model.theta.size() != part.dimension) {
    throw RequestError("model", "it has " + std::to_string(model.theta.size()) +
                                    " coordinates; accepted: the statistics' " + std::to_string(part.dimension));
  }
  const Eigen::Map<const VectorXd> theta(model.theta.data(), static_cast<Index>(model.theta.size()));
  std::optional<Errors> errors = compare(part, theta, quality.against_mean);
  const bool noisy = part.noise.gram_diagonal > 0.0 || part.noise.gram_offdiagonal > 0.0;
  if (!errors || (noisy && may_jump(part, options))) return quality;
  correct_for_fitting(*errors, statistics, part, refit);
  judge(quality, *errors);
  return quality;
}

ModelQuality model_quality(const StreamOptions& stream, const Statistics& statistics, const Model& model,
                           double level) {
  // PrivIncERM has no settings of a fit, and no need of them: its answer is always the same.
  const Refit::Options options = stream.erm ? Refit::Options{} : Refit::settings_of(stream);
  return model_quality(stream, options, statistics, model, level);
}

}  // namespace rivulet
