// erm_output_perturbation [STREAMS]: output perturbation against noisy gradient descent at the end of streams of 2^14
// rows, epsilon = 1, delta = 1e-6, over the L2 ball of radius 2, with ridges of 0.01, 0.1 and 1. Prints the excess of
// the objective with the ridge, J(theta) - min J, summed over the rows; means over streams.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "rivulet/constraint.h"
#include "rivulet/priv_inc_erm.h"

namespace {

using namespace rivulet;

constexpr std::uint64_t kRows = 16384;
constexpr double kRadius = 2.0;

struct Stream {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
};

// Rows of length 1/2 to 1 in random directions; a class by its log-odds, or a number with noise.
Stream draw(bool classes, std::size_t d, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto scaled_to = [](std::vector<double> v, double length) {
    double square = 0.0;
    for (const double entry : v) square += entry * entry;
    for (double& entry : v) entry *= length / std::sqrt(square);
    return v;
  };
  const auto direction = [&] {
    std::vector<double> v(d);
    for (double& entry : v) entry = normal(random);
    return v;
  };
  const std::vector<double> theta = scaled_to(direction(), classes ? 4.0 : 0.8);
  Stream stream;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    stream.x.push_back(scaled_to(direction(), 0.5 + 0.5 * uniform(random)));
    double score = 0.0;
    for (std::size_t j = 0; j < d; ++j) score += theta[j] * stream.x.back()[j];
    stream.y.push_back(classes ? (uniform(random) < 1.0 / (1.0 + std::exp(-score)) ? 1.0 : -1.0)
                               : std::clamp(score + 0.1 * normal(random), -1.0, 1.0));
  }
  return stream;
}

class Objective {
 public:
  Objective(const Loss& loss, const Stream& stream, double ridge) : loss_(loss), stream_(stream), ridge_(ridge) {}

  [[nodiscard]] double value(const std::vector<double>& theta) const {
    double squares = 0.0;
    for (const double entry : theta) squares += entry * entry;
    double sum = 0.5 * ridge_ * static_cast<double>(kRows) * squares;
    for (std::size_t i = 0; i < kRows; ++i) sum += loss_.value(prediction(i, theta), stream_.y[i]);
    return sum;
  }
  // Accelerated projected gradient descent, until the mapping no longer moves.
  [[nodiscard]] double minimum() const {
    const std::size_t d = stream_.x.front().size();
    const auto ball = make_l2_ball(d, kRadius);
    const double size = 1.0 / (static_cast<double>(kRows) * (loss_.smoothness(kRadius) + ridge_));
    std::vector<double> theta(d, 0.0);
    std::vector<double> before = theta;
    for (double step = 0.0; step < 600.0; step += 1.0) {
      std::vector<double> ahead(d);
      for (std::size_t j = 0; j < d; ++j) ahead[j] = theta[j] + step / (step + 3.0) * (theta[j] - before[j]);
      std::vector<double> gradient(d);
      for (std::size_t j = 0; j < d; ++j) gradient[j] = ridge_ * static_cast<double>(kRows) * ahead[j];
      for (std::size_t i = 0; i < kRows; ++i) {
        const double slope = loss_.derivative(prediction(i, ahead), stream_.y[i]);
        for (std::size_t j = 0; j < d; ++j) gradient[j] += slope * stream_.x[i][j];
      }
      before = theta;
      for (std::size_t j = 0; j < d; ++j) theta[j] = ahead[j] - size * gradient[j];
      ball->project(theta);
    }
    return value(theta);
  }

 private:
  [[nodiscard]] double prediction(std::size_t i, const std::vector<double>& theta) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < theta.size(); ++j) sum += theta[j] * stream_.x[i][j];
    return sum;
  }

  const Loss& loss_;
  const Stream& stream_;
  double ridge_;
};

std::vector<double> fitted(const std::shared_ptr<const Loss>& loss, const Stream& stream, double ridge,
                           PrivIncErm::Method method, std::uint64_t seed) {
  PrivIncErm::Options options;
  options.budget = {1.0, 1e-6};
  const std::size_t d = stream.x.front().size();
  options.schema.intercept(false).clip_norm(1.0);
  for (std::size_t j = 0; j < d; ++j) options.schema.feature("x" + std::to_string(j + 1), {-1, 1});
  if (loss->is_classification()) {
    options.schema.classes("y", -1, 1);
  } else {
    options.schema.target("y", {-1, 1});
  }
  options.loss = loss;
  options.constraint = "l2:" + std::to_string(kRadius);
  options.horizon = Horizon::known(kRows);
  options.method = method;
  options.ridge = ridge;
  options.insecure_seed = seed;
  PrivIncErm erm(options);
  for (std::size_t i = 0; i < kRows; ++i) erm.observe(stream.x[i], stream.y[i]);
  return erm.model().theta;
}

}  // namespace

int main(int argc, char** argv) {
  const int streams = argc > 1 ? std::max(1, std::atoi(argv[1])) : 4;
  std::printf("%-10s %3s %6s %12s %12s %12s\n", "loss", "d", "ridge", "trivial", "descent", "output");
  for (const char* text : {"logistic", "huber:0.5", "squared"}) {
    const std::shared_ptr<const Loss> loss = parse_loss(text);
    for (const std::size_t d : {5, 20}) {
      for (const double ridge : {0.01, 0.1, 1.0}) {
        double excess[3] = {};
        for (int stream = 1; stream <= streams; ++stream) {
          const auto seed = static_cast<std::uint64_t>(stream);
          const Stream rows = draw(loss->is_classification(), d, seed);
          const Objective objective(*loss, rows, ridge);
          const double best = objective.minimum();
          excess[0] += (objective.value(std::vector<double>(d, 0.0)) - best) / streams;
          excess[1] +=
              (objective.value(fitted(loss, rows, ridge, PrivIncErm::Method::gradient_descent, seed)) - best) / streams;
          excess[2] +=
              (objective.value(fitted(loss, rows, ridge, PrivIncErm::Method::output_perturbation, seed)) - best) /
              streams;
        }
        std::printf("%-10s %3zu %6g %12.2f %12.2f %12.2f\n", text, d, ridge, excess[0], excess[1], excess[2]);
        std::fflush(stdout);
      }
    }
  }
  return 0;
}
