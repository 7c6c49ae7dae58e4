// `rivulet settings`: the one description of a request, as a reference, as data and for the shell.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "request/settings.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "List every setting of a request.\n"
    "\n"
    "The same settings are flags of 'rivulet fit', keys of its configuration file and, with underscores\n"
    "for dashes, keywords of rivulet.Stream in Python.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet settings\n"
    "    rivulet settings --json | jq '.[] | .key'\n"
    "    rivulet settings --completion > ~/.local/share/bash-completion/completions/rivulet";

constexpr std::array kGroups{request::Group::input,     request::Group::rows,   request::Group::promise,
                             request::Group::mechanism, request::Group::losses, request::Group::dimensions,
                             request::Group::durable,   request::Group::output};

std::string flag_of(const request::Setting& setting) {
  if (setting.key == "input") return std::string(setting.value);
  const std::string flag = "--" + std::string(setting.flag.empty() ? setting.key : setting.flag);
  if (setting.shape == request::Shape::toggle) return flag + ", --no-" + std::string(setting.key);
  return flag + " " + std::string(setting.value);
}

std::string mechanisms_of(const request::Setting& setting) {
  if (setting.holds_for == request::kEveryMechanism) return "";
  std::string names;
  for (unsigned i = 0; i <= static_cast<unsigned>(Mechanism::trivial); ++i) {
    const auto mechanism = static_cast<Mechanism>(i);
    if ((setting.holds_for & request::only(mechanism)) == 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(request::to_string(mechanism));
  }
  return names;
}

// A '|' would end the cell of a table.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string markdown() {
  std::string out;
  for (const request::Group group : kGroups) {
    out += "### " + std::string(request::title(group)) + "\n\n| key | flag | meaning |\n|---|---|---|\n";
    for (const request::Setting& setting : request::settings()) {
      if (setting.group != group) continue;
      std::string meaning(setting.help);
      if (!setting.no_help.empty())
        meaning += ". `--no-" + std::string(setting.key) + "`: " + std::string(setting.no_help);
      if (const std::string names = mechanisms_of(setting); !names.empty()) meaning += " (mechanism " + names + ")";
      out += "| `" + std::string(setting.key) + "` | `" + cell(flag_of(setting)) + "` | " + cell(meaning) + " |\n";
    }
    out += "\n";
  }
  return out;
}

std::string json() {
  request::Json list = request::Json::array();
  for (const request::Setting& setting : request::settings()) {
    list.push_back({{"key", setting.key},
                    {"flag", flag_of(setting)},
                    {"help", setting.help},
                    {"group", request::title(setting.group)},
                    {"mechanisms", mechanisms_of(setting)},
                    {"of_the_tool", setting.scope == request::Scope::tool},
                    {"stored_as", setting.stored.path}});
  }
  return list.dump(2) + "\n";
}

// Commands and their flags, as the parser knows them; files otherwise.
std::string completion(const CLI::App& tool) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : tool.get_subcommands([](const CLI::App*) { return true; })) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += "    " + command->get_name() + ") words=\"";
    std::string flags;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) flags += (flags.empty() ? "--" : " --") + name;
    }
    cases += flags + "\" ;;\n";
  }
  return "# bash completion of rivulet\n_rivulet() {\n  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"" +
         commands +
         "\" -- \"$word\"))\n    return\n"
         "  fi\n  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $word in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac\n}\ncomplete -o filenames -F _rivulet rivulet\n";
}

struct SettingsFlags {
  bool json = false;
  bool completion = false;
};

}  // namespace

Runner declare_settings(CLI::App& app) {
  auto flags = std::make_shared<SettingsFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  auto* as_json = app.add_flag("--json", flags->json, "Machine-readable output")->disable_flag_override();
  app.add_flag("--completion", flags->completion, "A completion script for bash instead")
      ->disable_flag_override()
      ->excludes(as_json);
  return [flags, tool = app.get_parent()] {
    print(flags->completion ? completion(*tool) : flags->json ? json() : markdown());
    return kDone;
  };
}

}  // namespace rivulet::cli
