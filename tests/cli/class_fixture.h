// Rows of two classes with a known law, and the flags that describe them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "cli/durable_fixture.h"

namespace rivulet::cli_testing {

struct ClassRow {
  double x = 0.0;
  double z = 0.0;
  bool positive = false;
};

// The log-odds of the positive class are x - 5 - z, x in [0, 10], z in [-5, 5].
inline std::vector<ClassRow> class_rows(std::size_t rows, unsigned seed = 11) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<ClassRow> data(rows);
  for (ClassRow& row : data) {
    row.x = 10.0 * unit(random);
    row.z = 10.0 * unit(random) - 5.0;
    row.positive = unit(random) < 1.0 / (1.0 + std::exp(-(row.x - 5.0 - row.z)));
  }
  return data;
}

inline std::string class_csv(const std::vector<ClassRow>& data, const std::string& negative = "no",
                             const std::string& positive = "yes") {
  std::ostringstream text;
  text << std::setprecision(17) << "x,z,bought\n";
  for (const ClassRow& row : data) text << row.x << ',' << row.z << ',' << (row.positive ? positive : negative) << '\n';
  return text.str();
}

inline std::string class_csv(std::size_t rows) {
  return class_csv(class_rows(rows));
}

// PrivIncERM with the logistic loss, a call every 100 rows.
inline Flags class_flags() {
  return {{"--target", "bought"},  {"--features", "x,z"}, {"--bound", "x=0:10"},    {"--bound", "z=-5:5"},
          {"--classes", "no,yes"}, {"--epsilon", "20"},   {"--delta", "1e-6"},      {"--release-every", "50"},
          {"--tau", "2"},          {"--horizon", "40"},   {"--insecure-seed", "7"}, {"--constraint", "l2:6"}};
}

inline Flags surrogate_flags() {
  return class_flags().without("--tau").with("--mechanism", "surrogate");
}

// The target of number_flags() as a number: y = 3 + 2 x - 1.5 z, with what `csv()` of fit_fixture.h has beside it.
inline Flags number_flags(const std::string& loss) {
  return fit_flags().with("--loss", loss).with("--tau", "2").with("--horizon", "200").with("--epsilon", "20");
}

}  // namespace rivulet::cli_testing
