#include "strategy/strategy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rivulet/error.h"

namespace rivulet::strategy {
namespace {

Strategy make(StrategyKind kind, Horizon horizon, TreeDecoding decoding = TreeDecoding::optimal) {
  Strategy::Options options;
  options.kind = kind;
  options.horizon = horizon;
  options.tree_decoding = decoding;
  return Strategy(options);
}

TEST(Strategy, TreeWithoutAHorizonIsRefusedAndSaysWhatToDo) {
  try {
    make(StrategyKind::tree, Horizon::unbounded());
    FAIL();
  } catch (const RequestError& error) {
    EXPECT_EQ(error.field(), "strategy");
    EXPECT_NE(std::string(error.what()).find("hybrid"), std::string::npos);
  }
}

TEST(Strategy, HorizonsAboveTheCapAndBufferCountsOutOfRangeAreRefused) {
  EXPECT_THROW(make(StrategyKind::blt, Horizon::known(kStepCap + 1)), RequestError);
  for (unsigned buffers : {0U, 9U}) {
    Strategy::Options options;
    options.buffers = buffers;
    EXPECT_THROW(Strategy{options}, RequestError);
  }
  Strategy::Options tree;
  tree.kind = StrategyKind::tree;
  tree.horizon = Horizon::known(100);
  tree.buffers = 4;
  EXPECT_THROW(Strategy{tree}, RequestError);
}

TEST(Strategy, UnboundedBltBeatsATreeThatKnowsTheHorizonByAboutTwo) {
  const Strategy blt = make(StrategyKind::blt, Horizon::unbounded());
  const Strategy tree = make(StrategyKind::tree, Horizon::known(1000000));
  EXPECT_GT(tree.norm() * tree.max_decoder_norm() / (blt.norm() * blt.decoder_norm(1000000)), 2.0);
}

TEST(Strategy, AnUnboundedPromiseRestsOnTheInfiniteMatrix) {
  const Strategy blt = make(StrategyKind::blt, Horizon::unbounded());
  EXPECT_DOUBLE_EQ(blt.norm(), blt.blt().column_norm(std::nullopt));
  EXPECT_GT(blt.norm(), blt.blt().column_norm(kUnboundedDesignSteps));
}

TEST(Strategy, TreeNormIsTheSquareRootOfItsLevels) {
  EXPECT_NEAR(make(StrategyKind::tree, Horizon::known(1024)).norm(), std::sqrt(11.0), 1e-12);
  EXPECT_NEAR(make(StrategyKind::tree, Horizon::known(1023)).norm(), std::sqrt(10.0), 1e-12);
}

}  // namespace
}  // namespace rivulet::strategy
