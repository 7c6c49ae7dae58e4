// Requests that cannot be honoured, and the one line that says why.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "cli/fit_fixture.h"

namespace rivulet::cli_testing {

struct BadRequest {
  std::string name;
  Flags flags;
  std::vector<std::string> message;  // parts of the one line
};

inline void PrintTo(const BadRequest& request, std::ostream* out) {
  *out << request.name;
}

inline void expect_one_line(const Outcome& outcome, const std::vector<std::string>& message) {
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("rivulet: ")) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  for (const std::string& part : message) EXPECT_TRUE(holds(outcome.err, part));
}

}  // namespace rivulet::cli_testing
