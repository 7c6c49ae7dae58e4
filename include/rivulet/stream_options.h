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

// Which mechanism runs.
enum class Mechanism {
  full,       // PrivIncReg1: sums over all pairs of features
  sketch,     // PrivIncReg2: the same of rows that are projected to fewer dimensions first
  erm,        // PrivIncERM: rows are kept, and a private batch solver goes over them every tau steps
  surrogate,  // logistic regression from the sums of `full`, by a quadratic surrogate (docs/losses.md)
  naive,      // the batch solver at every step, and
  trivial,    // a model that ignores the data: what PrivIncERM is compared with
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
  // By the loss and the sketch unless given: a sketch means PrivIncReg2, `erm` or a loss other than squared PrivIncERM.
  std::optional<Mechanism> mechanism;
  // PrivIncReg2 when given: rows are sketched to fewer dimensions first.
  std::optional<Sketch> sketch;
  // The set X that rows are expected in (see input_set.h), "" for what only_if says. Decides the sketch's dimension and
  // what plans predict; rows outside are used all the same.
  std::string input_set;
  // What a model pays for a row, as parse_loss() (loss.h) reads it; "" for logistic where the target has classes,
  // squared elsewhere. Classification losses go with Schema::classes.
  std::string loss;
  // Of the surrogate: the margins |<x, theta>| it is to be good for, 4 unless given. A public guess, part of the fit,
  // not of the promise.
  std::optional<double> surrogate_margin;
  // How PrivIncERM goes about its calls. Strategy, buffers, tree_decoding and input_set mean nothing then.
  std::optional<ErmSettings> erm;
  // Deterministic noise, for tests and experiments only: an output made with it is NOT private.
  std::optional<std::uint64_t> insecure_seed;
};

}  // namespace rivulet
