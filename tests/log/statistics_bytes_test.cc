#include "log/statistics_bytes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "base/bytes.h"
#include "rivulet/error.h"

namespace rivulet::log {
namespace {

using Limits = std::numeric_limits<double>;

// Any finite double, subnormal and negative zero included.
double any_finite(std::mt19937_64& random) {
  for (;;) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) return value;
  }
}

Statistics any_statistics(std::size_t dimension, bool has_target_square, std::mt19937_64& random) {
  Statistics statistics;
  statistics.dimension = dimension;
  statistics.has_target_square = has_target_square;
  statistics.noise = {std::abs(any_finite(random)), std::abs(any_finite(random)), Limits::denorm_min()};
  if (has_target_square) {
    statistics.target_square = any_finite(random);
    statistics.target_square_stddev = Limits::max();
  }
  statistics.gram.resize(dimension * dimension);
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      statistics.gram[i * dimension + j] = statistics.gram[j * dimension + i] = any_finite(random);
    }
    statistics.cross.push_back(i == 0 ? -0.0 : any_finite(random));
  }
  return statistics;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  }
  return true;
}

std::vector<double> numbers_of(const Statistics& statistics) {
  std::vector<double> all = statistics.gram;
  all.insert(all.end(), statistics.cross.begin(), statistics.cross.end());
  for (const double value : {statistics.noise.gram_diagonal, statistics.noise.gram_offdiagonal, statistics.noise.cross,
                             statistics.target_square, statistics.target_square_stddev}) {
    all.push_back(value);
  }
  return all;
}

TEST(StatisticsBytes, ReadBackTheyAreTheSameBitForBit) {
  std::mt19937_64 random(1);
  for (std::size_t dimension = 1; dimension <= 12; ++dimension) {
    for (const bool has_target_square : {true, false}) {
      const Statistics before = any_statistics(dimension, has_target_square, random);
      const std::string bytes = statistics_bytes(before);
      const Statistics after = parse_statistics(bytes, dimension, has_target_square, "x");
      EXPECT_TRUE(same_bits(numbers_of(before), numbers_of(after)));
      EXPECT_EQ(after.dimension, dimension);
      EXPECT_EQ(after.has_target_square, has_target_square);
      EXPECT_EQ(statistics_bytes(after), bytes);
      EXPECT_TRUE(same_bits(parse_vector(vector_bytes(before.cross), dimension, "x"), before.cross));
    }
  }
}

TEST(StatisticsBytes, AnyOtherLengthIsDamage) {
  std::mt19937_64 random(2);
  const std::string bytes = statistics_bytes(any_statistics(4, true, random));
  for (std::size_t length = 0; length <= bytes.size() + 9; ++length) {
    if (length == bytes.size()) continue;
    std::string other = bytes;
    other.resize(length);
    EXPECT_THROW((void)parse_statistics(other, 4, true, "x"), DamagedFile) << length;
  }
  EXPECT_THROW((void)parse_statistics(bytes, 5, true, "x"), DamagedFile);
  EXPECT_THROW((void)parse_statistics(bytes, 4, false, "x"), DamagedFile);
  EXPECT_THROW((void)parse_vector(vector_bytes({1.0, 2.0}), 3, "x"), DamagedFile);
  EXPECT_THROW((void)parse_vector(vector_bytes({1.0, 2.0}), 1, "x"), DamagedFile);
}

TEST(StatisticsBytes, ALengthThatDoesNotFitIsNoticedBeforeMemoryIsTaken) {
  EXPECT_THROW((void)parse_statistics("12345678", 20000, true, "x"), DamagedFile);
  EXPECT_THROW((void)parse_vector("12345678", std::size_t{1} << 60, "x"), DamagedFile);
}

TEST(StatisticsBytes, WhatIsNotFiniteAndANegativeNoiseLevelAreDamage) {
  std::mt19937_64 random(3);
  const Statistics sound = any_statistics(2, true, random);
  const std::string bytes = statistics_bytes(sound);
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    for (const double value : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
      std::string other = bytes;
      const std::string encoded = vector_bytes({value});
      other.replace(at, 8, encoded);
      EXPECT_THROW((void)parse_statistics(other, 2, true, "x"), DamagedFile) << at;
    }
  }
  for (const std::size_t level : {0, 8, 16, 24}) {
    std::string other = bytes;
    other.replace(level, 8, vector_bytes({-1e-300}));
    EXPECT_THROW((void)parse_statistics(other, 2, true, "x"), DamagedFile) << level;
  }
}

TEST(SparseVectorBytes, ComeBackAsTheyWereInEitherForm) {
  for (const std::vector<double>& values : {std::vector<double>{},
                                            {0.0},
                                            {1.5},
                                            {0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0},
                                            {1.0, 2.0, 3.0},
                                            {0.0, 1.0},
                                            {5e-324, 0.0, 0.0, 0.0, 0.0, 0.0, -1e308}}) {
    for (const std::size_t room : {0U, 1U, 2U, 100U}) {
      const std::string bytes = sparse_vector_bytes(values, room);
      EXPECT_EQ(parse_sparse_vector(bytes, values.size(), room, "x"), values);
      EXPECT_LE(bytes.size(), 8 * (values.size() + 2));
      EXPECT_THROW((void)parse_sparse_vector(bytes, values.size() + 1, room, "x"), DamagedFile);
      for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW((void)parse_sparse_vector(bytes.substr(0, length), values.size(), room, "x"), DamagedFile);
      }
      EXPECT_THROW((void)parse_sparse_vector(bytes + '\0', values.size(), room, "x"), DamagedFile);
    }
  }
}

TEST(SparseVectorBytes, TakeTheSameRoomHoweverManyNonZerosThereAre) {
  std::vector<double> values(1000000, 0.0);
  for (std::size_t others = 0; others <= 20; ++others) {
    EXPECT_EQ(sparse_vector_bytes(values, 20).size(), 8U * (3U + 40U));
    values[997 * others + 5] = 1.0;
  }
  EXPECT_EQ(sparse_vector_bytes(values, 20).size(), 8U * 1000002U);  // one too many
}

TEST(SparseVectorBytes, ThatDoNotMakeSenseAreRefused) {
  std::vector<double> values(30, 0.0);
  values[7] = 2.0;
  values[8] = 3.0;
  const std::string bytes = sparse_vector_bytes(values, 3);
  // Size, form, number of entries, then positions and values, and room for one more.
  const auto with = [&](std::size_t word, std::string_view encoded) {
    std::string other = bytes;
    other.replace(8 * word, 8, encoded);
    return other;
  };
  for (const auto& [word, number] : {std::pair<std::size_t, std::uint64_t>{1, 2},
                                     {1, 0},
                                     {2, 1},
                                     {2, 3},
                                     {2, 4},
                                     {2, ~0ULL},
                                     {3, 30},
                                     {3, 8},
                                     {5, 7},
                                     {5, 3},
                                     {5, ~0ULL},
                                     {7, 1},
                                     {8, 1}}) {
    EXPECT_THROW((void)parse_sparse_vector(with(word, u64_bytes({number})), 30, 3, "x"), DamagedFile) << word;
  }
  EXPECT_THROW((void)parse_sparse_vector(with(4, vector_bytes({std::nan("")})), 30, 3, "x"), DamagedFile);
  EXPECT_EQ(parse_sparse_vector(bytes, 30, 3, "x"), values);
}

}  // namespace
}  // namespace rivulet::log
