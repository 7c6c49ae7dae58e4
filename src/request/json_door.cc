#include "request/settings.h"
#include "rivulet/error.h"
#include "rivulet/request.h"

namespace rivulet {

namespace {

request::Settings parsed(std::string_view text) {
  try {
    return request::Json::parse(text);
  } catch (const request::Json::exception&) {
    throw RequestError("settings", "not JSON; accepted: an object of settings, e.g. {\"epsilon\": 1}");
  }
}

}  // namespace

StreamOptions request_read_back(std::string_view json) {
  return request::read_request(parsed(json));
}

StreamOptions request_from_json(std::string_view text) {
  const request::Settings given = parsed(text);
  request::require_readable(given);
  for (const auto& [key, value] : given.items()) {
    if (request::find_setting(key)->scope != request::Scope::tool) continue;
    throw RequestError(key, "is of the command-line tool, not of a request; accepted: without it");
  }
  return request::read_request(given);
}

std::string to_json(const StreamOptions& request) {
  return request::settings_of(request).dump(-1, ' ', false, request::Json::error_handler_t::replace);
}

std::string to_json(const Schema& schema) {
  return request::settings_of(schema).dump(-1, ' ', false, request::Json::error_handler_t::replace);
}

std::vector<SettingDescription> describe_settings() {
  std::vector<SettingDescription> described;
  for (const request::Setting& setting : request::settings()) {
    described.push_back({std::string(setting.key), std::string(setting.value), std::string(setting.help),
                         std::string(request::title(setting.group)), setting.scope == request::Scope::tool});
  }
  return described;
}

}  // namespace rivulet
