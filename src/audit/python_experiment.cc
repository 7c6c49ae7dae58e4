#include "audit/python_experiment.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "audit/child_process.h"
#include "audit/neighbour_pair.h"
#include "rivulet/error.h"

namespace rivulet::audit {
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
