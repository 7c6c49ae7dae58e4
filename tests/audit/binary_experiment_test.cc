// The real binary, and one that was tampered with.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "audit/auditor.h"
#include "audit/black_box.h"
#include "rivulet/error.h"

namespace rivulet::audit {
namespace {

const std::string kBinary = RIVULET_BINARY_DIR "/rivulet";

Configuration one_release() {
  Configuration configuration;
  configuration.surface = Surface::binary;
  configuration.promise.budget = {8.0, 1e-6};
  configuration.promise.strategy.horizon = Horizon::known(1);
  configuration.trials = 120;
  return configuration;
}

TEST(BinaryExperiment, ReadsTheModelsOfTheReleaseLines) {
  Configuration configuration = one_release();
  configuration.promise.dimension = 2;
  configuration.promise.strategy.horizon = Horizon::known(3);
  configuration.steps = 3;
  const auto experiment = make_binary_experiment(configuration, kBinary);
  ASSERT_EQ(experiment->views().size(), 1U);
  ASSERT_EQ(experiment->views()[0].size, 6U);
  std::vector<double> numbers(6);
  std::vector<double> again(6);
  experiment->run(false, numbers);
  experiment->run(false, again);
  EXPECT_NE(numbers, again);  // fresh noise
  for (const double coefficient : numbers) EXPECT_LT(std::abs(coefficient), 1.0);
}

// Every run with the same noise: what a stored or guessable key would do.
TEST(BinaryExperiment, ABinaryThatDrawsTheSameNoiseEveryTimeIsCaught) {
  const std::filesystem::path script =
      std::filesystem::temp_directory_path() / ("rivulet-audit-test-" + std::to_string(::getpid()) + ".sh");
  {
    std::ofstream out(script);
    out << "#!/bin/sh\nexec '" << kBinary << "' \"$@\" --insecure-seed 7\n";
  }
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto experiment = make_binary_experiment(one_release(), script.string());
  const auto finding = audit(one_release(), *experiment, 1e-6);
  std::filesystem::remove(script);
  EXPECT_GT(finding->measured.mu, finding->claimed_mu);
  EXPECT_TRUE(finding->violated());
}

TEST(BinaryExperiment, ABinaryThatIsNoneOrFailsIsAnError) {
  std::vector<double> numbers(1);
  for (const char* path : {"/no/such/binary", "/bin/false", "/bin/true"}) {
    const auto experiment = make_binary_experiment(one_release(), path);
    EXPECT_THROW(experiment->run(false, numbers), IoError) << path;
  }
}

}  // namespace
}  // namespace rivulet::audit
