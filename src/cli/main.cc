#include <csignal>
#include <exception>
#include <iostream>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "rivulet/error.h"
#include "rivulet/version.h"

namespace {

constexpr const char* kDescription =
    "Rivulet fits a regression model to a stream of sensitive rows and keeps publishing it as the\n"
    "stream grows. Everything it ever publishes, taken together, is (epsilon, delta)-differentially\n"
    "private for every single row.";

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 a file or stream could not be read or written; 2 bad request, nothing was\n"
    "read or published; 3 the stream is longer than its horizon; 130 interrupted. After 3 and 130 what\n"
    "was published stays valid.\n\n"
    "Try: rivulet fit --help, rivulet plan --help";

// One line, whatever the library's message looked like.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rivulet;
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an answer from write(), not a death

  CLI::App app(kDescription, "rivulet");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("rivulet ") + kVersion);
  app.require_subcommand(1);
  CLI::App* fit = app.add_subcommand("fit", "Fit a private model to a CSV stream, publishing it as the stream grows");
  const cli::Runner run_fit = cli::declare_fit(*fit);
  CLI::App* plan = app.add_subcommand("plan", "Say what a mechanism will do, before there is any data");
  const cli::Runner run_plan = cli::declare_plan(*plan);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string command = fit->parsed() ? "rivulet fit" : plan->parsed() ? "rivulet plan" : "rivulet";
    std::cerr << "rivulet: " << one_line(error.what()) << " (see " << command << " --help)\n";
    return cli::kBadRequest;
  }

  try {
    return fit->parsed() ? run_fit() : run_plan();
  } catch (const RequestError& error) {
    std::cerr << "rivulet: " << one_line(error.what()) << "\n";
    return cli::kBadRequest;
  } catch (const std::exception& error) {
    std::cerr << "rivulet: " << one_line(error.what()) << "\n";
    return cli::kFailed;
  }
}
