// A request as text: JSON with the settings of `rivulet fit`, for whoever is not written in C++. The same settings mean
// the same through every door, because all of them are read here.
//
//   {"target": "spend", "features": ["age", "income"], "epsilon": 1, "delta": 1e-6, "release-every": 100,
//    "bounds": {"age": [18, 90], "income": [0, 200000], "spend": [0, 5000]}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rivulet/stream_options.h"

namespace rivulet {

// The request that the settings ask for, with the mechanism decided. Throws RequestError naming the setting, its value
// and what would be accepted: a key that is none, a value that is not accepted, a setting that is missing or
// contradicts another.
StreamOptions request_from_json(std::string_view settings);
// Settings that mean this request, or declare this schema. A request that a stream has filled in says more than a user may:
// the tau that was chosen beside the rule that chose it.
std::string to_json(const StreamOptions& request);
StreamOptions request_read_back(std::string_view json);
std::string to_json(const Schema& schema);

// One setting, for references and help. Keys have dashes; Python has underscores instead.
struct SettingDescription {
  std::string key;
  std::string value;  // what stands for a value, e.g. "NAME=LO:HI"
  std::string help;
  std::string group;
  bool of_the_tool = false;  // says where the tool's rows come from or releases go: no part of a request
};
std::vector<SettingDescription> describe_settings();

}  // namespace rivulet
