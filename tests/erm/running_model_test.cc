#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "erm/batch_solver.h"

namespace rivulet::erm {
namespace {

TEST(RunningModel, AWindowOfOneCallIsTheLastCallToTheBit) {
  RunningModel model({5.0, 5.0});
  model.take(std::vector<double>{0.1, 0.7}, 10.0, 0.3, 1.0);
  model.take(std::vector<double>{1.0 / 3.0, -2.0}, 20.0, 0.3, 1.0);
  EXPECT_EQ(model.theta()[0], 1.0 / 3.0);
  EXPECT_EQ(model.theta()[1], -2.0);
}

TEST(RunningModel, TheStartCountsForNothingAndCallsCountAsTheSquareOfRowsTimesMu) {
  RunningModel model({1e6});
  model.take(std::vector<double>{1.0}, 10.0, 0.3, 100.0);
  EXPECT_EQ(model.theta()[0], 1.0);
  model.take(std::vector<double>{2.0}, 20.0, 0.3, 100.0);
  EXPECT_NEAR(model.theta()[0], (1.0 * 1.0 + 4.0 * 2.0) / 5.0, 1e-12);
  model.take(std::vector<double>{3.0}, 20.0, 0.6, 100.0);
  EXPECT_NEAR(model.theta()[0], (1.0 * 1.0 + 4.0 * 2.0 + 16.0 * 3.0) / 21.0, 1e-12);
}

TEST(RunningModel, TheMeanAgeOfWhatItRemembersIsAtMostTheWindow) {
  // Feed the call's number: its distance to the mean is the mean age, in calls.
  for (const double window : {1.0, 4.0, 25.0}) {
    RunningModel model({0.0});
    for (int call = 1; call <= 2000; ++call) {
      model.take(std::vector<double>{static_cast<double>(call)}, call, 1.0, window);
      EXPECT_LE(call - model.theta()[0], window);
    }
    EXPECT_NEAR(2000.0 - model.theta()[0], window - 1.0, 1e-6);
  }
}

TEST(RunningModel, NoiseThatIsIndependentFromCallToCallShrinks) {
  // Variance 1 / (2 window - 1) of a call's: with 1e5 of them, correlated over some 10, within 5% but for 1e-6.
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  RunningModel model({0.0});
  double squares = 0.0;
  for (int call = 1; call <= 100000; ++call) {
    model.take(std::vector<double>{normal(random)}, 1000.0 + call, 1.0, 10.0);
    squares += model.theta()[0] * model.theta()[0];
  }
  EXPECT_NEAR(squares / 100000.0, 1.0 / 19.0, 0.1 / 19.0);
}

}  // namespace
}  // namespace rivulet::erm
