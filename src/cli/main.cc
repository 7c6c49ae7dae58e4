#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/help_format.h"
#include "input/row_source.h"
#include "rivulet/error.h"
#include "rivulet/version.h"

namespace {

using namespace rivulet;

constexpr const char* kDescription =
    "Rivulet fits a regression model to a stream of sensitive rows and keeps publishing it as the\n"
    "stream grows. Everything it ever publishes, taken together, is (epsilon, delta)-differentially\n"
    "private for every single row.";

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 a file or stream could not be read or written; 2 bad request, no row was\n"
    "read and nothing published; 3 the stream is longer than its horizon; 4 the model is in use,\n"
    "damaged or behind what was published, or its input changed: nothing was read, published or\n"
    "changed; 5 an audit proved a promise broken; 130 interrupted. After 1, 3 and 130 what was\n"
    "published stays valid.\n\n"
    "Try: rivulet fit --help, rivulet plan --help";

// One line, whatever the message looked like.
int complain(std::string message, int code) {
  for (char& c : message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  cli::tell("rivulet: " + message + "\n");
  return code;
}

// --help and --version, which the library reports as errors of code 0.
int answer(const CLI::App& app, const CLI::ParseError& request) {
  std::ostringstream text;
  app.exit(request, text, text);
  cli::print(text.str());
  return cli::kDone;
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "rivulet");
  app.formatter(std::make_shared<cli::HelpFormat>());
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("rivulet ") + kVersion, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  struct Command {
    CLI::App* app;
    cli::Runner run;
  };
  std::vector<Command> commands;
  const auto add = [&](const char* name, cli::Runner (*declare)(CLI::App&)) {
    CLI::App* command = app.add_subcommand(name)->group("Commands");
    commands.push_back({command, declare(*command)});
  };
  add("fit", cli::declare_fit);
  add("summary", cli::declare_summary);
  add("predict", cli::declare_predict);
  add("refit", cli::declare_refit);
  add("export", cli::declare_export);
  add("inspect", cli::declare_inspect);
  add("plan", cli::declare_plan);
  add("audit", cli::declare_audit);
  add("settings", cli::declare_settings);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return answer(app, error);
    return complain(cli::explain(error, app), cli::kBadRequest);
  }
  const auto chosen =
      std::find_if(commands.begin(), commands.end(), [](const Command& command) { return command.app->parsed(); });
  return chosen->run();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an answer from write(), not a death
  cli::reserve_standard_streams();
  try {
    return run(argc, argv);
  } catch (const RequestError& error) {
    return complain(error.what(), cli::kBadRequest);
  } catch (const DamagedFile& error) {
    return complain(error.what(), cli::kRefused);
  } catch (const ModelConflict& error) {
    return complain(error.what(), cli::kRefused);
  } catch (const input::SourceChanged& error) {
    return complain(error.what(), cli::kRefused);
  } catch (const std::exception& error) {
    return complain(error.what(), cli::kFailed);
  }
}
