// Rows that carry the identifier of their unit: what the kernel takes, refuses and tells.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernel/kernel.h"
#include "support/refusal.h"
#include "support/released.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

Kernel kernel_for(std::uint64_t rows_per_unit, std::uint64_t rows_per_step = 6) {
  privacy::MechanismRequest request;
  request.dimension = 1;
  request.rows_per_step = rows_per_step;
  request.units = rows_per_unit != 0;
  if (request.units) request.rows_per_unit = rows_per_unit;
  return {privacy::MechanismPlan(request), Schema::unit_ball(1), std::make_unique<testing::ZeroNoise>()};
}

const double kRow[] = {0.5};

// Sum of x^2 of the first step, in rows.
double rows_that_counted(Kernel& kernel, std::uint64_t rows_per_unit) {
  NoisyStep out;
  kernel.close_step(out);
  Kernel one = kernel_for(rows_per_unit);  // the same plan, hence the same lattice
  one.observe(kRow, 0.25, "x");
  NoisyStep unit;
  one.close_step(unit);
  return static_cast<double>(out.vectors[0].values[0]) / static_cast<double>(unit.vectors[0].values[0]);
}

TEST(UnitRows, CountUpToTheLimitAndAsZeroRowsAfterIt) {
  Kernel kernel = kernel_for(2);
  for (const char* unit : {"a", "a", "b", "a", "", "a"}) kernel.observe(kRow, 0.25, unit);
  EXPECT_EQ(kernel.rows_in_step(), 6U);
  EXPECT_TRUE(kernel.step_is_full());
  EXPECT_EQ(kernel.unusable_rows_for_operator(), 3U);
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 2U);  // a row of nobody's is past no limit
  EXPECT_EQ(rows_that_counted(kernel, 2), 3.0);
  EXPECT_EQ(kernel.released_rows(), 6U);
}

TEST(UnitRows, TheLimitIsForTheWholeStreamNotForAStep) {
  Kernel kernel = kernel_for(2, 1);
  NoisyStep out;
  std::vector<NoisyStep> steps;
  for (int step = 0; step < 4; ++step) {
    kernel.observe(kRow, 0.25, "a");
    kernel.close_step(steps.emplace_back());
  }
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 2U);
  Kernel twice = kernel_for(2, 1);
  for (int step = 0; step < 4; ++step) {
    twice.observe(kRow, 0.25, step < 2 ? "a" : "");
    twice.close_step(out);
    EXPECT_TRUE(testing::same(out, steps[static_cast<std::size_t>(step)]));
  }
}

TEST(UnitRows, AnIdentifierIsNeededForAPromiseAboutUnitsAndRefusedForOneAboutRows) {
  Kernel units = kernel_for(1);
  Kernel rows = kernel_for(0);
  EXPECT_EQ(testing::refusal([&] { units.observe(kRow, 0.25); }),
            "unit: the promise is for units, so every row needs the identifier of its unit");
  EXPECT_EQ(testing::refusal([&] { rows.observe(kRow, 0.25, "a"); }),
            "unit: the promise is for single rows; a unit's limit must be part of the request");
  EXPECT_EQ(testing::refusal([&] { rows.observe(kRow, 0.25, ""); }),
            "unit: the promise is for single rows; a unit's limit must be part of the request");
  EXPECT_EQ(units.rows_in_step() + rows.rows_in_step(), 0U);
}

TEST(UnitRows, AreNotGatheredInBatches) {
  const Kernel kernel = kernel_for(1);
  EXPECT_THROW((void)kernel.make_batch(), RequestError);
}

TEST(UnitRows, ARowOfTheWrongWidthIsRefusedAlikeWhateverItsUnitHasAndCostsItNothing) {
  Kernel kernel = kernel_for(2);
  const double wide[] = {0.5, 0.5};
  kernel.observe(kRow, 0.25, "full");
  kernel.observe(kRow, 0.25, "full");
  std::string first;
  for (const char* unit : {"full", "new", ""}) {
    const std::string message = testing::refusal([&] { kernel.observe(wide, 0.25, unit); });
    EXPECT_NE(message, "accepted");
    if (first.empty()) first = message;
    EXPECT_EQ(message, first) << unit;
  }
  EXPECT_EQ(kernel.rows_in_step(), 2U);
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 0U);
  kernel.observe(kRow, 0.25, "new");
  kernel.observe(kRow, 0.25, "new");  // both still count
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 0U);
  EXPECT_EQ(rows_that_counted(kernel, 2), 4.0);
}

TEST(UnitRows, AnUnusableRowUsesUpItsUnitsShare) {
  Kernel kernel = kernel_for(1);
  const double missing[] = {std::nan("")};
  kernel.observe(missing, 0.25, "a");
  kernel.observe(kRow, 0.25, "a");
  EXPECT_EQ(kernel.unusable_rows_for_operator(), 2U);
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 1U);
  EXPECT_EQ(rows_that_counted(kernel, 1), 0.0);
}

TEST(UnitRows, AFullStepTakesNoRowAndCountsNone) {
  Kernel kernel = kernel_for(1, 1);
  kernel.observe(kRow, 0.25, "a");
  EXPECT_THROW(kernel.observe(kRow, 0.25, "b"), Error);
  NoisyStep out;
  kernel.close_step(out);
  kernel.observe(kRow, 0.25, "b");
  EXPECT_EQ(kernel.over_limit_rows_for_operator(), 0U);
}

}  // namespace
}  // namespace rivulet::kernel
