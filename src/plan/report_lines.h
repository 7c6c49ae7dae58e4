// How reports are laid out.
#pragma once

#include <fmt/format.h>

#include <string>

namespace rivulet::plan {

inline std::string line(const std::string& label, const std::string& value) {
  return fmt::format("  {:<24}{}\n", label, value);
}

}  // namespace rivulet::plan
