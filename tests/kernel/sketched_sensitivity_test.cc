// How far one row can move everything that is published when rows are sketched: through the real kernel, without noise,
// with rows that were chosen by somebody who knows Phi.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernel/kernel.h"
#include "rivulet/error.h"
#include "support/sensitive_bytes.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

constexpr std::uint64_t kSteps = 6;
constexpr std::size_t kColumns = 30;
constexpr std::size_t kSketch = 3;

Schema schema() {
  Schema result;
  return result.block("x", kColumns, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(false).clip_norm(1.0);
}

privacy::MechanismPlan plan_for(StrategyKind kind, Neighbours neighbours) {
  privacy::MechanismRequest request;
  request.neighbours = neighbours;
  request.strategy.kind = kind;
  request.strategy.horizon = Horizon::known(kSteps);
  request.dimension = kSketch;
  return privacy::MechanismPlan(request);
}

RowSketch sketch_of(EmbeddingKind kind) {
  const sketch::EmbeddingSettings settings{kind, kSketch, kColumns, 2, 11};
  return {settings, sketch::make_embedding(settings)};
}

using Row = std::vector<double>;  // x, then y

// Unit vectors, pairs of columns that nearly cancel under Phi, pairs that reinforce each other, a dense row, the zero
// row.
std::vector<Row> adversarial_rows(const LinearMap& map) {
  std::vector<Row> rows;
  const auto add = [&](Row x) {
    for (const double y : {-1.0, 1.0}) {
      x.push_back(y);
      rows.push_back(x);
      x.pop_back();
    }
  };
  add(Row(kColumns, 0.0));
  add(Row(kColumns, 1.0));
  for (std::size_t a = 0; a < kColumns; a += 7) {
    Row x(kColumns, 0.0);
    x[a] = 1.0;
    add(x);
    std::vector<double> column(kSketch, 0.0);
    map.add_column(a, 1.0, column);
    for (std::size_t b = 0; b < kColumns; b += 5) {
      if (a == b) continue;
      const double overlap = map.column_dot(b, column);
      for (const double sign : {-1.0, 1.0}) {
        Row pair(kColumns, 0.0);
        pair[a] = 0.7;
        pair[b] = sign * (overlap > 0.0 ? 0.7 : -0.7);
        add(pair);
      }
    }
  }
  return rows;
}

std::vector<Int128> publish(const privacy::MechanismPlan& plan, const RowSketch& sketch, const Row& third) {
  Kernel kernel(plan, schema(), std::make_unique<testing::ZeroNoise>(), {}, sketch);
  std::vector<Int128> all;
  NoisyStep step;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    Row row(kColumns + 1, 0.1 * static_cast<double>(i));
    if (i == 2) row = third;
    kernel.observe({row.data(), kColumns}, row.back());
    kernel.close_step(step);
    for (const NoisyVector& vector : step.vectors) all.insert(all.end(), vector.values.begin(), vector.values.end());
  }
  return all;
}

TEST(SketchedSensitivity, NoRowChosenAgainstPhiMovesTheReleasesFurtherThanTheAccountingSays) {
  for (const EmbeddingKind kind : {EmbeddingKind::sparse_sign, EmbeddingKind::gaussian}) {
    const RowSketch sketch = sketch_of(kind);
    const std::vector<Row> rows = adversarial_rows(*sketch.map);
    for (const StrategyKind strategy : {StrategyKind::blt, StrategyKind::tree}) {
      const privacy::MechanismPlan replace = plan_for(strategy, Neighbours::replace);
      const privacy::MechanismPlan zero_out = plan_for(strategy, Neighbours::zero_out);
      const privacy::ReleaseLayout& layout = replace.layout();
      std::vector<std::vector<Int128>> published;
      for (const Row& row : rows) published.push_back(publish(replace, sketch, row));
      const std::vector<Int128> nothing = publish(replace, sketch, Row(kColumns + 1, std::nan("")));
      // In units of the noise: what mu is calibrated for.
      const auto distance = [&](const std::vector<Int128>& a, const std::vector<Int128>& b,
                                const privacy::MechanismPlan& plan) {
        double squared = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) {
          const std::size_t place = i % layout.size();
          const double sigma = place < layout.offdiagonal_begin() ? plan.sigmas().gram_diagonal
                               : place < layout.cross_begin()     ? plan.sigmas().gram_offdiagonal
                               : place < layout.target_square()   ? plan.sigmas().cross
                                                                  : plan.sigmas().target_square;
          squared += std::pow(static_cast<double>(a[i] - b[i]) / sigma, 2);
        }
        return std::sqrt(squared);
      };
      double furthest = 0.0;
      for (std::size_t a = 0; a < published.size(); ++a) {
        EXPECT_LE(distance(published[a], nothing, zero_out), zero_out.mu());
        for (std::size_t b = 0; b < a; ++b)
          furthest = std::max(furthest, distance(published[a], published[b], replace));
      }
      EXPECT_LE(furthest, replace.mu());
      EXPECT_GT(furthest, 0.8 * replace.mu());  // rows at full length come near: the bound is not idle
    }
  }
}

TEST(SketchedState, GoesOnOnlyWithTheSameSketch) {
  const privacy::MechanismPlan plan = plan_for(StrategyKind::blt, Neighbours::replace);
  const auto make = [&](const std::optional<RowSketch>& sketch, const Schema& rows) {
    return Kernel(plan, rows, std::make_unique<testing::ZeroNoise>(), {}, sketch);
  };
  const RowSketch sketch = sketch_of(EmbeddingKind::sparse_sign);
  Kernel kernel = make(sketch, schema());
  Row row(kColumns, 0.0);
  row[3] = 0.9;
  kernel.observe(row, 0.5);
  SensitiveState state;
  kernel.save(state);

  Kernel same = make(sketch, schema());
  same.restore(state);
  EXPECT_EQ(same.rows_in_step(), 1U);
  EXPECT_EQ(same.distorted_rows_for_operator(), kernel.distorted_rows_for_operator());

  const auto refused = [&](const sketch::EmbeddingSettings& settings) {
    Kernel other = make(RowSketch{settings, sketch::make_embedding(settings)}, schema());
    EXPECT_THROW(other.restore(state), DamagedFile);
  };
  auto other = sketch.settings;
  other.seed = 12;
  refused(other);
  other = sketch.settings;
  other.column_weight = 1;
  refused(other);
  other = sketch.settings;
  other.kind = EmbeddingKind::gaussian;
  refused(other);
  Kernel plain = make(std::nullopt, Schema::unit_ball(kSketch));
  EXPECT_THROW(plain.restore(state), DamagedFile);
}

TEST(SketchedState, WithMoreDistortedRowsThanRowsIsRefused) {
  const privacy::MechanismPlan plan = plan_for(StrategyKind::blt, Neighbours::replace);
  const RowSketch sketch = sketch_of(EmbeddingKind::sparse_sign);
  const auto make = [&] { return Kernel(plan, schema(), std::make_unique<testing::ZeroNoise>(), {}, sketch); };
  Kernel kernel = make();
  kernel.observe(Row(kColumns, 0.1), 0.5);
  testing::KeptState kept;
  SensitiveState saved;
  kernel.save(saved);
  kept.keep(saved);
  // The last two numbers: in closed steps, and in the step that is open.
  for (const std::size_t from_the_end : {16U, 8U}) {
    testing::KeptState altered = kept;
    altered.kernel[altered.kernel.size() - from_the_end] = 2;
    Kernel other = make();
    EXPECT_THROW(other.restore(altered.given_back()), DamagedFile) << from_the_end;
  }
  Kernel same = make();
  same.restore(kept.given_back());
}

}  // namespace
}  // namespace rivulet::kernel
