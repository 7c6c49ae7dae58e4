// A batch's bytes: the same batch again, or refused.
#include "kernel/row_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kernel/kernel.h"
#include "support/sensitive_bytes.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

using store::SensitiveHalf;

privacy::MechanismPlan plan_for(std::size_t dimension, std::uint64_t rows_per_step, double epsilon = 1.0) {
  privacy::MechanismRequest request;
  request.dimension = dimension;
  request.rows_per_step = rows_per_step;
  request.budget.epsilon = epsilon;
  return privacy::MechanismPlan(request);
}

Kernel kernel_for(std::size_t dimension, std::uint64_t rows_per_step) {
  return {plan_for(dimension, rows_per_step), Schema::unit_ball(dimension), std::make_unique<testing::ZeroNoise>()};
}

std::string bytes_of(RowBatch& batch) {
  return std::string(SensitiveHalf::content(batch.save()));
}

RowBatch batch_of(const Kernel& kernel, const std::string& bytes) {
  RowBatch batch = kernel.make_batch();
  batch.restore(SensitiveHalf::bytes_of(bytes));
  return batch;
}

// With the digest that belongs to it, so that what comes after the digest's check is reached.
std::string resealed(std::string bytes) {
  bytes.resize(bytes.size() - sizeof(Sha256Digest));
  Sha256 hash;
  hash.update(bytes);
  const Sha256Digest digest = hash.digest();
  bytes.append(digest.begin(), digest.end());
  return bytes;
}

RowBatch random_batch(const Kernel& kernel, std::size_t dimension, std::size_t rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  RowBatch batch = kernel.make_batch();
  std::vector<double> row(dimension);
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& value : row) value = uniform(random) / static_cast<double>(dimension);
    batch.observe(row, i % 11 == 3 ? std::numeric_limits<double>::quiet_NaN() : uniform(random));
  }
  return batch;
}

std::vector<Int128> released(Kernel& kernel) {
  NoisyStep out;
  kernel.close_step(out);
  return out.vectors.at(0).values;
}

TEST(RowBatchBytes, MakeTheSameBatchAgain) {
  Kernel one = kernel_for(5, 1000);
  Kernel two = kernel_for(5, 1000);
  for (const std::size_t rows : {0U, 1U, 7U, 64U, 700U}) {
    RowBatch batch = random_batch(one, 5, rows, 1);
    const std::string bytes = bytes_of(batch);
    EXPECT_EQ(bytes, bytes_of(batch)) << "saving changes nothing";
    RowBatch again = batch_of(two, bytes);
    EXPECT_EQ(again.rows(), rows);
    EXPECT_EQ(bytes_of(again), bytes);
    one.absorb(std::move(batch));
    two.absorb(std::move(again));
    EXPECT_EQ(one.unusable_rows_for_operator(), two.unusable_rows_for_operator());
    EXPECT_TRUE(released(one) == released(two));
  }
}

TEST(RowBatchBytes, CutShortLengthenedOrChangedAnywhereAreRefused) {
  const Kernel kernel = kernel_for(3, 1000);
  RowBatch batch = random_batch(kernel, 3, 40, 2);
  const std::string whole = bytes_of(batch);
  const auto refused = [&](const std::string& bytes) {
    RowBatch made = kernel.make_batch();
    try {
      made.restore(SensitiveHalf::bytes_of(bytes));
    } catch (const DamagedFile&) {
      EXPECT_EQ(made.rows(), 0U);
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_TRUE(refused(whole.substr(0, length)));
  EXPECT_TRUE(refused(whole + '\0'));
  EXPECT_TRUE(refused(whole + whole));
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const unsigned change : {0x01U, 0x20U, 0x80U, 0xffU}) {
      std::string changed = whole;
      changed[place] = static_cast<char>(static_cast<unsigned char>(changed[place]) ^ change);
      EXPECT_TRUE(refused(changed)) << place;
    }
  }
  // Cut short and sealed again: the lengths inside give it away.
  for (std::size_t length = sizeof(Sha256Digest); length < whole.size(); ++length) {
    try {
      (void)batch_of(kernel, resealed(whole.substr(0, length)));
      ADD_FAILURE() << length;
    } catch (const DamagedFile&) {
    } catch (const RequestError&) {  // so short that the rest of the promise is read from the seal
      EXPECT_LT(length, 100U);
    }
  }
}

TEST(RowBatchBytes, SumsThatNoRowsMakeAreRefusedUnderAGenuineSeal) {
  const Kernel kernel = kernel_for(2, 1000);
  RowBatch batch = random_batch(kernel, 2, 40, 2);
  const std::string whole = bytes_of(batch);
  // Behind magic, version and promise: unusable, distorted, rows, number of sums, (0,0), (0,1), (1,1), ...
  constexpr std::size_t kUnusable = 16 + 8 + 32;
  constexpr std::size_t kRows = kUnusable + 16;
  constexpr std::size_t kSums = kRows + 16;
  const auto refused = [&](std::size_t place, std::uint64_t value) {
    std::string changed = whole;
    ByteWriter writer;
    writer.u64(value);
    changed.replace(place, 8, writer.bytes());
    try {
      (void)batch_of(kernel, resealed(changed));
    } catch (const DamagedFile&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused(kUnusable, 40));
  EXPECT_TRUE(refused(kUnusable, 41));
  EXPECT_TRUE(refused(kUnusable + 8, 40)) << "rows cannot be both";
  EXPECT_TRUE(refused(kRows, 0));
  EXPECT_TRUE(refused(kRows, 1)) << "sums of more rows than there are";
  EXPECT_TRUE(refused(kRows, ~std::uint64_t{0}));
  EXPECT_TRUE(refused(kRows, std::uint64_t{1} << 40)) << "so many have wider sums";
  EXPECT_TRUE(refused(kRows + 8, 5));
  EXPECT_TRUE(refused(kRows + 8, ~std::uint64_t{0}));
  EXPECT_TRUE(refused(kSums, static_cast<std::uint64_t>(-1))) << "a negative square";
  EXPECT_TRUE(refused(kSums, std::uint64_t{41} << 30)) << "rows longer than the limit";
  EXPECT_TRUE(refused(kSums + 8, std::uint64_t{40} << 30)) << "a product beyond its squares";
}

TEST(RowBatchBytes, OfAnotherPromiseAreRefusedAndNothingIsTaken) {
  const auto plan = plan_for(2, 100);
  const auto zero = [] { return std::make_unique<testing::ZeroNoise>(); };
  const auto schema = [](double bound, const std::string& name) {
    Schema made;
    made.feature("a", {-1.0, 1.0}).feature(name, {-1.0, bound}).target("y", {-1.0, 1.0}).intercept(false);
    return made;
  };
  Kernel kernel(plan, schema(1.0, "b"), zero());
  RowBatch batch = random_batch(kernel, 2, 10, 3);
  const std::string bytes = bytes_of(batch);
  std::vector<Kernel> others;
  others.emplace_back(plan, schema(2.0, "b"), zero());
  others.emplace_back(plan, schema(1.0, "c"), zero());
  others.emplace_back(plan, schema(1.0, "b"), zero(), Domain({"nonzeros<=1"}, schema(1.0, "b")));
  others.emplace_back(plan_for(2, 101), schema(1.0, "b"), zero());
  others.emplace_back(plan_for(2, 100, 1.5), schema(1.0, "b"), zero());
  for (Kernel& other : others) {
    EXPECT_NE(other.promise(), kernel.promise());
    EXPECT_THROW((void)batch_of(other, bytes), RequestError);
    EXPECT_THROW(other.absorb(std::move(batch)), RequestError);
    RowBatch own = other.make_batch();
    EXPECT_THROW(own.merge(std::move(batch)), RequestError);
    EXPECT_EQ(batch.rows(), 10U);
  }
  Kernel same(plan, schema(1.0, "b"), zero());
  EXPECT_EQ(same.promise(), kernel.promise());
  same.absorb(batch_of(same, bytes));
  same.absorb(std::move(batch));
  EXPECT_EQ(same.rows_in_step(), 20U);
}

TEST(RowBatchBytes, ATrillionRowsInOneStepAreSummedExactly) {
  constexpr std::uint64_t kRows = std::uint64_t{1} << 40;
  Kernel kernel = kernel_for(2, kRows);
  Kernel one_row = kernel_for(2, 1);
  const double row[] = {0.7071, -0.7};
  one_row.observe(row, 1.0);
  const std::vector<Int128> once = released(one_row);
  RowBatch batch = kernel.make_batch();
  batch.observe(row, 1.0);
  for (int i = 0; i < 40; ++i) batch.merge(batch_of(kernel, bytes_of(batch)));
  EXPECT_EQ(batch.rows(), kRows);
  EXPECT_EQ(bytes_of(batch).size(), 16U + 8 + 32 + 4 * 8 + 6 * 16 + 32);
  kernel.absorb(batch_of(kernel, bytes_of(batch)));
  EXPECT_TRUE(kernel.step_is_full());
  // In the middle of its life the step survives a restart, too.
  SensitiveState state;
  kernel.save(state);
  Kernel restored = kernel_for(2, kRows);
  restored.restore(state);
  const auto shift = [](const Kernel&, std::uint64_t rows) { return static_cast<int>(plan_for(2, rows).noise_bits()); };
  const Int128 unit = Int128{1} << shift(one_row, 1);
  const Int128 wide_unit = Int128{1} << shift(kernel, kRows);
  const std::vector<Int128> sums = released(restored);
  ASSERT_EQ(sums.size(), once.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_TRUE(once[i] % unit == 0);
    EXPECT_TRUE(sums[i] == once[i] / unit * static_cast<Int128>(kRows) * wide_unit) << i;
  }
  EXPECT_TRUE(released(kernel) == sums);
}

TEST(RowBatch, OfMoreRowsThanItCanHoldIsRefusedAndBothStayAsTheyWere) {
  const Kernel kernel = kernel_for(1, 1000);
  const double row[] = {0.5};
  RowBatch batch = kernel.make_batch();
  batch.observe(row, 0.5);
  for (int i = 0; i < 62; ++i) batch.merge(batch_of(kernel, bytes_of(batch)));
  EXPECT_EQ(batch.rows(), std::uint64_t{1} << 62);
  RowBatch more = kernel.make_batch();
  more.observe(row, 0.5);
  const std::string before = bytes_of(batch);
  EXPECT_THROW(batch.merge(std::move(more)), RequestError);
  EXPECT_EQ(bytes_of(batch), before);
  EXPECT_EQ(more.rows(), 1U);
}

}  // namespace
}  // namespace rivulet::kernel
