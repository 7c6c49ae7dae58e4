#include "kernel/row_lattice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace rivulet::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const privacy::LatticeLimits kLimits{15, 23170};

std::vector<double> quantise(const RowLattice& lattice, const std::vector<double>& values, double target,
                             bool* usable = nullptr) {
  std::vector<double> out(lattice.order(), -1.0);
  RowScratch scratch;
  const bool ok = lattice.quantise(values, target, out, scratch) != RowFate::unusable;
  if (usable != nullptr) *usable = ok;
  return out;
}

void expect_within_limits(const std::vector<double>& u) {
  std::int64_t norm = 0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    EXPECT_EQ(u[i], std::trunc(u[i]));
    norm += static_cast<std::int64_t>(u[i]) * static_cast<std::int64_t>(u[i]);
  }
  EXPECT_LE(norm, kLimits.covariate_norm_squared());
  EXPECT_LE(std::abs(u.back()), static_cast<double>(kLimits.target_limit));
}

TEST(RowLattice, NoRowWhateverItHoldsExceedsTheIntegerLimits) {
  std::mt19937_64 random(1);
  const double specials[] = {0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, kNan, kInf, -kInf, 1e15, 3.0, 0.999999999999};
  for (std::size_t width : {1U, 2U, 3U, 7U, 40U}) {
    for (double clip : {0.0, 0.5, 1.0, 100.0}) {
      Schema schema;
      for (std::size_t i = 0; i < width; ++i) schema.feature("f" + std::to_string(i), {-2.0, 6.0});
      schema.target("y", {-10.0, 5.0}).intercept(width % 2 == 0);
      if (clip > 0.0) schema.clip_norm(clip);
      const RowLattice lattice(schema, kLimits);
      for (int round = 0; round < 3000; ++round) {
        std::vector<double> values(width);
        for (double& value : values) value = specials[random() % std::size(specials)];
        expect_within_limits(quantise(lattice, values, specials[random() % std::size(specials)]));
      }
    }
  }
}

TEST(RowLattice, EveryCornerOfTheBoxIsUsableAndNearlyReachesTheLimit) {
  Schema schema;
  for (int i = 0; i < 9; ++i) schema.feature("f" + std::to_string(i), {0.0, 10.0});
  schema.target("y", {0.0, 1.0});
  const RowLattice lattice(schema, kLimits);
  for (int corner = 0; corner < 512; ++corner) {
    std::vector<double> values(9);
    for (int i = 0; i < 9; ++i) values[static_cast<std::size_t>(i)] = (corner >> i) & 1 ? 10.0 : 0.0;
    bool usable = false;
    const auto u = quantise(lattice, values, 1.0, &usable);
    ASSERT_TRUE(usable);
    double norm = 0.0;
    for (std::size_t i = 0; i < 10; ++i) norm += u[i] * u[i];
    EXPECT_GT(norm, 0.999 * static_cast<double>(kLimits.covariate_norm_squared()));
  }
}

TEST(RowLattice, MissingOrInfiniteValuesMakeTheZeroRow) {
  Schema schema;
  schema.feature("a", {0, 1}).feature("b", {0, 1}).target("y", {0, 1});
  const RowLattice lattice(schema, kLimits);
  for (double bad : {kNan, kInf, -kInf}) {
    for (int place = 0; place < 3; ++place) {
      std::vector<double> values{0.5, 0.5};
      double target = 0.5;
      (place < 2 ? values[static_cast<std::size_t>(place)] : target) = bad;
      bool usable = true;
      const auto u = quantise(lattice, values, target, &usable);
      EXPECT_FALSE(usable);
      for (double entry : u) EXPECT_EQ(entry, 0.0);
    }
  }
}

TEST(RowLattice, ValuesOutsideTheirBoundsAreClampedToThem) {
  Schema schema;
  schema.feature("a", {0, 1}).target("y", {0, 1});
  const RowLattice lattice(schema, kLimits);
  EXPECT_EQ(quantise(lattice, {7.0}, 0.5), quantise(lattice, {1.0}, 0.5));
  EXPECT_EQ(quantise(lattice, {-7.0}, 0.5), quantise(lattice, {0.0}, 0.5));
  EXPECT_EQ(quantise(lattice, {0.3}, 1e300), quantise(lattice, {0.3}, 1.0));
  EXPECT_EQ(quantise(lattice, {0.3}, -1e300), quantise(lattice, {0.3}, 0.0));
}

TEST(RowLattice, AForgottenClipWouldBeSeen) {
  // A row ten times longer than the clip norm lands on the sphere, in its own direction.
  Schema schema;
  schema.feature("a", {-10, 10}).feature("b", {-10, 10}).target("y", {-1, 1}).intercept(false).clip_norm(0.1);
  const RowLattice lattice(schema, kLimits);
  bool usable = false;
  const auto u = quantise(lattice, {6.0, 8.0}, 0.0, &usable);
  ASSERT_TRUE(usable);
  EXPECT_NEAR(u[0], 0.6 * 32768, 1.0);
  EXPECT_NEAR(u[1], 0.8 * 32768, 1.0);
}

TEST(RowLattice, TruncatesTowardZeroWithinOneLatticeUnit) {
  Schema schema = Schema::unit_ball(3);
  const RowLattice lattice(schema, kLimits);
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-0.57, 0.57);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<double> values{uniform(random), uniform(random), uniform(random)};
    const auto u = quantise(lattice, values, 0.25);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(std::abs(u[i]), std::abs(values[i]) * 32768);
      EXPECT_GT(std::abs(u[i]), std::abs(values[i]) * 32768 - 1.001);
      EXPECT_GE(u[i] * values[i], 0.0);
    }
  }
}

TEST(RowLattice, ARowOverTheLimitIsStoppedByTheIntegerCheckAlone) {
  // Two levels at once cannot come from a CSV, but a caller may hand them in: within every bound, yet over the norm
  // limit, which counts one level a category. No clip is declared, so only the integer check stands in the way.
  Schema schema;
  schema.categorical("kind", {"a", "b", "c", "d"}).target("y", {-1, 1}).intercept(false);
  const RowLattice lattice(schema, kLimits);
  bool usable = true;
  const auto u = quantise(lattice, {1.0, 1.0, 1.0, 1.0}, 0.5, &usable);
  EXPECT_FALSE(usable);
  for (double entry : u) EXPECT_EQ(entry, 0.0);
  quantise(lattice, {0.0, 1.0, 0.0, 0.0}, 0.5, &usable);
  EXPECT_TRUE(usable);
}

TEST(RowLattice, ExtremeBoundsAndClipNormsNeitherOverflowNorPassTheCheck) {
  for (const double scale : {1e-99, 1e-50, 1e-10, 1e10, 1e100, 1e300}) {
    for (const double clip : {1e-100, 1e-50, 1e-8, 1.0, 1e8, 1e300}) {
      Schema schema;
      schema.feature("a", {-scale, scale})
          .feature("b", {0.0, scale})
          .target("y", {0.0, scale})
          .intercept(false)
          .clip_norm(clip);
      const RowLattice lattice(schema, kLimits);
      for (const double a : {-1e308, -scale, -1e-190, 0.0, 5e-324, 1e-190, scale / 3.0, scale, 1e308}) {
        for (const double y : {-1e308, 0.0, 5e-306, scale / 2.0, scale, 1e308}) {
          expect_within_limits(quantise(lattice, {a, -a}, y));
          expect_within_limits(quantise(lattice, {a, a}, y));
        }
      }
    }
  }
}

TEST(RowLattice, TheIntegerCheckHoldsForEveryIntegerEvenTheSmallest) {
  const RowLattice lattice(Schema::unit_ball(2), kLimits);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(lattice.within_limits(0, kLeast));
  EXPECT_FALSE(lattice.within_limits(0, kMost));
  EXPECT_FALSE(lattice.within_limits(kLeast, 0));
  EXPECT_FALSE(lattice.within_limits(kMost, 0));
}

TEST(RowLattice, TheIntegerCheckRejectsWhatIsOverByOne) {
  const RowLattice lattice(Schema::unit_ball(2), kLimits);
  EXPECT_TRUE(lattice.within_limits(kLimits.covariate_norm_squared(), kLimits.target_limit));
  EXPECT_FALSE(lattice.within_limits(kLimits.covariate_norm_squared() + 1, 0));
  EXPECT_FALSE(lattice.within_limits(0, kLimits.target_limit + 1));
  EXPECT_FALSE(lattice.within_limits(0, -kLimits.target_limit - 1));
}

}  // namespace
}  // namespace rivulet::kernel
