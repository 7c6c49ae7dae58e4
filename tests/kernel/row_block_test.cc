#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

#include "kernel/kept_rows.h"
#include "loss/every_loss.h"

namespace rivulet::kernel {
namespace {

constexpr double kUnit = 0x1p-15;

std::vector<std::int32_t> random_rows(std::size_t count, std::size_t order, std::mt19937_64& random) {
  std::vector<std::int32_t> rows(count * order);
  for (std::int32_t& entry : rows) entry = static_cast<std::int32_t>(random() % 65535) - 32767;
  return rows;
}

// A user's loss: asked about one row at a time, and afraid of some.
class TimidLoss final : public Loss {
 public:
  [[nodiscard]] std::string name() const override { return "timid"; }
  [[nodiscard]] bool is_classification() const override { return false; }
  [[nodiscard]] double value(double /*prediction*/, double /*y*/) const override { return 0.0; }
  [[nodiscard]] double derivative(double prediction, double y) const override {
    if (y > 0.5) throw std::domain_error("too large");
    return prediction - y;
  }
  [[nodiscard]] double lipschitz(double radius) const override { return radius + 1.0; }
  [[nodiscard]] double smoothness(double /*radius*/) const override { return 1.0; }
  [[nodiscard]] double strong_convexity(double /*radius*/) const override { return 0.0; }
};

double one_derivative(const Loss& loss, const std::int32_t* row, std::span<const double> theta) {
  double prediction = 0.0;
  for (std::size_t i = 0; i < theta.size(); ++i) prediction += theta[i] * static_cast<double>(row[i]);
  try {
    return loss.derivative(prediction * kUnit, static_cast<double>(row[theta.size()]) * kUnit);
  } catch (...) {
    return 0.0;
  }
}

TEST(RowBlock, DerivativesAreThoseOfOneRowAtATimeToTheLastBit) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::shared_ptr<const Loss>> losses = testing::every_loss();
  losses.push_back(std::make_shared<TimidLoss>());
  for (const std::size_t order : {2U, 3U, 5U, 6U, 9U, 10U, 40U, 150U, 2000U}) {
    RowBlock block(order, kUnit);
    for (const std::size_t spread : {1U, 3U}) {
      for (const std::size_t missing : {0U, 1U, 3U, 7U}) {
        const std::size_t count = block.width() - missing;
        const std::vector<std::int32_t> rows = random_rows(count * spread, order, random);
        for (const double scale : {1.0, 1e4}) {  // the second takes exponentials out of range
          std::vector<double> theta(order - 1);
          for (double& entry : theta) entry = scale * normal(random);
          for (const auto& loss : losses) {
            block.load(rows.data(), spread * order, count);
            const std::span<const double> found = block.derivatives(*loss, theta);
            ASSERT_EQ(found.size(), block.width());
            for (std::size_t r = 0; r < count; ++r) {
              const double expected = one_derivative(*loss, rows.data() + r * spread * order, theta);
              ASSERT_EQ(std::memcmp(&expected, &found[r], sizeof expected), 0) << loss->name() << " row " << r;
            }
            for (std::size_t r = count; r < block.width(); ++r) ASSERT_EQ(found[r], 0.0);
          }
        }
      }
    }
  }
}

TEST(RowBlock, WeightedSumsAreExact) {
  std::mt19937_64 random(2);
  for (const std::size_t order : {2U, 4U, 9U, 33U, 300U}) {
    RowBlock block(order, kUnit);
    ASSERT_LE(block.width(), 128U);
    for (const std::size_t count : {block.width(), block.width() - 3}) {
      std::vector<std::int32_t> rows = random_rows(count, order, random);
      for (std::size_t i = 0; i < order; ++i) rows[i] = 32768;
      std::vector<double> weights(block.width());
      for (double& weight : weights)
        weight = static_cast<double>(static_cast<std::int64_t>(random() >> 33) - (1 << 30));
      weights[0] = 1 << 30;
      block.load(rows.data(), order, count);
      std::vector<std::int64_t> sums(order - 1, 5);
      block.add_weighted(weights, sums);
      for (std::size_t i = 0; i + 1 < order; ++i) {
        std::int64_t expected = 5;
        for (std::size_t r = 0; r < count; ++r) expected += static_cast<std::int64_t>(weights[r]) * rows[r * order + i];
        ASSERT_EQ(sums[i], expected);
      }
    }
  }
}

}  // namespace
}  // namespace rivulet::kernel
