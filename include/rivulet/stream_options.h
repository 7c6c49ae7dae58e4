// What a private regression stream is asked for: everything that is decided before the first row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/schema.h"

namespace rivulet {

// The random projection of PrivIncReg2: rows of d coordinates are summarised in m << d dimensions before they are
// summed, so that memory and noise depend on m alone. The matrix Phi is public; privacy does not rest on it.

enum class EmbeddingKind {
  sparse_sign,  // `column_weight` entries of +-1/sqrt(column_weight) in every column: fast (default)
  gaussian,     // independent N(0, 1/m) entries: the paper's Phi
};

// How m is chosen where it is not given. Where the stream's length T is unknown, a million rows are assumed.
enum class SketchRule {
  predicted_risk,  // the m of least predicted excess risk for the declared geometry and budget (default)
  paper,           // gamma = (W / T)^(1/3), m = gamma^-2 max(W^2, ln(T / beta)), W = w(X) + w(K)
};

struct Sketch {
  std::optional<std::size_t> dimension{};  // m
  SketchRule rule = SketchRule::predicted_risk;
  std::optional<EmbeddingKind> embedding{};  // sparse_sign; gaussian for profile `paper`
  std::optional<unsigned> column_weight{};   // of sparse_sign: 1 to 64, at most m; 32, or m if that is less
  // Of Phi; drawn when absent. Public: whoever knows it may choose rows that Phi maps badly, which costs accuracy and
  // never privacy. It must not be chosen after looking at rows.
  std::optional<std::uint64_t> seed{};
};

std::string_view to_string(EmbeddingKind);
// "sparse-sign" or "gaussian". Throws RequestError naming `field` and the accepted words.
EmbeddingKind parse_embedding(std::string_view word, std::string_view field = "embedding");

// How PrivIncERM (priv_inc_erm.h) goes about its calls of the batch solver.

enum class ErmMechanism {
  periodic,  // PrivIncERM
  naive,     // the batch solver at every step: the comparison that PrivIncERM improves on
  trivial,   // ignores the data: the point of K nearest the origin, for ever
};

enum class ErmMethod {
  by_set,            // frank_wolfe for sets of small width and smooth losses, gradient_descent elsewhere
  gradient_descent,  // noisy gradient descent (Bassily, Smith, Thakurta 2014)
  frank_wolfe,       // private Frank-Wolfe (Talwar, Thakurta, Zhang 2015)
  // Output perturbation (Chaudhuri, Monteleoni, Sarwate 2011): the minimiser itself, with noise. Needs a ridge, an L2
  // ball and a smooth loss of the library.
  output_perturbation,
};

// tau by Theorem 3.1, part 1, 2 or 3.
enum class ErmTauRule {
  by_method,  // width for frank_wolfe, strongly_convex where there is a ridge, convex elsewhere
  convex,
  strongly_convex,
  width,
};

struct ErmSettings {
  ErmMechanism mechanism = ErmMechanism::periodic;
  ErmMethod method = ErmMethod::by_set;
  ErmTauRule rule = ErmTauRule::by_method;
  std::optional<std::uint64_t> tau{};  // steps between calls; by the rule when absent
  double ridge = 0.0;                  // (ridge / 2) ||theta||^2 a row, in unit-ball units
  double late_weight = 0.0;            // mu_j^2 of the j-th call is proportional to j^late_weight; known horizons
  // Of every call; chosen for its rows and budget when absent.
  std::optional<std::uint64_t> iterations{};
  std::uint64_t batches = 1;  // gradient descent: parts of a pass over the rows
  // Publish a mean over the last few calls, as many as keep the theorem's bound (docs/losses.md), rather than the last
  // call's model; true unless the profile is the paper's.
  std::optional<bool> averaged{};
};

// What a private regression stream is asked for: everything that is decided before the first row.

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
