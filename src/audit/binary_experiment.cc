#include "audit/binary_experiment.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "audit/child_process.h"
#include "audit/model_experiment.h"
#include "rivulet/error.h"

namespace rivulet::audit {
namespace {

std::string text_of(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

// A folder that goes away with its content.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rivulet-audit-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw IoError("audit: no temporary folder: " + std::string(std::strerror(errno)));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Standard output of a program, which must end with exit code 0.
std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw IoError("audit: no pipe: " + std::string(std::strerror(errno)));
  pid_t child = -1;
  try {
    child = start_process(command, -1, ends[1], false);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  std::string output;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(ends[0], buffer, sizeof buffer);
    if (count > 0) output.append(buffer, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) break;
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw IoError("audit: " + command[0] + " fit failed");
  return output;
}

class BinaryExperiment final : public Experiment {
 public:
  BinaryExperiment(const Configuration& configuration, const std::string& executable)
      : dimension_(configuration.promise.dimension), steps_(configuration.steps) {
    for (const bool second : {false, true}) {
      const std::filesystem::path file = folder_.path() / (second ? "second.csv" : "first.csv");
      write_rows(configuration, second, file);
      (second ? second_ : first_) = fit_command(configuration, executable, file.string());
    }
    views_ = {{"learnt, release lines", dimension_ * steps_, {}, true}};
  }

  [[nodiscard]] const std::vector<View>& views() const override { return views_; }

  void run(bool second, std::span<double> numbers) override {
    const std::string lines = output_of(second ? second_ : first_);
    std::size_t next = 0;
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = lines.find('\n', begin);
      const nlohmann::json release = nlohmann::json::parse(lines.substr(begin, end - begin), nullptr, false);
      begin = end == std::string::npos ? lines.size() : end + 1;
      for (std::size_t i = 1; i <= dimension_; ++i) {
        if (release.is_discarded() || next == numbers.size()) throw IoError("audit: not the release lines expected");
        numbers[next++] = release.at("coefficients").at("x" + std::to_string(i)).get<double>();
      }
    }
    if (next != numbers.size()) throw IoError("audit: " + std::to_string(steps_) + " release lines were expected");
  }

 private:
  void write_rows(const Configuration& configuration, bool second, const std::filesystem::path& file) const {
    std::ofstream out(file);
    for (std::size_t i = 1; i <= dimension_; ++i) out << 'x' << i << ',';
    out << "y\n";
    for (std::uint64_t step = 1; step <= steps_; ++step) {
      for (const AuditRow& row : anchored_rows(configuration, step, second)) {
        for (const double value : row.x) out << text_of(value) << ',';
        out << text_of(row.y) << '\n';
      }
    }
    out.flush();
    if (!out) throw IoError("audit: " + file.string() + " cannot be written");
  }

  [[nodiscard]] std::vector<std::string> fit_command(const Configuration& configuration, const std::string& executable,
                                                     const std::string& file) const {
    const StreamOptions options = stream_options(configuration);
    std::vector<std::string> command{executable, "fit", file, "--target", "y", "--bound", "y=-1:1"};
    const auto add = [&](const std::string& flag, const std::string& value) {
      command.push_back(flag);
      command.push_back(value);
    };
    std::string names;
    for (std::size_t i = 1; i <= dimension_; ++i) {
      const std::string name = "x" + std::to_string(i);
      names += (i > 1 ? "," : "") + name;
      add("--bound", name + "=-1:1");
    }
    add("--features", names);
    add("--clip-norm", "1");
    add("--epsilon", text_of(options.budget.epsilon));
    add("--delta", text_of(options.budget.delta));
    add("--neighbours", std::string(to_string(options.neighbours)));
    add("--horizon", options.horizon.is_known() ? std::to_string(options.horizon.steps()) : "unbounded");
    add("--strategy", std::string(to_string(*options.strategy)));
    add("--profile", std::string(to_string(options.profile)));
    add("--release-every", std::to_string(options.release_every));
    add("--constraint", options.constraint);
    add("--releases", "-");
    command.insert(command.end(), {"--no-intercept", "--quiet"});
    return command;
  }

  std::size_t dimension_;
  std::uint64_t steps_;
  TemporaryFolder folder_;
  std::vector<std::string> first_;
  std::vector<std::string> second_;
  std::vector<View> views_;
};

}  // namespace

std::unique_ptr<Experiment> make_binary_experiment(const Configuration& configuration, const std::string& executable) {
  return std::make_unique<BinaryExperiment>(configuration, executable);
}

}  // namespace rivulet::audit
