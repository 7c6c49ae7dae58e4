#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "fit/model_fitter.h"
#include "rivulet/loss.h"
#include "support/refusal.h"

namespace rivulet::fit {
namespace {

double squared_error(double margin, double c) {
  // Against the loss itself, with the best constant for this c.
  const auto loss = make_logistic_loss();
  constexpr int kPoints = 20001;
  double mean = 0.0;
  std::vector<double> errors;
  for (int i = 0; i < kPoints; ++i) {
    const double m = margin * (2.0 * i / (kPoints - 1) - 1.0);
    errors.push_back(loss->value(m, 1.0) + m / 2.0 - c * m * m);
    mean += errors.back() / kPoints;
  }
  double sum = 0.0;
  for (const double error : errors) sum += (error - mean) * (error - mean);
  return sum / kPoints;
}

TEST(Surrogate, IsTheBestParabola) {
  for (const double margin : {0.5, 2.0, 4.0, 6.0, 30.0}) {
    const double c = surrogate_curvature(margin);
    EXPECT_LT(squared_error(margin, c), squared_error(margin, c * 1.01)) << margin;
    EXPECT_LT(squared_error(margin, c), squared_error(margin, c * 0.99)) << margin;
  }
  EXPECT_NEAR(surrogate_curvature(2.0), 0.1103, 1e-4);
  EXPECT_NEAR(surrogate_curvature(4.0), 0.0857, 1e-4);
  EXPECT_NEAR(surrogate_curvature(6.0), 0.0665, 1e-4);
}

TEST(Surrogate, BeginsAtTheCurvatureOfTheLossAndFallsWithTheMargin) {
  EXPECT_EQ(surrogate_curvature(0.0), 0.125);
  EXPECT_NEAR(surrogate_curvature(1.1e-3), 0.125, 1e-6);
  double before = 0.13;
  for (double margin = 0.0; margin <= 100.0; margin += 0.5) {
    const double c = surrogate_curvature(margin);
    EXPECT_LT(c, before) << margin;
    EXPECT_GT(c, 0.0);
    before = c;
  }
}

TEST(Surrogate, AMarginThatIsNoneIsRefused) {
  for (const double wrong : {-1.0, 100.1, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(testing::refused_field([&] { (void)surrogate_curvature(wrong); }), "margin") << wrong;
  }
}

// The fitted model is where the gradient of the surrogate vanishes, summed over the rows one by one.
TEST(Surrogate, TheModelMinimisesTheSurrogateOverTheRows) {
  constexpr std::size_t d = 3;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-0.57, 0.57);
  Statistics statistics;
  statistics.dimension = d;
  statistics.gram.assign(d * d, 0.0);
  statistics.cross.assign(d, 0.0);
  std::vector<std::vector<double>> rows;
  std::vector<double> labels;
  for (int i = 0; i < 500; ++i) {
    std::vector<double> x{uniform(random), uniform(random), uniform(random)};
    const double y = x[0] + 0.3 * uniform(random) > 0.0 ? 1.0 : -1.0;
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < d; ++b) statistics.gram[a * d + b] += x[a] * x[b];
      statistics.cross[a] += x[a] * y;
    }
    rows.push_back(x);
    labels.push_back(y);
  }
  Schema schema = Schema::unit_ball(d);
  ModelFitter::Options options;
  options.constraint = "l2:100";
  options.noise_aware_ridge = false;
  const double c = surrogate_curvature(4.0);
  options.surrogate_curvature = c;
  const std::vector<double> theta = ModelFitter(schema, options).fit(statistics).theta;
  std::vector<double> gradient(d, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double margin = 0.0;
    for (std::size_t a = 0; a < d; ++a) margin += labels[i] * rows[i][a] * theta[a];
    for (std::size_t a = 0; a < d; ++a) gradient[a] += (-0.5 + 2.0 * c * margin) * labels[i] * rows[i][a];
  }
  for (const double entry : gradient) EXPECT_NEAR(entry, 0.0, 1e-9);
  EXPECT_GT(theta[0], 1.0);
}

}  // namespace
}  // namespace rivulet::fit
