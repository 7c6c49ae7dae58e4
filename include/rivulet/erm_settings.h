// How PrivIncERM (priv_inc_erm.h) goes about its calls of the batch solver.
#pragma once

#include <cstdint>
#include <optional>

namespace rivulet {

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

}  // namespace rivulet
