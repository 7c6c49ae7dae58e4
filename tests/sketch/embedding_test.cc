#include "sketch/embedding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sketch/maps.h"
#include "support/refusal.h"
#include "support/statistics.h"

namespace rivulet::sketch {
namespace {

TEST(Embedding, NamesAreReadBack) {
  for (const EmbeddingKind kind : {EmbeddingKind::sparse_sign, EmbeddingKind::gaussian}) {
    EXPECT_EQ(parse_embedding(to_string(kind)), kind);
  }
  EXPECT_EQ(to_string(EmbeddingKind::sparse_sign), "sparse-sign");
  EXPECT_EQ(to_string(EmbeddingKind::gaussian), "gaussian");
  EXPECT_EQ(testing::refusal([] { parse_embedding("fourier", "sketch.embedding"); }),
            "sketch.embedding: \"fourier\" is not known; accepted: sparse-sign, gaussian");
}

TEST(Embedding, ImpossibleSettingsAreRefusedByName) {
  const auto refusal = [](const EmbeddingSettings& settings) {
    return testing::refusal([&] { make_embedding(settings, 0); });
  };
  EXPECT_EQ(refusal(gaussian(0, 10)),
            "sketch: dimension 0 is not possible; accepted: 1 to 10, at most the number of coordinates of a row");
  EXPECT_EQ(refusal(gaussian(11, 10)),
            "sketch: dimension 11 is not possible; accepted: 1 to 10, at most the number of coordinates of a row");
  EXPECT_EQ(refusal(gaussian(1, 0)), "sketch: number of coordinates 0 is not possible; accepted: 1 to 4294967295");
  EXPECT_EQ(refusal(sparse_sign(1, std::size_t{1} << 32, 1)),
            "sketch: number of coordinates 4294967296 is not possible; accepted: 1 to 4294967295");
  EXPECT_EQ(
      refusal(sparse_sign((std::size_t{1} << 31) + 1, 0xffffffff, 1)),
      "sketch: dimension 2147483649 is not possible; accepted: 1 to 2147483648, at most the number of coordinates "
      "of a row");
  EXPECT_EQ(refusal(sparse_sign(100, 200, 0)),
            "sketch: column weight 0 is not possible; accepted: 1 to 64, at most 64 and at most the dimension");
  EXPECT_EQ(refusal(sparse_sign(100, 200, 65)),
            "sketch: column weight 65 is not possible; accepted: 1 to 64, at most 64 and at most the dimension");
  EXPECT_EQ(refusal(sparse_sign(5, 200, 8)),
            "sketch: column weight 8 is not possible; accepted: 1 to 5, at most 64 and at most the dimension");
}

TEST(Embedding, TheLargestAndSmallestSettingsAreAccepted) {
  const auto widest = make_embedding(sparse_sign(1000, 0xffffffff, 64), 1 << 20);
  EXPECT_EQ(widest->columns(), 0xffffffff);
  EXPECT_NEAR(dot(column_of(*widest, 0xfffffffe), column_of(*widest, 0xfffffffe)), 1.0, 1e-14);
  EXPECT_EQ(column_of(*make_embedding(gaussian(1, 1)), 0).size(), 1);
  EXPECT_EQ(std::fabs(column_of(*make_embedding(sparse_sign(1, 1, 1)), 0)[0]), 1.0);
  // The column weight is not the business of a Gaussian matrix.
  EmbeddingSettings settings = gaussian(3, 5);
  settings.column_weight = 0;
  EXPECT_EQ(make_embedding(settings)->rows(), 3);
}

// m times a squared column norm is chi-square with m degrees of freedom, so all d columns together with m d. False
// alarm: 1e-6. Entries wrong by 1% would be 20 standard deviations away.
TEST(Embedding, GaussianColumnsHaveNormAboutOne) {
  const std::size_t rows = 400;
  const std::size_t columns = 2000;
  const auto map = make_embedding(gaussian(rows, columns));
  double sum = 0.0;
  for (std::size_t column = 0; column < columns; ++column) {
    const double norm = dot(column_of(*map, column), column_of(*map, column));
    EXPECT_NEAR(norm, 1.0, 0.6);  // Laurent and Massart: 2e-7 for all columns together
    sum += norm;
  }
  const auto count = static_cast<double>(columns);
  const double stddev = std::sqrt(2.0 / static_cast<double>(rows) / count);
  EXPECT_LT(std::fabs(sum / count - 1.0), testing::kTwoSidedMillionth * stddev);
}

// The mean of Phi^T Phi over 20,000 seeds, entry by entry, in standard deviations of the observed spread. False alarm:
// 6 standard deviations have probability 2e-9, times 156 entries below 1e-6.
TEST(Embedding, TheGramMatrixIsTheIdentityOnAverage) {
  constexpr std::size_t columns = 12;
  constexpr double seeds = 20'000;
  for (const EmbeddingSettings& base : {gaussian(6, columns), sparse_sign(6, columns, 4)}) {
    std::vector<double> sum(columns * columns, 0.0);
    std::vector<double> squares(columns * columns, 0.0);
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
      EmbeddingSettings settings = base;
      settings.seed = seed;
      const auto map = make_embedding(settings);
      for (std::size_t i = 0; i < columns; ++i) {
        std::vector<double> products(columns);
        map->apply_transpose(column_of(*map, i), products);
        for (std::size_t j = 0; j < columns; ++j) {
          sum[i * columns + j] += products[j];
          squares[i * columns + j] += products[j] * products[j];
        }
      }
    }
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double mean = sum[i * columns + j] / seeds;
        const double variance = std::max(0.0, squares[i * columns + j] / seeds - mean * mean);
        EXPECT_NEAR(mean, i == j ? 1.0 : 0.0, 6.0 * std::sqrt(variance / seeds) + 1e-12)
            << to_string(base.kind) << " " << i << " " << j;
      }
    }
  }
}

TEST(Embedding, AnotherSeedIsAnotherMatrix) {
  for (const EmbeddingSettings& settings : {gaussian(50, 60, 1), sparse_sign(50, 60, 8, 1)}) {
    EmbeddingSettings other = settings;
    for (const std::uint64_t seed : {std::uint64_t{2}, std::uint64_t{1} + (std::uint64_t{1} << 32)}) {
      other.seed = seed;
      EXPECT_NE(column_of(*make_embedding(settings), 0), column_of(*make_embedding(other), 0));
    }
  }
}

}  // namespace
}  // namespace rivulet::sketch
