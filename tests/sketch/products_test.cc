#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "sketch/maps.h"

namespace rivulet::sketch {
namespace {

// Lengths around the lanes of a sum and the pieces of a column, weights that do not divide them.
std::vector<EmbeddingSettings> shapes() {
  std::vector<EmbeddingSettings> all;
  for (const std::size_t rows : {1, 2, 7, 8, 9, 64, 255, 256, 257, 400, 515}) {
    all.push_back(gaussian(rows, 600, rows));
    for (const unsigned weight : {1U, 3U, 4U, 5U, 8U, 64U}) {
      if (weight <= rows) all.push_back(sparse_sign(rows, 600, weight, rows));
    }
  }
  return all;
}

std::string name_of(const EmbeddingSettings& settings) {
  return std::string(to_string(settings.kind)) + ", " + std::to_string(settings.rows) + " rows, weight " +
         std::to_string(settings.column_weight);
}

struct Products {
  explicit Products(const LinearMap& map) : image(map.rows()), preimage(map.columns()), sum(map.rows()) {
    std::mt19937_64 random(7);
    x = normal_vector(map.columns(), random);
    for (std::size_t i = 0; i < x.size(); i += 3) x[i] = 0.0;
    v = normal_vector(map.rows(), random);
    map.apply(x, image);
    map.apply_transpose(v, preimage);
    for (std::size_t column = 0; column < map.columns(); ++column) {
      map.add_column(column, x[column], sum);
      dots.push_back(map.column_dot(column, v));
    }
  }

  std::vector<double> x, v, image, preimage, sum, dots;
};

// A column dot has m terms of size at most |v|: rounding stays far below 1e-12 here.
TEST(Products, AreThoseOfTheDenseMatrix) {
  for (const EmbeddingSettings& settings : shapes()) {
    const auto map = make_embedding(settings);
    const Products products(*map);
    std::vector<double> image(map->rows(), 0.0);
    for (std::size_t column = 0; column < map->columns(); ++column) {
      const std::vector<double> entries = column_of(*map, column);
      for (std::size_t row = 0; row < map->rows(); ++row) image[row] += entries[row] * products.x[column];
      ASSERT_NEAR(products.preimage[column], dot(entries, products.v), 1e-12) << name_of(settings);
    }
    for (std::size_t row = 0; row < map->rows(); ++row) {
      ASSERT_NEAR(products.image[row], image[row], 1e-11) << name_of(settings);
    }
  }
}

TEST(Products, AreTheSameBitsColumnByColumn) {
  for (const EmbeddingSettings& settings : shapes()) {
    const Products products(*make_embedding(settings));
    ASSERT_EQ(products.image, products.sum) << name_of(settings);
    ASSERT_EQ(products.preimage, products.dots) << name_of(settings);
  }
}

// The order that the classes promise, written the slow way: a model made again elsewhere needs the same bits.
TEST(Products, AddUpInTheDocumentedOrder) {
  for (const EmbeddingSettings& settings : shapes()) {
    const auto map = make_embedding(settings);
    const Products products(*map);
    for (std::size_t column = 0; column < map->columns(); ++column) {
      const std::vector<double> entries = column_of(*map, column);
      double expected = 0.0;
      if (settings.kind == EmbeddingKind::gaussian) {
        double partial[8] = {};
        for (std::size_t i = 0; i < entries.size(); ++i) partial[i % 8] += entries[i] * products.v[i];
        expected = ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
                   ((partial[4] + partial[5]) + (partial[6] + partial[7]));
      } else {
        for (std::size_t i = 0; i < entries.size(); ++i) {
          if (entries[i] != 0.0) expected += entries[i] > 0.0 ? products.v[i] : -products.v[i];
        }
        expected *= 1.0 / std::sqrt(static_cast<double>(settings.column_weight));
      }
      ASSERT_EQ(products.dots[column], expected) << name_of(settings) << ", column " << column;
    }
  }
}

// No column kept, some, all.
TEST(Products, AreTheSameBitsWhetherColumnsAreKeptOrMadeAnew) {
  for (const EmbeddingSettings& settings : shapes()) {
    const Products kept(*make_embedding(settings));
    const std::size_t column_bytes =
        4 * (settings.kind == EmbeddingKind::gaussian ? settings.rows : settings.column_weight);
    for (const std::size_t memory : {std::size_t{0}, column_bytes - 1, 251 * column_bytes + 3}) {
      const Products anew(*make_embedding(settings, memory));
      ASSERT_EQ(kept.image, anew.image) << name_of(settings) << ", memory " << memory;
      ASSERT_EQ(kept.preimage, anew.preimage) << name_of(settings) << ", memory " << memory;
    }
  }
}

TEST(Products, AreTheSameFromSeveralThreadsAtOnce) {
  for (const EmbeddingSettings& settings : {gaussian(300, 500), sparse_sign(300, 500, 8)}) {
    const auto map = make_embedding(settings, 4 * 300 * 50);  // some columns kept, some not
    const Products alone(*map);
    std::vector<int> same(4, 0);
    std::vector<std::thread> threads;
    for (int& result : same) {
      threads.emplace_back([&] {
        int rounds = 0;
        for (int round = 0; round < 10; ++round) {
          const Products together(*map);
          rounds += together.image == alone.image && together.preimage == alone.preimage ? 1 : 0;
        }
        result = rounds;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(same, std::vector<int>(4, 10)) << name_of(settings);
  }
}

}  // namespace
}  // namespace rivulet::sketch
