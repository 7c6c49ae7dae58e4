// Kernels that run out of memory in the middle of a row. An executable of its own: it replaces operator new and malloc.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <new>

#include "kernel/history_kernel.h"
#include "kernel/moment_sum.h"
#include "rivulet/error.h"
#include "support/zero_noise.h"

namespace {

bool out_of_memory = false;

}  // namespace

// Linked with --wrap=malloc: what Eigen calls.
extern "C" void* __real_malloc(std::size_t size);
extern "C" void* __wrap_malloc(std::size_t size) {
  return out_of_memory ? nullptr : __real_malloc(size);
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace rivulet::kernel {
namespace {

class ConstantLoss final : public Loss {
 public:
  [[nodiscard]] std::string name() const override { return "constant"; }
  [[nodiscard]] bool is_classification() const override { return false; }
  [[nodiscard]] double value(double prediction, double /*y*/) const override { return prediction; }
  [[nodiscard]] double derivative(double /*prediction*/, double /*y*/) const override { return 1.0; }
  [[nodiscard]] double lipschitz(double /*radius*/) const override { return 1.0; }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return 0.0; }
  [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 0.0; }
};

// Half a row left behind would put the tail of every later one, its target included, among the covariates of the next.
TEST(OutOfMemory, ARowOfAHistoryThatFoundNoMemoryLeavesNothingBehind) {
  constexpr std::size_t kDimension = 4;
  privacy::GradientRequest request;
  request.dimension = kDimension;
  const privacy::GradientPlan plan(request);
  for (int before = 1; before < 40; ++before) {
    const auto sum_with = [&](double sign) {
      HistoryKernel kernel(plan, Schema::unit_ball(kDimension), std::make_shared<ConstantLoss>(), 1.0,
                           std::make_unique<testing::ZeroNoise>());
      const std::vector<double> nothing(kDimension, 0.0);
      for (int i = 0; i < before; ++i) {
        kernel.observe(nothing, 0.0);
        kernel.close_step();
      }
      const std::vector<double> lost{0.5, 0.0, 0.0, 0.0};
      out_of_memory = true;
      try {
        kernel.observe(lost, 0.0);
      } catch (const std::bad_alloc&) {  // there was room for it, or there was not
      }
      out_of_memory = false;
      if (kernel.rows_in_step() != 0) kernel.close_step();
      const std::vector<double> row{0.7 * sign, 0.0, 0.7 * sign, 0.0};
      kernel.observe(row, sign);
      kernel.close_step();
      kernel.observe(nothing, 0.0);
      kernel.close_step();
      NoisyGradient sum;
      kernel.noisy_gradient(std::vector<double>(kDimension, 0.0), 0.01, sum);
      return sum.values;
    };
    const std::vector<Int128> a = sum_with(1.0);
    const std::vector<Int128> b = sum_with(-1.0);
    double squared = 0.0;
    for (std::size_t i = 0; i < kDimension; ++i) squared += std::pow(static_cast<double>(a[i] - b[i]), 2);
    EXPECT_LE(std::sqrt(squared), plan.lattice_sensitivity()) << before;
  }
}

// A block of rows that was added halfway is neither added again nor followed by another row.
TEST(OutOfMemory, ABlockOfRowsThatFailedIsTheLast) {
  constexpr std::size_t kOrder = 401;
  MomentSum sum(kOrder);
  bool failed = false;
  for (int row = 0; row < 2000 && !failed; ++row) {
    for (double& entry : sum.next_row()) entry = 1.0;
    out_of_memory = true;
    try {
      sum.commit_row();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    out_of_memory = false;
  }
  ASSERT_TRUE(failed) << "nothing was asked for";
  EXPECT_THROW((void)sum.next_row(), Error);
  const privacy::ReleaseLayout layout{kOrder - 1, true};
  std::vector<Int128> out(layout.size());
  EXPECT_THROW(sum.write(layout, out), Error);
  ByteWriter writer;
  EXPECT_THROW(sum.save(writer), Error);
  MomentSum other(kOrder);
  EXPECT_THROW(other.merge(sum), Error);
}

}  // namespace
}  // namespace rivulet::kernel
