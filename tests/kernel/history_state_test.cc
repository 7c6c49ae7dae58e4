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

// With secure noise. What a call draws is decided by what was saved before it, by its rows and by where it starts.
class SecureCalls : public ::testing::Test {
 protected:
  SecureCalls() : plan_(request_for()), rows_(random_rows(20, 3)) {}

  [[nodiscard]] HistoryKernel kernel() const {
    return {plan_, Schema::unit_ball(kDimension), make_logistic_loss(), 1.0,
            DiscreteGaussianNoise::of_calls(std::nullopt)};
  }
  [[nodiscard]] HistoryKernel restored(const SensitiveState& state) const {
    HistoryKernel result = kernel();
    result.restore(state);
    return result;
  }
  std::vector<Int128> call(HistoryKernel& kernel, const CallOf& which, const std::vector<double>& start) const {
    kernel.begin_call(which, start);
    NoisyGradient sum;
    std::vector<Int128> all;
    for (int i = 0; i < 3; ++i) {
      kernel.noisy_gradient(start, plan_.mu() / 8.0, sum);
      all.insert(all.end(), sum.values.begin(), sum.values.end());
    }
    return all;
  }

  const privacy::GradientPlan plan_;
  const std::vector<Row> rows_;
  const std::vector<double> start_{0.5, -1.0, 2.0};
};

TEST_F(SecureCalls, ACallMadeAgainFromASavedStateDrawsTheSame) {
  HistoryKernel first = kernel();
  feed(first, rows_);
  SensitiveState state;
  first.save(state);
  const std::vector<Int128> drawn = call(first, {1, 20, 20}, start_);
  for (int i = 0; i < 2; ++i) {
    HistoryKernel again = restored(state);
    EXPECT_EQ(call(again, {1, 20, 20}, start_), drawn);
    EXPECT_EQ(again.spend().spent_mu(), first.spend().spent_mu()) << "and pays once";
  }
  // Rows that came later are no part of it.
  HistoryKernel longer = restored(state);
  feed(longer, random_rows(5, 8));
  EXPECT_EQ(call(longer, {1, 20, 20}, start_), drawn);
}

TEST_F(SecureCalls, AnyOtherCallDrawsSomethingElse) {
  HistoryKernel first = kernel();
  const std::vector<Row> most(rows_.begin(), rows_.end() - 1);
  feed(first, most);
  SensitiveState state;
  first.save(state);
  const auto noise_of = [&](const Row& last, const CallOf& which, const std::vector<double>& start) {
    HistoryKernel kernel = restored(state);
    feed(kernel, {last});
    // The noise alone: what remains when the same sums without noise are taken away.
    HistoryKernel exact = kernel_for(plan_, make_logistic_loss(), 1.0);
    feed(exact, most);
    feed(exact, {last});
    std::vector<Int128> noise = call(kernel, which, start);
    const std::vector<Int128> sums = call(exact, which, start);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] -= sums[i];
    return noise;
  };
  const std::vector<Int128> noise = noise_of(rows_.back(), {1, 20, 20}, start_);
  EXPECT_EQ(noise_of(rows_.back(), {1, 20, 20}, start_), noise);
  EXPECT_NE(noise_of(rows_.front(), {1, 20, 20}, start_), noise) << "another row";
  EXPECT_NE(noise_of(rows_.back(), {2, 20, 20}, start_), noise) << "another call";
  EXPECT_NE(noise_of(rows_.back(), {1, 19, 20}, start_), noise) << "another step";
  EXPECT_NE(noise_of(rows_.back(), {1, 20, 19}, start_), noise) << "fewer rows";
  EXPECT_NE(noise_of(rows_.back(), {1, 20, 20}, {0.5, -1.0, 1.0}), noise) << "another start";
  SensitiveState later;
  HistoryKernel saved_again = restored(state);
  feed(saved_again, {rows_.back()});
  saved_again.save(later);
  HistoryKernel unsaved = restored(state);
  feed(unsaved, {rows_.back()});
  EXPECT_NE(call(saved_again, {1, 20, 20}, start_), call(unsaved, {1, 20, 20}, start_)) << "another save";
}

// Files from before calls had secrets, and those with a seed, have none.
TEST_F(SecureCalls, AStateWithoutASecretIsTakenUp) {
  HistoryKernel plain = kernel_for(plan_, make_logistic_loss(), 1.0);
  feed(plain, rows_);
  SensitiveState state;
  plain.save(state);
  HistoryKernel one = restored(state);
  HistoryKernel two = restored(state);
  EXPECT_NE(call(one, {1, 20, 20}, start_), call(two, {1, 20, 20}, start_));
  EXPECT_THROW(one.begin_call({2, 20, 21}, start_), Error) << "rows that are not there";
}

}  // namespace
}  // namespace rivulet::kernel
