// A sketched row has the length of the row, whatever the row and whatever the sketch; what the sensitivity rests on,
// the integer check, holds for rows that were made to break it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernel/row_lattice.h"
#include "rivulet/error.h"
#include "sketch/embedding.h"

namespace rivulet::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const privacy::LatticeLimits kLimits{15, 23170};
constexpr double kRadius = 32768.0;

// Any matrix at all, column after column.
class AnyMatrix final : public LinearMap {
 public:
  AnyMatrix(std::size_t rows, std::vector<double> entries) : rows_(rows), entries_(std::move(entries)) {}
  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return entries_.size() / rows_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override {
    for (std::size_t i = 0; i < rows_; ++i) out[i] += factor * entries_[column * rows_ + i];
  }
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_; ++i) sum += entries_[column * rows_ + i] * v[i];
    return sum;
  }

 private:
  std::size_t rows_;
  std::vector<double> entries_;
};

std::shared_ptr<const LinearMap> embedding(EmbeddingKind kind, std::size_t rows, std::size_t columns,
                                           std::uint64_t seed = 1, unsigned weight = 1) {
  return sketch::make_embedding({kind, rows, columns, weight, seed});
}

Schema block_schema(std::size_t columns, double clip = 1.0) {
  Schema schema;
  return schema.block("x", columns, {-1.0, 1.0}).target("y", {-1.0, 1.0}).intercept(false).clip_norm(clip);
}

struct Quantised {
  std::vector<double> u;
  RowFate fate;

  [[nodiscard]] double length() const {
    double sum = 0.0;
    for (std::size_t i = 0; i + 1 < u.size(); ++i) sum += u[i] * u[i];
    return std::sqrt(sum);
  }
  [[nodiscard]] bool is_zero() const {
    return std::all_of(u.begin(), u.end(), [](double entry) { return entry == 0.0; });
  }
};

template <class Values>
Quantised quantise(const RowLattice& lattice, const Values& values, double target) {
  Quantised result{std::vector<double>(lattice.order(), -1.0), RowFate::used};
  RowScratch scratch;
  result.fate = lattice.quantise(values, target, result.u, scratch);
  std::int64_t norm = 0;
  for (std::size_t i = 0; i + 1 < result.u.size(); ++i) {
    EXPECT_EQ(result.u[i], std::trunc(result.u[i]));
    norm += static_cast<std::int64_t>(result.u[i]) * static_cast<std::int64_t>(result.u[i]);
  }
  EXPECT_LE(norm, kLimits.covariate_norm_squared());
  EXPECT_LE(std::abs(result.u.back()), static_cast<double>(kLimits.target_limit));
  return result;
}

void expect_length(const Quantised& row, double length) {
  EXPECT_NE(row.fate, RowFate::unusable);
  // Truncation takes less than a unit from each entry.
  EXPECT_LE(row.length(), length * kRadius);
  EXPECT_GE(row.length(), length * kRadius * (1.0 - 1e-9) - std::sqrt(static_cast<double>(row.u.size() - 1)));
}

TEST(SketchedRow, HasTheLengthOfTheRowForBothEmbeddings) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const EmbeddingKind kind : {EmbeddingKind::sparse_sign, EmbeddingKind::gaussian}) {
    for (const std::size_t m : {1U, 2U, 7U, 50U}) {
      const RowLattice lattice(block_schema(60), kLimits, {}, embedding(kind, m, 60, m));
      EXPECT_EQ(lattice.order(), m + 1);
      for (int round = 0; round < 300; ++round) {
        std::vector<double> values(60, 0.0);
        double sum = 0.0;
        for (int i = 0; i < 4; ++i) values[random() % 60] = normal(random) * 0.2;
        for (const double value : values) sum += std::clamp(value, -1.0, 1.0) * std::clamp(value, -1.0, 1.0);
        const Quantised row = quantise(lattice, values, 0.5);
        if (row.fate == RowFate::unusable) continue;  // in the null space of a tiny sketch, exactly
        expect_length(row, std::min(1.0, std::sqrt(sum)));
      }
    }
  }
}

TEST(SketchedRow, LongerThanTheNormLimitIsShortenedAndNotDropped) {
  for (const double clip : {0.01, 1.0, 3.0}) {
    for (const EmbeddingKind kind : {EmbeddingKind::sparse_sign, EmbeddingKind::gaussian}) {
      const RowLattice lattice(block_schema(60, clip), kLimits, {}, embedding(kind, 20, 60, 5, 4));
      const std::vector<double> values(60, 0.9);
      std::vector<std::uint32_t> positions(60);
      for (std::uint32_t i = 0; i < 60; ++i) positions[i] = i;
      expect_length(quantise(lattice, values, 0.5), 1.0);
      expect_length(quantise(lattice, SparseRow{positions, values}, 0.5), 1.0);
    }
  }
}

TEST(SketchedRow, NearlyInTheNullSpaceStillHasItsLength) {
  for (const double rest : {1e-3, 1e-9, 1e-15}) {
    const auto map = std::make_shared<AnyMatrix>(2, std::vector<double>{1.0, 0.5, -1.0 - rest, -0.5, 0.3, 0.2});
    const RowLattice lattice(block_schema(3), kLimits, {}, map);
    const Quantised row = quantise(lattice, std::vector<double>{0.5, 0.5, 0.0}, 1.0);
    expect_length(row, std::sqrt(0.5));
    EXPECT_EQ(row.fate, RowFate::distorted);
  }
  // Two columns of a real embedding that point the same way.
  const auto map = embedding(EmbeddingKind::sparse_sign, 2, 10);
  for (std::size_t a = 0; a < 10; ++a) {
    for (std::size_t b = a + 1; b < 10; ++b) {
      std::vector<double> values(10, 0.0);
      values[a] = 0.5;
      std::vector<double> column_a(2, 0.0);
      map->add_column(a, 1.0, column_a);
      const double overlap = map->column_dot(b, column_a);
      if (std::abs(overlap) < 0.5) continue;
      values[b] = -overlap * (0.5 + 1e-13);
      expect_length(quantise(RowLattice(block_schema(10), kLimits, {}, map), values, 0.0), std::sqrt(0.5));
    }
  }
}

TEST(SketchedRow, ExactlyInTheNullSpaceIsAZeroRow) {
  const auto map = std::make_shared<AnyMatrix>(2, std::vector<double>{1.0, 0.5, -1.0, -0.5});
  const Quantised row = quantise(RowLattice(block_schema(2), kLimits, {}, map), std::vector<double>{0.5, 0.5}, 1.0);
  EXPECT_EQ(row.fate, RowFate::unusable);
  EXPECT_TRUE(row.is_zero());
}

TEST(SketchedRow, WithoutCovariatesKeepsItsTarget) {
  const RowLattice lattice(block_schema(20), kLimits, {}, embedding(EmbeddingKind::gaussian, 5, 20));
  const Quantised row = quantise(lattice, std::vector<double>(20, 0.0), 1.0);
  EXPECT_EQ(row.fate, RowFate::used);
  EXPECT_EQ(row.length(), 0.0);
  EXPECT_NEAR(row.u.back(), 23170.0, 1.0);
}

TEST(SketchedRow, StaysWithinTheLimitsForMatricesOfAnyMagnitude) {
  std::mt19937_64 random(2);
  const double magnitudes[] = {0.0,  -0.0, 1e-320, 1e-200, 1e-160, 1e-20, 1.0,
                               -1.0, 1e20, 1e160,  1e200,  1e308,  kInf,  kNan};
  const double values_of[] = {0.0, 1.0, -1.0, 1e-300, 1e-160, 0.3, 1e300, -1e300, 5e-324, kNan, kInf};
  for (int round = 0; round < 20000; ++round) {
    std::vector<double> entries(12);
    for (double& entry : entries) entry = magnitudes[random() % std::size(magnitudes)];
    const RowLattice lattice(block_schema(4, round % 2 == 0 ? 1.0 : 0.01), kLimits, {},
                             std::make_shared<AnyMatrix>(3, entries));
    std::vector<double> values(4);
    for (double& value : values) value = values_of[random() % std::size(values_of)];
    const Quantised row = quantise(lattice, values, values_of[random() % std::size(values_of)]);
    EXPECT_EQ(row.fate == RowFate::unusable && !row.is_zero(), false);
  }
}

TEST(SketchedRow, CountsAsDistortedWhenItsLengthMoreThanDoublesOrHalves) {
  for (const auto& [factor, fate] : {std::pair{1.9, RowFate::used}, std::pair{2.1, RowFate::distorted},
                                     std::pair{0.51, RowFate::used}, std::pair{0.49, RowFate::distorted}}) {
    const auto map = std::make_shared<AnyMatrix>(1, std::vector<double>{factor});
    EXPECT_EQ(quantise(RowLattice(block_schema(1), kLimits, {}, map), std::vector<double>{0.7}, 0.0).fate, fate);
  }
}

// Rows written out and as their non-zeros, with an intercept, values whose 0 is not 0 in box units, indicators.
TEST(SparseRows, GiveTheSameIntegersAsTheRowWrittenOut) {
  Schema schema;
  schema.feature("age", {18.0, 90.0})
      .block("word", 40, {0.0, 2.0})
      .categorical("kind", {"a", "b", "c"})
      .feature("far", {5.0, 9.0})
      .target("y", {0.0, 1.0})
      .clip_norm(1.5);
  const std::size_t width = schema.row_width();
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  for (const bool intercept : {false, true}) {
    schema.intercept(intercept);
    const std::size_t values_in_all = schema.row_width();
    for (const std::vector<std::string>& conditions :
         {std::vector<std::string>{}, {"nonzeros<=3"}, {"l1<=2.5"}, {"word7=0:0.5", "y=0:0.9"}}) {
      const Domain domain(conditions, schema);
      const RowLattice full(schema, kLimits, domain);
      const RowLattice sketched(schema, kLimits, domain,
                                embedding(EmbeddingKind::sparse_sign, 16, schema.dimension(), 4, 4));
      for (int round = 0; round < 500; ++round) {
        std::vector<double> values(values_in_all, 0.0);
        std::vector<std::uint32_t> positions;
        std::vector<double> given;
        for (std::uint32_t i = 0; i < values_in_all; ++i) {
          if (random() % 12 != 0) continue;
          values[i] = random() % 5 == 0 ? 0.0 : uniform(random);
          positions.push_back(i);
          given.push_back(values[i]);
        }
        const double target = uniform(random);
        const SparseRow sparse{positions, given};
        for (const RowLattice* lattice : {&full, &sketched}) {
          const Quantised dense_row = quantise(*lattice, values, target);
          const Quantised sparse_row = quantise(*lattice, sparse, target);
          ASSERT_EQ(dense_row.u, sparse_row.u);
          ASSERT_EQ(dense_row.fate, sparse_row.fate);
        }
      }
    }
  }
  EXPECT_EQ(width, 44U);
}

TEST(SparseRows, ThatAreNoneCountAsZeroRows) {
  const RowLattice lattice(block_schema(10), kLimits, {}, embedding(EmbeddingKind::gaussian, 4, 10));
  const RowLattice full(block_schema(10), kLimits);
  struct Case {
    std::vector<std::uint32_t> positions;
    std::vector<double> values;
    double target;
  };
  for (const Case& row : {Case{{10}, {0.5}, 0.0}, Case{{4294967295U}, {0.5}, 0.0}, Case{{3, 3}, {0.5, 0.5}, 0.0},
                          Case{{3, 2}, {0.5, 0.5}, 0.0}, Case{{3}, {0.5, 0.5}, 0.0}, Case{{3, 4}, {0.5}, 0.0},
                          Case{{3}, {kNan}, 0.0}, Case{{3}, {kInf}, 0.0}, Case{{3}, {0.5}, kNan}, Case{{}, {}, kInf}}) {
    for (const RowLattice* which : {&lattice, &full}) {
      const Quantised result = quantise(*which, SparseRow{row.positions, row.values}, row.target);
      EXPECT_EQ(result.fate, RowFate::unusable);
      EXPECT_TRUE(result.is_zero());
    }
  }
}

TEST(SketchedRow, NeedsASketchForRowsOfItsDimension) {
  EXPECT_THROW(RowLattice(block_schema(10), kLimits, {}, embedding(EmbeddingKind::gaussian, 4, 11)), RequestError);
}

// A target of two classes: what is neither makes the row unusable, inside the bounds or outside.
TEST(ClassRows, OfNeitherClassAreZeroRows) {
  for (const bool intercept : {false, true}) {
    Schema schema;
    schema.block("x", 10, {-1.0, 1.0}).classes("y", 3.0, 1.0).clip_norm(1.0).intercept(intercept);
    const RowLattice full(schema, kLimits);
    const RowLattice sketched(schema, kLimits, {}, embedding(EmbeddingKind::gaussian, 4, schema.dimension()));
    const std::vector<std::uint32_t> positions{2, 5};
    const std::vector<double> given{0.5, 0.25};
    std::vector<double> values(10, 0.0);
    values[2] = 0.5;
    values[5] = 0.25;
    for (const RowLattice* lattice : {&full, &sketched}) {
      for (const double target : {2.0, 1.0 + 1e-15, 0.0, 4.0, -3.0, kNan, kInf}) {
        for (const Quantised& row :
             {quantise(*lattice, values, target), quantise(*lattice, SparseRow{positions, given}, target)}) {
          EXPECT_EQ(row.fate, RowFate::unusable) << target;
          EXPECT_TRUE(row.is_zero()) << target;
        }
      }
      // The second class is the positive one, whichever number is larger.
      EXPECT_NEAR(quantise(*lattice, values, 1.0).u.back(), 23170.0, 1.0);
      EXPECT_NEAR(quantise(*lattice, values, 3.0).u.back(), -23170.0, 1.0);
    }
  }
}

}  // namespace
}  // namespace rivulet::kernel
