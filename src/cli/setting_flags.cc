
#include "cli/setting_flags.h"

#include "base/number_text.h"
#include "request/values.h"
#include "rivulet/error.h"

namespace rivulet::cli {

namespace {

using request::Json;
using request::Setting;
using request::Shape;

void declare_toggle(CLI::App& app, const Setting& setting, bool& yes, bool& no, const std::string& heading) {
  auto* flag = app.add_flag("--" + std::string(setting.key), yes, std::string(setting.help));
  flag->disable_flag_override()->group(heading);
  app.add_flag("--no-" + std::string(setting.key), no, std::string(setting.no_help))
      ->disable_flag_override()
      ->excludes(flag)
      ->group(heading);
}

// "name=lo:hi" and "name=a|b|c". A name of bounds may hold '=', as a level may: the last one separates, or the first.
std::pair<std::string, Json> column_entry(const Setting& setting, const std::string& text) {
  const bool is_levels = setting.key == "levels";
  const std::size_t equals = is_levels ? text.find('=') : text.rfind('=');
  const std::string name(trimmed(std::string_view(text).substr(0, std::min(equals, text.size()))));
  if (equals == std::string::npos || name.empty()) {
    request::Given{text, std::string(setting.key)}.refuse(
        is_levels ? "name=a|b|c with two or more different levels, e.g. carrier=AA|UA|DL"
                  : "name=lo:hi, e.g. age=18:90");
  }
  const std::string value = text.substr(equals + 1);
  return {name, is_levels ? Json(request::split(value, '|')) : Json(value)};
}

Json columns_of(const Setting& setting, const std::vector<std::string>& texts) {
  Json table = Json::object();
  for (const std::string& text : texts) {
    auto [name, value] = column_entry(setting, text);
    // Two flags for one column: nobody can tell which was meant.
    if (table.contains(name)) {
      throw RequestError(std::string(setting.key) + " " + name, "declared twice; accepted: one flag a column");
    }
    table[name] = std::move(value);
  }
  return table;
}

}  // namespace

void SettingFlags::declare(CLI::App& app, const std::function<bool(const Setting&)>& wanted, bool with_headings) {
  for (const request::Group group :
       {request::Group::rows, request::Group::promise, request::Group::mechanism, request::Group::losses,
        request::Group::dimensions, request::Group::durable, request::Group::output}) {
    const std::string heading(with_headings ? request::title(group) : "Options");
    for (const Setting& setting : request::settings()) {
      if (setting.group != group || !wanted(setting)) continue;
      Typed& typed = typed_[std::string(setting.key)];
      if (setting.shape == Shape::toggle) {
        declare_toggle(app, setting, typed.yes, typed.no, heading);
        continue;
      }
      const std::string_view flag = setting.flag.empty() ? setting.key : setting.flag;
      const std::string name = "--" + std::string(flag);
      const std::string help(setting.help);
      CLI::Option* option = nullptr;
      if (setting.shape == Shape::text) {
        option = app.add_option(name, typed.value, help);
      } else {
        option = app.add_option(name, typed.values, help);
        option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      }
      option->type_name(std::string(setting.value))->group(heading);
    }
  }
}

void SettingFlags::declare_argument(CLI::App& app, std::string_view key, std::string help) {
  app.add_option(std::string(request::find_setting(key)->value), typed_[std::string(key)].value, std::move(help))
      ->type_name("");
}

request::Settings SettingFlags::given() const {
  request::Settings given = Json::object();
  for (const Setting& setting : request::settings()) {
    const auto found = typed_.find(setting.key);
    if (found == typed_.end()) continue;
    const Typed& typed = found->second;
    const std::string key(setting.key);
    if (typed.yes || typed.no) given[key] = typed.yes;
    if (typed.value) given[key] = *typed.value;
    if (typed.values.empty()) continue;
    switch (setting.shape) {
      case Shape::names:
        for (const std::string& text : typed.values) {
          for (std::string& name : request::split(text, ',')) given[key].push_back(std::move(name));
        }
        break;
      case Shape::texts:
        given[key] = typed.values;
        break;
      case Shape::columns:
        given[key] = columns_of(setting, typed.values);
        break;
      default:
        break;
    }
  }
  request::require_readable(given);
  return given;
}

void declare_model(CLI::App& app, LogFlags& flags) {
  app.add_option("MODEL", flags.model, "A model file (rivulet fit --model) or an export of one")
      ->required()
      ->type_name("");
}

void declare_at(CLI::App& app, LogFlags& flags) {
  app.add_option("--at", flags.at, "As of this release; the last one unless given")->type_name("STEP");
}

void declare_level(CLI::App& app, LogFlags& flags) {
  app.add_option("--level", flags.level, "Confidence of the intervals; 0.95 unless given")->type_name("P");
}

std::uint64_t chosen_step(const LogFlags& flags, const ReleaseLog& log) {
  const std::uint64_t last = log.last_step();
  if (last == 0)
    throw RequestError("model", "'" + flags.model + "' has no release yet; the first is out after the first step");
  if (!flags.at) return last;
  const std::uint64_t step = request::Given{*flags.at, "at"}.positive_whole();
  if (step > last) {
    throw RequestError("at", *flags.at + " is not out yet; accepted: 1 to " + std::to_string(last));
  }
  return step;
}

double chosen_level(const LogFlags& flags) {
  const double level = request::Given{flags.level, "level"}.positive();
  if (level >= 1.0) {
    throw RequestError("level",
                       shown(flags.level) + " is not accepted; accepted: a probability above 0 and below 1, e.g. 0.95");
  }
  return level;
}

}  // namespace rivulet::cli
