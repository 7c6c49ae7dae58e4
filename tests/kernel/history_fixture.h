// A history kernel without noise, and rows for it.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "kernel/history_kernel.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {

inline constexpr std::size_t kDimension = 3;

inline privacy::GradientRequest request_for(Neighbours neighbours = Neighbours::replace, std::uint64_t sums = 100) {
  privacy::GradientRequest request;
  request.neighbours = neighbours;
  request.dimension = kDimension;
  request.most_sums = sums;
  return request;
}

inline HistoryKernel kernel_for(const privacy::GradientPlan& plan, const std::shared_ptr<const Loss>& loss,
                                double lipschitz) {
  return {plan, Schema::unit_ball(kDimension), loss, lipschitz, std::make_unique<rivulet::testing::ZeroNoise>()};
}

struct Row {
  std::vector<double> x;
  double y;
};

inline std::vector<Row> random_rows(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-0.57, 0.57);
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i)
    rows.push_back({{uniform(random), uniform(random), uniform(random)}, random() % 2 == 0 ? 1.0 : -1.0});
  return rows;
}

inline void feed(HistoryKernel& kernel, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    kernel.observe(row.x, row.y);
    kernel.close_step();
  }
}

}  // namespace rivulet::kernel
