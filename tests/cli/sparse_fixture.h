// Sparse rows of a known law, written as libsvm and as CSV, and the flags that describe them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {

inline constexpr std::size_t kColumns = 40;

// y = 0.8 x3 - 0.6 x17, x in [0, 1], 3 of 40 values not 0; the unit is one of 5.
struct SparseData {
  std::map<std::size_t, double> values;  // from column 1
  double target = 0.0;
  int unit = 0;
};

inline std::vector<SparseData> sparse_data(std::size_t rows, unsigned seed = 3) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<SparseData> data(rows);
  for (SparseData& row : data) {
    row.values[random() % 2 == 0 ? 3 : 17] = unit(random);
    while (row.values.size() < 3) row.values[1 + random() % kColumns] = unit(random);
    for (const auto& [column, value] : row.values) {
      row.target += value * (column == 3 ? 0.8 : column == 17 ? -0.6 : 0.0);
    }
    row.unit = static_cast<int>(random() % 5);
  }
  return data;
}

inline std::string libsvm(const std::vector<SparseData>& data) {
  std::ostringstream text;
  text << std::setprecision(17);
  for (const SparseData& row : data) {
    text << row.target << " qid:" << row.unit;
    for (const auto& [column, value] : row.values) text << ' ' << column << ':' << value;
    text << '\n';
  }
  return text.str();
}

inline std::string block_csv(const std::vector<SparseData>& data) {
  std::ostringstream text;
  text << std::setprecision(17) << "y,qid";
  for (std::size_t column = kColumns; column > 0; --column) text << ",x" << column;
  text << '\n';
  for (const SparseData& row : data) {
    text << row.target << ',' << row.unit;
    for (std::size_t column = kColumns; column > 0; --column) {
      text << ',' << (row.values.contains(column) ? row.values.at(column) : 0.0);
    }
    text << '\n';
  }
  return text.str();
}

inline std::string libsvm(std::size_t rows) {
  return libsvm(sparse_data(rows));
}

inline Flags sparse_flags() {
  return {{"--dimension", "40"},     {"--bound", "x=0:1"},     {"--bound", "y=-1:1"},
          {"--clip-norm", "1"},      {"--epsilon", "1"},       {"--delta", "1e-6"},
          {"--release-every", "10"}, {"--insecure-seed", "7"}, {"--constraint", "l1:2"}};
}

inline Flags sketch_flags() {
  return sparse_flags().with("--sketch", "12").with("--column-weight", "8");
}

}  // namespace rivulet::cli_testing
