// A temporary folder for model files, and small streams to fill them with.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "rivulet/durable_regression.h"
#include "rivulet/priv_inc_reg1.h"

namespace rivulet::store_testing {

// In memory where there is such a place: what is tested is what is written, not how fast the disk is.
inline std::filesystem::path place_for_folders() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), R_OK | W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

class ModelFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (place_for_folders() / "rivulet_store_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] static std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write_bytes(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
  // The names of all files in the folder, with their content.
  [[nodiscard]] std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      files[entry.path().filename()] = entry.is_regular_file() ? bytes_of(entry.path()) : "";
    }
    return files;
  }

  std::filesystem::path folder_;
};

struct Row {
  std::vector<double> values;
  double target = 0.0;
};

inline std::vector<Row> rows(std::size_t count, std::size_t width = 2, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<Row> result(count);
  for (Row& row : result) {
    row.values.resize(width);
    for (double& value : row.values) value = unit(random);
    row.target = 0.3 * row.values[0] + 0.1 * unit(random);
  }
  return result;
}

inline StreamOptions options(std::uint64_t release_every = 3) {
  StreamOptions result;
  result.budget = {1.0, 1e-6};
  result.schema.feature("x", {-1, 1}).feature("z", {-1, 1}).target("y", {-1, 1});
  result.release_every = release_every;
  result.insecure_seed = 5;
  return result;
}

inline StreamOptions with_strategy(StrategyKind kind, std::uint64_t release_every = 3) {
  StreamOptions result = options(release_every);
  result.strategy = kind;
  if (kind == StrategyKind::tree) result.horizon = Horizon::known(64);
  return result;
}

// Each of up to seven people contributes at most nine rows.
inline StreamOptions with_units(std::uint64_t release_every = 3) {
  StreamOptions result = options(release_every);
  result.unit = PrivacyUnit{"person", 9};
  return result;
}

// PrivIncERM: rows are kept.
inline StreamOptions with_erm(std::uint64_t release_every = 3) {
  StreamOptions result = options(release_every);
  result.loss = "huber:0.5";
  result.erm = ErmSettings{.tau = 2, .iterations = 3};
  return result;
}

// Row `number` of the stream that all tests share, with the identifier of its unit where the model wants one.
inline bool observe(DurableRegression& regression, const Row& row, std::size_t number) {
  if (!regression.options().unit) return regression.observe(row.values, row.target);
  return regression.observe(row.values, row.target, "person " + std::to_string(number % 7));
}

}  // namespace rivulet::store_testing
