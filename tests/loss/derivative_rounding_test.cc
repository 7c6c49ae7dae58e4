// How far a derivative as computed is from the exact one: what the noise of output perturbation has to cover.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <charconv>
#include <cmath>
#include <random>

#include "loss/every_loss.h"
#include "loss/library_loss.h"

namespace rivulet {
namespace {

// A number of 300 bits.
class Exact {
 public:
  Exact() { mpfr_init2(number_, 300); }
  explicit Exact(double value) : Exact() { mpfr_set_d(number_, value, MPFR_RNDN); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(number_); }
  mpfr_ptr get() { return number_; }

 private:
  mpfr_t number_;
};

double parameter_of(const Loss& loss) {
  const std::string name = loss.name();
  double parameter = 0.0;
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos) std::from_chars(name.data() + colon + 1, name.data() + name.size(), parameter);
  return parameter;
}

// phi'(p, y) by its formula.
void exact_derivative(const Loss& loss, double p, double y, Exact& out) {
  const std::string name = loss.name();
  const double parameter = parameter_of(loss);
  Exact prediction(p);
  Exact target(y);
  mpfr_ptr r = out.get();
  if (name == "squared" || name.starts_with("huber")) {
    mpfr_sub(r, prediction.get(), target.get(), MPFR_RNDN);
    if (name == "squared") {
      mpfr_mul_ui(r, r, 2, MPFR_RNDN);
    } else if (mpfr_cmp_d(r, parameter) > 0) {
      mpfr_set_d(r, parameter, MPFR_RNDN);
    } else if (mpfr_cmp_d(r, -parameter) < 0) {
      mpfr_set_d(r, -parameter, MPFR_RNDN);
    }
    return;
  }
  mpfr_mul(r, prediction.get(), target.get(), MPFR_RNDN);
  if (name == "logistic") {
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
  } else {  // the slope of a smoothed hinge, or of a hinge within its straight part
    mpfr_ui_sub(r, 1, r, MPFR_RNDN);
    if (parameter > 0.0) mpfr_div(r, r, Exact(parameter).get(), MPFR_RNDN);
    if (mpfr_sgn(r) < 0) mpfr_set_ui(r, 0, MPFR_RNDN);
    if (parameter == 0.0 || mpfr_cmp_ui(r, 1) > 0) mpfr_set_ui(r, 1, MPFR_RNDN);
  }
  mpfr_mul(r, r, target.get(), MPFR_RNDN);
  mpfr_neg(r, r, MPFR_RNDN);
}

TEST(DerivativeRounding, StaysWithinTheStatedBoundForEveryLossThatIsSmooth) {
  std::mt19937_64 random(1);
  Exact exact;
  int tried = 0;
  for (const auto& loss : testing::every_loss()) {
    double nearest = 0.0;
    for (const double radius : {0.3, 0.69, 0.9, 1.0, 2.0, 30.0, 1000.0}) {
      const double smoothness = loss->smoothness(radius + 0x1p-20 * (radius + 1.0));
      if (!std::isfinite(smoothness)) continue;
      ++tried;
      const double bound = 0x1p-53 * (smoothness * (2.0 * radius + 1.0) + 32.0 * loss->lipschitz(radius));
      for (int i = 0; i < 20000; ++i) {
        // Any target, since the kernel's are truncated; predictions also next to where the pieces of a loss meet.
        const double y = i % 3 == 0 ? std::uniform_real_distribution<double>(-1.0, 1.0)(random)
                                    : (i % 2 == 0 ? 1.0 : -1.0) * (i % 4 < 2 ? 1.0 : 32767.0 / 32768.0);
        double p = testing::random_prediction(radius, random);
        if (i % 5 == 0 && y != 0.0) {
          const double corner = i % 2 == 0 ? parameter_of(*loss) : 0.0;
          p = (loss->is_classification() ? (1.0 - corner) / y : y + corner) + std::ldexp(p / radius, -45);
          if (std::abs(p) > radius) continue;
        }
        exact_derivative(*loss, p, y, exact);
        mpfr_sub(exact.get(), exact.get(), Exact(loss->derivative(p, y)).get(), MPFR_RNDN);
        const double error = std::abs(mpfr_get_d(exact.get(), MPFR_RNDA));
        ASSERT_LE(error, bound) << loss->name() << " at " << p << ", " << y << ", radius " << radius;
        nearest = std::max(nearest, error / bound);
      }
    }
    // Not idle either. The hinge within its straight part has no rounding at all.
    if (!std::isfinite(loss->smoothness(3.0))) continue;
    EXPECT_GT(nearest, 0.01) << loss->name();
  }
  EXPECT_GT(tried, 40);
}

TEST(DerivativeRounding, EveryLossOfTheLibrarySaysThatItIsOne) {
  for (const auto& loss : testing::every_loss()) {
    EXPECT_NE(dynamic_cast<const loss::LibraryLoss*>(loss.get()), nullptr) << loss->name();
  }
  const CustomLoss own(
      "own", [](double p, double y) { return (p - y) * (p - y); }, [](double p, double y) { return 2.0 * (p - y); },
      {.radius = 1.0, .lipschitz = 4.0});
  EXPECT_EQ(dynamic_cast<const loss::LibraryLoss*>(static_cast<const Loss*>(&own)), nullptr);
}

}  // namespace
}  // namespace rivulet
