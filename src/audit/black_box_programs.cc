// The black boxes that start programs: `rivulet fit`, and a Python with the package.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "audit/black_box.h"
#include "audit/neighbour_pair.h"
#include "rivulet/error.h"

namespace rivulet::audit {
namespace {

// Starts a program, found by its path or on the PATH, and says its process id. Both descriptors stay the caller's; an
// input of -1 is nothing to read, and its messages are hidden unless asked for. In a process group of its own: Ctrl-C
// is for the audit, which then stops between trials. Throws IoError when the program cannot be run.
pid_t start_process(const std::vector<std::string>& command, int input, int output, bool with_messages) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input < 0) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  }
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (!with_messages) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failure = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw IoError("audit: " + command[0] + " cannot be run: " + std::strerror(failure));
  return child;
}

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

namespace {

// A program that answers every line with a line.
class Partner {
 public:
  explicit Partner(const std::vector<std::string>& command) : name_(command.front()) {
    int to_child[2];
    int from_child[2];
    if (::pipe2(to_child, O_CLOEXEC) != 0) throw IoError("audit: no pipe: " + std::string(std::strerror(errno)));
    if (::pipe2(from_child, O_CLOEXEC) != 0) {
      close_all({to_child[0], to_child[1]});
      throw IoError("audit: no pipe: " + std::string(std::strerror(errno)));
    }
    try {
      child_ = start_process(command, to_child[0], from_child[1], true);
    } catch (...) {
      close_all({to_child[0], to_child[1], from_child[0], from_child[1]});
      throw;
    }
    close_all({to_child[0], from_child[1]});
    to_ = to_child[1];
    from_ = from_child[0];
  }
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;
  ~Partner() {
    close_all({to_, from_});
    ::kill(child_, SIGTERM);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  std::string ask(const std::string& line) {
    const std::string question = line + '\n';
    for (std::size_t sent = 0; sent < question.size();) {
      const ssize_t count = ::write(to_, question.data() + sent, question.size() - sent);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail();
      sent += static_cast<std::size_t>(count);
    }
    for (;;) {
      const std::size_t end = unread_.find('\n');
      if (end != std::string::npos) {
        std::string answer = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        return answer;
      }
      char buffer[4096];
      const ssize_t count = ::read(from_, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail();
      unread_.append(buffer, static_cast<std::size_t>(count));
    }
  }

 private:
  static void close_all(const std::vector<int>& descriptors) {
    for (const int descriptor : descriptors) ::close(descriptor);
  }
  [[noreturn]] void fail() const {
    throw IoError("audit: " + name_ + " -m rivulet._audit ended; accepted: --python with an interpreter that has the " +
                  "rivulet package, with its scikit-learn and River estimators");
  }

  std::string name_;
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string unread_;
};

nlohmann::json shown(const AuditRow& row) {
  nlohmann::json x = nlohmann::json::array();
  // null for a value that is missing
  for (const double value : row.x) x.push_back(std::isnan(value) ? nlohmann::json() : nlohmann::json(value));
  return {{"x", x}, {"y", std::isnan(row.y) ? nlohmann::json() : nlohmann::json(row.y)}};
}

class PythonExperiment final : public Experiment {
 public:
  PythonExperiment(const Configuration& configuration, const std::string& interpreter)
      : partner_({interpreter, "-m", "rivulet._audit"}) {
    const privacy::MechanismRequest& promise = configuration.promise;
    const NeighbourPair pair = make_pair(configuration.pair, promise.neighbours, promise.dimension, 1.0);
    const nlohmann::json game = {{"door", configuration.door},
                                 {"budget", {promise.budget.epsilon, promise.budget.delta}},
                                 {"neighbours", std::string(rivulet::to_string(promise.neighbours))},
                                 {"rows", {shown(pair.first), shown(pair.second)}}};
    const nlohmann::json answer = nlohmann::json::parse(partner_.ask(game.dump()), nullptr, false);
    if (!answer.is_object() || !answer.contains("numbers")) throw IoError("audit: " + interpreter + ": not the game");
    views_ = {{"learnt, " + configuration.door, answer["numbers"].get<std::size_t>(), {}, true}};
  }

  [[nodiscard]] const std::vector<View>& views() const override { return views_; }

  void run(bool second, std::span<double> numbers) override {
    const nlohmann::json found = nlohmann::json::parse(partner_.ask(second ? "1" : "0"), nullptr, false);
    if (!found.is_array() || found.size() != numbers.size()) throw IoError("audit: not the numbers expected");
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = found[i].get<double>();
  }

 private:
  Partner partner_;
  std::vector<View> views_;
};

}  // namespace

std::unique_ptr<Experiment> make_python_experiment(const Configuration& configuration, const std::string& interpreter) {
  return std::make_unique<PythonExperiment>(configuration, interpreter);
}

}  // namespace rivulet::audit
