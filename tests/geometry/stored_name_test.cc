// A stream's settings outlive the files they were read from.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fit/mechanism.h"
#include "rivulet/error.h"
#include "rivulet/stream_options.h"

namespace rivulet {
namespace {

TEST(StoredConstraint, APolytopeFromAFileBecomesItsVertices) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema.intercept(false).feature("a", {0, 1}).feature("b", {0, 1});
  options.schema = options.schema.target("y", {0, 1});
  const auto path = std::filesystem::temp_directory_path() /
                    ("rivulet_stored_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + ".csv");
  std::ofstream(path) << "1,0\n-1,0\n0,2\n";
  options.constraint = "polytope:" + path.string();
  const StreamOptions stored = fit::with_defaults(options);
  std::filesystem::remove(path);
  EXPECT_EQ(stored.constraint, "polytope:[[1,0],[-1,0],[0,2]]");
  EXPECT_EQ(fit::with_defaults(stored).constraint, stored.constraint);
  EXPECT_THROW(fit::with_defaults(options), RequestError);
  for (const char* text : {"l2:2", "simplex", "group:1:2", "box:-1:1"}) {
    options.constraint = text;
    EXPECT_EQ(fit::with_defaults(options).constraint, text);
  }
}

}  // namespace
}  // namespace rivulet
