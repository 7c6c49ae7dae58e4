// docs/results/README.md against the files beside it, and the files against what the library does today.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "experiment.h"
#include "real_stream.h"

namespace rivulet::experiments {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(RIVULET_SOURCE_DIR) / "docs" / "results";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ResultsPage, ShowsEveryFigureThereIsAndNoOther) {
  const std::string page = read(kFolder / "README.md");
  ASSERT_FALSE(page.empty());
  const std::regex figure(R"(\]\(([a-zA-Z0-9_]+\.svg)\))");
  std::set<std::string> shown;
  for (std::sregex_iterator at(page.begin(), page.end(), figure), end; at != end; ++at) shown.insert((*at)[1]);
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".svg") there.insert(name);
    if (entry.path().extension() == ".csv") {
      EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name << " is not mentioned";
    }
  }
  EXPECT_EQ(shown, there);
}

TEST(ResultsPage, HasACommandAfterTheFiguresOfEverySection) {
  std::istringstream lines(read(kFolder / "README.md"));
  std::string line;
  bool owed = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("![")) owed = true;
    if (line.starts_with("`build/release/")) owed = false;
    if (line.starts_with("## ")) {
      EXPECT_FALSE(owed) << "no command before '" << line << "'";
    }
  }
  EXPECT_FALSE(owed);
}

// A library that does better or worse than the page says wants `make results`.
TEST(ResultsPage, SaysWhatDiamondsGiveToday) {
  std::istringstream lines(read(kFolder / "streams.csv"));
  std::string line;
  double published = 0.0;
  while (std::getline(lines, line)) {
    if (line.starts_with("diamonds,1,53940,20,")) published = std::stod(line.substr(20));
  }
  const std::string base = std::string(RIVULET_SOURCE_DIR) + "/data/diamonds";
  const RealStream stream(base + ".csv.gz", base + ".toml");
  StreamOptions options = stream.options();
  Sample sample;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.insecure_seed = seed;
    sample.add(stream.fit(options).back().r_squared);
  }
  EXPECT_NEAR(sample.mean(), published, 0.002);
  EXPECT_GE(sample.mean(), 0.95);
}

}  // namespace
}  // namespace rivulet::experiments
