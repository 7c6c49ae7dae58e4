// How --help looks: a blank line between blocks, lines of at most 100 characters, one line for each command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rivulet::cli {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  // The first line of the command's description.
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};


// A command line that does not fit the declared flags, explained in one line: what was typed and what is accepted.

// `app` as the failed parse left it.
std::string explain(const CLI::ParseError& error, const CLI::App& app);

}  // namespace rivulet::cli
