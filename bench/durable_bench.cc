// What a model file costs: the real program on one CSV file, with and without --model, a release every 100 rows, d = 10
// (target: at least 70% of the throughput without). The two alternate, and medians are compared: processor time, which
// other programs on the machine hardly touch, and the clock, which they do.
//
//   build/release/durable_bench [--json FILE] [ROWS]        2,000,000 rows unless given
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "figures.h"

extern char** environ;

namespace {

using rivulet::bench::median;

constexpr int kFeatures = 10;

void write_csv(const std::string& path, std::size_t rows) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::string csv;
  for (int i = 0; i < kFeatures; ++i) csv += "x" + std::to_string(i) + ",";
  csv += "y\n";
  std::ofstream file(path, std::ios::binary);
  char cell[32];
  for (std::size_t row = 0; row < rows; ++row) {
    double y = 0.0;
    for (int i = 0; i < kFeatures; ++i) {
      const double x = uniform(random);
      y += x / kFeatures;
      csv.append(cell, static_cast<std::size_t>(std::snprintf(cell, sizeof cell, "%.6f,", x)));
    }
    csv.append(cell, static_cast<std::size_t>(std::snprintf(cell, sizeof cell, "%.6f\n", y)));
    if (csv.size() > 1 << 20) {
      file << csv;
      csv.clear();
    }
  }
  file << csv;
}

struct Cost {
  double processor = 0.0;
  double clock = 0.0;
};

Cost run(const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ) != 0) std::exit(1);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (status != 0) std::exit(1);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> given(argv + 1, argv + argc);
  const std::string json = rivulet::bench::take_option(given, "--json");
  const std::size_t rows = given.empty() ? 2'000'000 : std::strtoull(given[0].c_str(), nullptr, 10);
  const std::filesystem::path here = std::filesystem::path(argv[0]).parent_path();
  std::string pattern = (std::filesystem::temp_directory_path() / "rivulet_bench_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return 1;
  const std::filesystem::path folder = pattern;
  write_csv(folder / "rows.csv", rows);

  std::vector<std::string> plain{
      here / "rivulet", "fit",  folder / "rows.csv", "--target", "y",       "--epsilon", "1",
      "--delta",        "1e-6", "--release-every",   "100",      "--quiet", "--bound",   "y=-1:1"};
  for (int i = 0; i < kFeatures; ++i) {
    const std::string name = "x" + std::to_string(i);
    plain.insert(plain.end(), {"--features", name, "--bound", name + "=-1:1"});
  }
  std::vector<double> plain_processor, plain_clock, model_processor, model_clock;
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::string> without = plain;
    without.insert(without.end(), {"--releases", folder / "plain.jsonl"});
    const Cost a = run(without);
    std::vector<std::string> with = plain;
    with.insert(with.end(), {"--releases", folder / "model.jsonl", "--model", folder / "model.rivulet"});
    const Cost b = run(with);
    plain_processor.push_back(a.processor);
    plain_clock.push_back(a.clock);
    model_processor.push_back(b.processor);
    model_clock.push_back(b.clock);
    for (const char* file : {"model.jsonl", "model.rivulet", "plain.jsonl"}) std::filesystem::remove(folder / file);
  }
  rivulet::bench::Figures figures;
  const auto report = [&](const char* what, const std::vector<double>& without, const std::vector<double>& with) {
    std::printf("%-16s %10.0f rows/s without a model file, %10.0f with: %.0f%%\n", what,
                static_cast<double>(rows) / median(without), static_cast<double>(rows) / median(with),
                100.0 * median(without) / median(with));
    const std::string name = std::string("durable/") + what;
    figures.add(name + "/rows_a_second", static_cast<double>(rows) / median(with));
    figures.add(name + "/share", median(without) / median(with));
  };
  std::printf("%zu rows, d = %d, a release every 100 rows, medians of %d\n", rows, kFeatures, kRounds);
  report("processor", plain_processor, model_processor);
  report("clock", plain_clock, model_clock);
  std::filesystem::remove_all(folder);
  return figures.write(json) ? 0 : 1;
}
