// What a refused request says.
#pragma once

#include <string>

#include "rivulet/error.h"

namespace rivulet::testing {

// The message of the RequestError that `call` throws, or "accepted".
template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const RequestError& error) {
    return error.what();
  }
  return "accepted";
}

// The field it names, or "accepted".
template <typename Call>
std::string refused_field(Call call) {
  try {
    call();
  } catch (const RequestError& error) {
    return error.field();
  }
  return "accepted";
}

}  // namespace rivulet::testing
