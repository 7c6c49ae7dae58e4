// A stream that lives in a model file: the commands that fit it, what its files hold, and the same stream
// uninterrupted.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/fit_fixture.h"
#include "rivulet/release_log.h"

namespace rivulet::cli_testing {

// In memory where there is such a place: what is tested is what is written, not how fast the disk is.
inline std::filesystem::path place_for_models() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), R_OK | W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

// The whole lines of a text, without their ends; a last line that was cut off is not among them.
inline std::vector<std::string> whole_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Whether a line is the release: everything it says, numbers bit for bit.
inline ::testing::AssertionResult is_release(const std::string& text, const Release& release) {
  const auto line = nlohmann::json::parse(text, nullptr, false);
  if (!line.is_object()) return ::testing::AssertionFailure() << "no JSON object: " << text;
  bool same = line["step"] == release.model.step && line["rows"] == release.model.rows &&
              line["chain"] == release.chain && line["intercept"] == release.model.intercept &&
              line["coefficients"].size() == release.model.coefficients.size() &&
              (line.contains("calls") || line["noise"]["cross"] == release.model.noise.cross);
  for (const Coefficient& coefficient : release.model.coefficients) {
    same = same && line["coefficients"][coefficient.name] == coefficient.value;
  }
  return (same ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
         << "release " << release.model.step << " against " << text;
}

class DurableTest : public FitTest {
 protected:
  void SetUp() override {
    std::string pattern = (place_for_models() / "rivulet_cli_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }

  // A stream in file "m", its releases in "r".
  [[nodiscard]] Flags durable(const Flags& flags = fit_flags()) const {
    return flags.with("--model", path("m")).with("--releases", path("r"));
  }
  // What a person types who wants nothing but to go on.
  [[nodiscard]] Arguments go_on(const Arguments& more = {}) const {
    Arguments arguments{"fit", "--model", path("m")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  // The releases of the same request over this input in one go.
  [[nodiscard]] std::string uninterrupted(const Flags& flags, const std::string& input) const {
    const std::string model = path("uninterrupted");
    const std::string releases = model + ".jsonl";
    std::filesystem::remove(model);
    std::filesystem::remove(releases);
    const Outcome outcome = run(flags.with("--model", model).with("--releases", releases).fit(), input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read("uninterrupted.jsonl").value_or("");
  }

  // Every file but the index that SQLite makes anew, with its bytes.
  [[nodiscard]] std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file() && !name.ends_with("-shm")) files[name] = read(name).value_or("");
    }
    return files;
  }

  // Whether the lines of the releases are exactly those of the model.
  void expect_releases_are_the_models(const std::string& releases = "r", const std::string& model = "m") const {
    const std::string text = read(releases).value_or("");
    EXPECT_TRUE(text.empty() || text.back() == '\n') << "the last line is cut off";
    const auto lines = whole_lines(text);
    const ReleaseLog log(path(model));
    log.verify();
    ASSERT_EQ(lines.size(), log.last_step());
    log.for_each(1, lines.size(),
                 [&](const Release& release) { EXPECT_TRUE(is_release(lines[release.model.step - 1], release)); });
  }
};

inline ::testing::AssertionResult is_one_line(const std::string& text) {
  const bool fine = text.starts_with("rivulet: ") && text.find('\n') == text.size() - 1;
  return (fine ? ::testing::AssertionSuccess() : ::testing::AssertionFailure()) << "one line of ours: " << text;
}

}  // namespace rivulet::cli_testing
