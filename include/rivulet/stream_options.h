// What a private regression stream is asked for: everything that is decided before the first row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/erm_settings.h"
#include "rivulet/schema.h"
#include "rivulet/sketch.h"

namespace rivulet {

// How the noisy objective is minimised. Post-processing: changes accuracy and speed, never privacy.
enum class Solver {
  by_profile,       // fast for `tight`, noisy_proj_grad for `paper`
  fast,             // exact or accelerated, with a noise-aware ridge
  noisy_proj_grad,  // the paper's algorithm as written
};

struct StreamOptions {
  Budget budget;
  Schema schema;
  Neighbours neighbours = Neighbours::replace;
  std::optional<PrivacyUnit> unit;   // one row unless given
  std::vector<std::string> only_if;  // the set G: conditions a row must meet to be used (see domain.h)
  Profile profile = Profile::tight;
  Horizon horizon = Horizon::unbounded();
  std::uint64_t release_every = 1;
  std::optional<StrategyKind> strategy;       // blt for `tight`, tree for `paper`
  std::optional<unsigned> buffers;            // of the blt strategy
  std::optional<TreeDecoding> tree_decoding;  // optimal for `tight`, paper for `paper`
  std::string constraint = "l2:2";            // on the coefficients in box units (see schema.h)
  Solver solver = Solver::by_profile;
  bool noise_aware_ridge = true;  // fast solver only
  // PrivIncReg2 when given: rows are sketched to fewer dimensions first.
  std::optional<Sketch> sketch;
  // The set X that rows are expected in (see input_set.h), "" for what only_if says. Decides the sketch's dimension and
  // what plans predict; rows outside are used all the same.
  std::string input_set;
  // What a model pays for a row, as parse_loss() (loss.h) reads it. Without `erm` squared or logistic, the latter by
  // its quadratic surrogate (docs/losses.md); classification losses go with Schema::classes.
  std::string loss = "squared";
  // Of the surrogate: the margins |<x, theta>| it is to be good for. A public guess, part of the fit, not of the
  // promise.
  double surrogate_margin = 4.0;
  // PrivIncERM when given: rows are kept, and a private batch solver goes over them every tau steps. Not with a sketch;
  // strategy, buffers, tree_decoding, solver and noise_aware_ridge mean nothing then.
  std::optional<ErmSettings> erm;
  // Deterministic noise, for tests and experiments only: an output made with it is NOT private.
  std::optional<std::uint64_t> insecure_seed;
};

}  // namespace rivulet
