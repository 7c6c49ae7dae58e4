#include "cli/help_format.h"

#include <sstream>

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

}  // namespace rivulet::cli
