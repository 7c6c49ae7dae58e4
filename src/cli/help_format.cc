
#include "cli/help_format.h"

#include <sstream>
#include <string_view>
#include <vector>

#include "base/number_text.h"
#include "request/values.h"

namespace rivulet::cli {

namespace {

constexpr std::size_t kNameColumns = 28;
constexpr std::size_t kTextColumns = 100 - kNameColumns;

std::string wrapped(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::string out;
  std::string word;
  std::size_t used = 0;
  while (words >> word) {
    const bool fits = used + 1 + word.size() <= columns;
    if (used > 0) out += fits ? ' ' : '\n';
    used = used > 0 && fits ? used + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

}  // namespace

HelpFormat::HelpFormat() {
  column_width(kNameColumns);
  label("Positionals", "Input");
  label("Subcommands", "Commands");
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string help = Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = help.find("\n\n\n"); at != std::string::npos; at = help.find("\n\n\n", at)) help.erase(at, 1);
  return help;
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  return app->get_description() + "\n\n";
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  const std::string description = command->get_description();
  std::ostringstream out;
  CLI::detail::format_help(out, command->get_name(), description.substr(0, description.find('\n')), kNameColumns);
  return out.str();
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), kTextColumns);
}

namespace {

std::string accepted_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "accepted: " + names + "; see " + app.get_name() + " --help";
}

std::string unknown_flag(const std::string& flag, const CLI::App& command, const std::string& help) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string name = flag.substr(0, flag.find('='));
  const std::string_view suggestion = request::nearest(name, candidates);
  return name + ": unknown flag; " + (suggestion.empty() ? "" : "did you mean " + std::string(suggestion) + "? ") +
         "accepted: those of " + help;
}

// The library says "--epsilon: 1 required E missing", "--epsilon: At Most 1 required but received 2" or "json was
// given a disallowed flag override".
std::string wrong_count(const std::string& message, const CLI::App& command, const std::string& help) {
  std::string flag = message.substr(0, message.find_first_of(": "));
  if (!flag.starts_with("-")) flag = "--" + flag;
  const CLI::Option* option = command.get_option_no_throw(flag);
  if (option == nullptr) return message + "; see " + help;
  if (option->get_expected_min() == 0) return flag + ": takes no value; accepted: " + flag + " alone; see " + help;
  const std::string form = flag + " " + option->get_type_name();
  if (message.find("received") == std::string::npos) {
    return flag + ": has no value; accepted: " + form + "; see " + help;
  }
  return flag + ": given more than once; accepted: " + form + ", once; see " + help;
}

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  if (parsed.size() > 1) return "command: given more than once; " + accepted_commands(app);
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  const std::string help = (parsed.empty() ? "" : app.get_name() + " ") + command.get_name() + " --help";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count(error.what(), command, help);

  for (const CLI::App* place : {&command, &app}) {
    const std::vector<std::string> left_over = place->remaining();
    if (left_over.empty()) continue;
    const std::string& word = left_over.front();
    if (word.starts_with("-")) return unknown_flag(word, *place, help);
    if (parsed.empty()) return "command: " + shown(word) + " is not known; " + accepted_commands(app);
    return shown(word) + ": not expected here; accepted: the arguments of " + help;
  }
  if (parsed.empty()) return "command: not given; " + accepted_commands(app);
  return std::string(error.what()) + "; see " + help;
}

}  // namespace rivulet::cli
