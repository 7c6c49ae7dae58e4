// A history kernel that goes on from what an earlier one saved.
#include <gtest/gtest.h>

#include "kernel/history_fixture.h"
#include "rivulet/error.h"

namespace rivulet::kernel {
namespace {

// Two halves of a stream with a restart between them: the same sums, and a budget that does not begin anew.
TEST(HistoryKernel, GoesOnFromASavedState) {
  const std::shared_ptr<const Loss> loss = make_logistic_loss();
  const privacy::GradientPlan plan(request_for());
  const std::vector<Row> rows = random_rows(60, 3);
  const std::vector<double> theta{0.5, -1.0, 2.0};
  const double mu_k = plan.mu() / 2.0;
  HistoryKernel whole = kernel_for(plan, loss, 1.0);
  HistoryKernel before = kernel_for(plan, loss, 1.0);
  NoisyGradient expected;
  NoisyGradient found;
  const std::vector<Row> first(rows.begin(), rows.begin() + 40);
  const std::vector<Row> second(rows.begin() + 40, rows.end());
  for (HistoryKernel* kernel : {&whole, &before}) {
    feed(*kernel, first);
    kernel->noisy_gradient(theta, mu_k, found);
    kernel->noisy_gradient(theta, mu_k, found);
  }
  SensitiveState state;
  before.save(state);
  HistoryKernel after = kernel_for(plan, loss, 1.0);
  after.restore(state);
  EXPECT_EQ(after.steps(), 40U);
  EXPECT_EQ(after.spend().spent_mu(), before.spend().spent_mu());
  for (HistoryKernel* kernel : {&whole, &after}) {
    feed(*kernel, second);
    kernel->noisy_gradient(theta, mu_k, kernel == &whole ? expected : found);
    kernel->noisy_gradient(theta, mu_k * 0.99, kernel == &whole ? expected : found);
    EXPECT_THROW(kernel->noisy_gradient(theta, mu_k / 2.0, found), Error) << "four quarters are spent";
  }
  EXPECT_EQ(found.values, expected.values);
  EXPECT_EQ(found.rows, 60U);
  // A second save holds the rows since the first one alone: that a kernel of the first rows lacks them shows.
  SensitiveState later;
  after.save(later);
  HistoryKernel partial = kernel_for(plan, loss, 1.0);
  EXPECT_THROW(partial.restore(later), DamagedFile);
  EXPECT_THROW(feed(partial, first), Error) << "what was taken up in part must not go on";
  EXPECT_THROW(partial.noisy_gradient(theta, mu_k / 2.0, found), Error);
  EXPECT_THROW(after.restore(state), Error) << "only a new kernel takes up a state";
}

TEST(HistoryKernel, AStateOfAnotherMechanismIsRefused) {
  const std::shared_ptr<const Loss> loss = make_logistic_loss();
  const privacy::GradientPlan plan(request_for());
  HistoryKernel kernel = kernel_for(plan, loss, 1.0);
  feed(kernel, random_rows(5, 3));
  SensitiveState state;
  kernel.save(state);
  HistoryKernel other_limit = kernel_for(plan, loss, 2.0);
  EXPECT_THROW(other_limit.restore(state), DamagedFile);
  HistoryKernel other_loss = kernel_for(plan, make_hinge_loss(), 1.0);
  EXPECT_THROW(other_loss.restore(state), DamagedFile);
  const privacy::GradientPlan zero_out(request_for(Neighbours::zero_out));
  HistoryKernel other_neighbours = kernel_for(zero_out, loss, 1.0);
  EXPECT_THROW(other_neighbours.restore(state), DamagedFile);
}

TEST(HistoryKernel, IsNotSavedInTheMiddleOfAPass) {
  const privacy::GradientPlan plan(request_for());
  HistoryKernel kernel = kernel_for(plan, make_logistic_loss(), 1.0);
  feed(kernel, random_rows(10, 3));
  NoisyGradient sum;
  kernel.noisy_gradient(std::vector<double>(3), plan.mu() / 2.0, sum, 0, 2);
  SensitiveState state;
  EXPECT_THROW(kernel.save(state), Error) << "the parts to come are paid for, and a state has no word for it";
  kernel.noisy_gradient(std::vector<double>(3), plan.mu() / 2.0, sum, 1, 2);
  kernel.save(state);
}

}  // namespace
}  // namespace rivulet::kernel
