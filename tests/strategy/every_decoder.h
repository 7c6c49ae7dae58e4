// Every decoder there is, for tests with a parameter.
#pragma once

#include <gtest/gtest.h>

#include <ostream>

#include "privacy/mechanism_plan.h"

namespace rivulet::strategy {

struct Setting {
  StrategyKind kind;
  TreeDecoding decoding;
  bool known_horizon;
};

inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << to_string(setting.kind) << (setting.decoding == TreeDecoding::paper ? "/paper" : "")
       << (setting.known_horizon ? "" : "/unbounded");
}

inline privacy::MechanismPlan plan_for(const Setting& setting, std::uint64_t steps, std::size_t dimension = 1) {
  privacy::MechanismRequest request;
  request.dimension = dimension;
  request.strategy.kind = setting.kind;
  request.strategy.tree_decoding = setting.decoding;
  request.strategy.horizon = setting.known_horizon ? Horizon::known(steps) : Horizon::unbounded();
  return privacy::MechanismPlan(request);
}

inline auto every_decoder() {
  return ::testing::Values(
      Setting{StrategyKind::blt, TreeDecoding::optimal, true}, Setting{StrategyKind::blt, TreeDecoding::optimal, false},
      Setting{StrategyKind::tree, TreeDecoding::optimal, true}, Setting{StrategyKind::tree, TreeDecoding::paper, true},
      Setting{StrategyKind::hybrid, TreeDecoding::optimal, false},
      Setting{StrategyKind::hybrid, TreeDecoding::paper, false});
}

}  // namespace rivulet::strategy
