// Excess empirical risk of PrivIncERM at the end of a stream, on streams whose minimum is known exactly. What the
// experiments erm_rates and table1 and the test of the rates share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "experiment.h"
#include "rivulet/priv_inc_erm.h"

namespace rivulet::experiments {

struct ErmSetting {
  std::uint64_t rows = 4096;  // T, a step each
  std::size_t dimension = 5;
  Budget budget{1.0, 1e-6};
  PrivIncErm::Mechanism mechanism = PrivIncErm::Mechanism::periodic;
  PrivIncErm::TauRule rule = PrivIncErm::TauRule::convex;
  Profile profile = Profile::tight;
  std::optional<bool> averaged{};
  double ridge = 0.0;
  std::uint64_t seed = 1;
};

struct ErmOutcome {
  double excess = 0.0;
  double trivial = 0.0;  // of the model that ignores the rows
  double terms = 0.0;    // what the theorem's proof adds up: w(K) D L / mu of the last call and 2 tau L ||K||
  double theorem = 0.0;  // the theorem's bound for it, with 1 for its constant and its polylog(T / beta)
  std::uint64_t tau = 0;
  std::uint64_t calls = 0;
};

// Squared loss on an IsotropicStream over the unit L2 ball. With a ridge the excess is that of the objective with it.
ErmOutcome measure_regression(const ErmSetting& setting);
// The same rows through PrivIncReg1.
ErmOutcome measure_priv_inc_reg1(const ErmSetting& setting);

// Over the streams of seeds 1, 2, ...: mean excesses, and the rest, which is the same for all.
ErmOutcome mean_outcome(const std::function<ErmOutcome(const ErmSetting&)>& measure, ErmSetting setting, int streams);

// A stream after the lower bound of Bassily, Smith and Thakurta (2014): the hinge within its straight part, so that the
// risk is linear, <G, theta>, over the L2 ball of radius 0.9, with a G just as long as the noise of a call, which turns
// round as fast as rows can turn it. There the theorem leaves little room: neither old models nor old noise help.
ErmOutcome measure_hard_stream(const ErmSetting& setting);

}  // namespace rivulet::experiments
