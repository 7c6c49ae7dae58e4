#include "strategy/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rivulet/error.h"
#include "strategy/blt.h"

namespace rivulet::strategy {
namespace {

std::shared_ptr<const Strategy> make(StrategyKind kind, Horizon horizon,
                                     TreeDecoding decoding = TreeDecoding::optimal) {
  Strategy::Options options;
  options.kind = kind;
  options.horizon = horizon;
  options.tree_decoding = decoding;
  return make_strategy(options);
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
    EXPECT_THROW(make_strategy(options), RequestError);
  }
  Strategy::Options tree;
  tree.kind = StrategyKind::tree;
  tree.horizon = Horizon::known(100);
  tree.buffers = 4;
  EXPECT_THROW(make_strategy(tree), RequestError);
}

TEST(Strategy, UnboundedBltBeatsATreeThatKnowsTheHorizonByAboutTwo) {
  const auto blt = make(StrategyKind::blt, Horizon::unbounded());
  const auto tree = make(StrategyKind::tree, Horizon::known(1000000));
  EXPECT_GT(tree->norm() * tree->max_decoder_norm() / (blt->norm() * blt->decoder_norm(1000000)), 2.0);
}

TEST(Strategy, AnUnboundedPromiseRestsOnTheInfiniteMatrix) {
  const auto blt = make(StrategyKind::blt, Horizon::unbounded());
  const BltParameters& parameters = dynamic_cast<const BltStrategy&>(*blt).parameters();
  EXPECT_DOUBLE_EQ(blt->norm(), parameters.column_norm(std::nullopt));
  EXPECT_GT(blt->norm(), parameters.column_norm(kUnboundedDesignSteps));
}

TEST(Strategy, TreeNormIsTheSquareRootOfItsLevels) {
  EXPECT_NEAR(make(StrategyKind::tree, Horizon::known(1024))->norm(), std::sqrt(11.0), 1e-12);
  EXPECT_NEAR(make(StrategyKind::tree, Horizon::known(1023))->norm(), std::sqrt(10.0), 1e-12);
}

TEST(Strategy, EveryWordHasAStrategyOfItsKindADecoderAndADesignThatMakesItAgain) {
  for (const char* word : {"blt", "tree", "hybrid"}) {
    Strategy::Options options;
    options.kind = parse_strategy(word);
    options.horizon = Horizon::known(100);
    const auto strategy = make_strategy(options);
    EXPECT_EQ(to_string(strategy->kind()), word);
    EXPECT_EQ(strategy->make_decoder(3)->coordinates(), 3U);
    EXPECT_EQ(make_strategy(options, strategy->design())->norm(), strategy->norm());
    EXPECT_EQ(strategy->buffers().has_value(), !has_tree(options.kind));
  }
}

TEST(Strategy, PublishedVectorsHaveTheColumnNormOfTheStrategy) {
  for (const StrategyKind kind : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    const auto strategy = make(kind, Horizon::known(64));
    std::vector<double> squares(64, 0.0);
    double vectors = 0.0;
    for (std::uint64_t step = 1; step <= 64; ++step) {
      for (const PublishedVector& vector : strategy->published_at(step)) {
        vectors += 1.0;
        EXPECT_LE(vector.widening, strategy->largest_widening() * (1.0 + 1e-12));
        for (std::uint64_t i = 1; i <= 64; ++i) {
          squares[i - 1] += std::pow(vector.coefficient(i) / vector.widening, 2);
        }
      }
    }
    EXPECT_NEAR(std::sqrt(*std::max_element(squares.begin(), squares.end())), strategy->norm(), 1e-9);
    EXPECT_LE(vectors, strategy->published_vectors());
  }
}

}  // namespace
}  // namespace rivulet::strategy
