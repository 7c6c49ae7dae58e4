#include "audit/distinguisher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rivulet::audit {
namespace {

const KeepGoing kToTheEnd = [](double) { return true; };

// N(0, 1) against N(mu, 1), twice over: known to the attacker, and to be learnt from two numbers of which one says
// nothing.
class GaussianPair final : public Experiment {
 public:
  GaussianPair(double mu, std::uint64_t seed) : mu_(mu), random_(seed) {}
  [[nodiscard]] const std::vector<View>& views() const override { return views_; }
  void run(bool second, std::span<double> numbers) override {
    numbers[0] = normal_(random_) + (second ? mu_ : 0.0);
    numbers[1] = normal_(random_);
    numbers[2] = numbers[0];
  }

 private:
  double mu_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<View> views_{{"known", 1, {1.0}, false}, {"learnt", 2, {}, true}};
};

// At alpha = 0.2 at most a fifth of all audits may claim more than there is. 600 audits: the 1e-6 point of the binomial
// is 168. Bounds taken at the cutoffs' own trials would be wrong nearly always.
TEST(Distinguish, ClaimsMoreThanThereIsNoOftenerThanItSays) {
  int above = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    GaussianPair pair(1.0, seed);
    const auto measured = distinguish(pair, {400, 0.2, 1e-6}, kToTheEnd);
    above += measured->mu > 1.0 ? 1 : 0;
  }
  EXPECT_LE(above, 168);
}

TEST(Distinguish, ComesCloseToTheTruth) {
  GaussianPair pair(1.0, 5);
  const auto measured = distinguish(pair, {40000, 1e-8, 1e-6}, kToTheEnd);
  EXPECT_GT(measured->mu, 0.88);
  EXPECT_LT(measured->mu, 1.0);
  EXPECT_GT(measured->epsilon, 1.6);
  EXPECT_EQ(measured->trials, 40000U);
  EXPECT_FALSE(measured->mu_attack.empty());
  EXPECT_FALSE(measured->epsilon_attack.empty());
}

TEST(Distinguish, ProvesNothingWhenThereIsNothing) {
  GaussianPair pair(0.0, 6);
  const auto measured = distinguish(pair, {5000, 1e-6, 1e-6}, kToTheEnd);
  EXPECT_EQ(measured->mu, 0.0);
  EXPECT_EQ(measured->epsilon, 0.0);
}

TEST(Distinguish, AStreamThatIsGivenAwayProvesAsMuchAsTheTrialsCan) {
  GaussianPair pair(1000.0, 7);
  const auto measured = distinguish(pair, {1000, 1e-6, 1e-6}, kToTheEnd);
  EXPECT_GT(measured->epsilon, 3.5);
  EXPECT_GT(measured->mu, 3.5);
}

TEST(Distinguish, StopsWhenToldTo) {
  GaussianPair pair(1.0, 8);
  double last = 0.0;
  EXPECT_FALSE(distinguish(pair, {100000, 1e-6, 1e-6}, [&](double share) {
    EXPECT_GE(share, last);
    last = share;
    return share < 0.3;
  }));
  EXPECT_LT(last, 0.31);
}

}  // namespace
}  // namespace rivulet::audit
