// Compiled, as src/solve is, with Rivulet's own name for Eigen's namespace, to see the settings Cholesky works with.
#define Eigen EigenInRivulet
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "solve/cholesky.h"

namespace rivulet::solve {
namespace {

// With the sizes Eigen 3.4 finds by itself, the inverse of a 150 x 150 matrix differs in its last digits between a
// processor with 32 KB and one with 48 KB of first-level cache.
TEST(Cholesky, CutsItsProductsTheSameWayOnEveryMachine) {
  const Cholesky linked(1);
  EXPECT_EQ(Eigen::l1CacheSize(), 32 * 1024);
  EXPECT_EQ(Eigen::l2CacheSize(), 256 * 1024);
  EXPECT_EQ(Eigen::l3CacheSize(), 2048 * 1024);
}

}  // namespace
}  // namespace rivulet::solve
