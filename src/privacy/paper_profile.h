// Profile `paper`: the literal constants of Algorithms PrivIncReg1, TreeMech and PrivIncERM.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rivulet/budget.h"

namespace rivulet::privacy {

// Noise standard deviation of one tree node in TreeMech(epsilon', delta', Delta_2) as PrivIncReg1 calls it twice, with
// epsilon' = epsilon/2, delta' = delta/2 and Delta_2 = 2:  sqrt(2) log2(T) Delta_2 sqrt(ln(2/delta')) / epsilon'.
double paper_node_stddev(const Budget& budget, std::uint64_t horizon_steps);

// Throws RequestError, saying why, where those constants do not carry the promise: epsilon > 1 (the Gaussian-mechanism
// theorem behind them holds for epsilon <= 1), fewer than 4 steps (log2(T) is then too small for the floor(log2 T)+1
// nodes a row enters), or no known horizon (T is in the formula).
void require_paper_range(const Budget& budget, const Horizon& horizon);

// The expression inside the O(.) of Theorem 4.2, constant 1:
//   log2(T)^(3/2) sqrt(ln(1/delta)) ||C||^2 (sqrt(d) + sqrt(ln(T/beta))) / epsilon.
double theorem_4_2_bound(const Budget& budget, std::uint64_t horizon_steps, double dimension, double diameter,
                         double beta);

// gamma and m of PrivIncReg2's first line, constants 1: gamma = (W / T)^(1/3), m = gamma^-2 max(W^2, ln(T / beta)),
// with W = w(X) + w(C). Rounded up.
double paper_sketch_dimension(double width, double rows, double beta);

// The expression inside the O(.) of Theorem 5.7, constants 1, where the best model's loss is `opt`:
//   T^(1/3) W^(2/3) log2(T)^2 ||C||^2 sqrt(ln(1/delta) ln(1/beta)) / epsilon
//     + T^(1/6) W^(1/3) ||C|| opt^(1/2) + T^(1/4) W^(1/2) ||C||^(3/2) opt^(1/4).
double theorem_5_7_bound(const Budget& budget, double rows, double width, double diameter, double opt, double beta);

// Mechanism PrivIncERM as the paper writes it: how often the batch solver is called (Theorem 3.1) and the budget of one
// call (the mechanism's first line), with an account that checks the sum.
//
// What the three rules for tau have in common. C is the constraint set, ||C|| the largest norm in it.
struct ErmProblem {
  std::uint64_t steps = 0;    // T
  std::size_t dimension = 0;  // d
  double epsilon = 0.0;
  double lipschitz = 0.0;  // L
  double diameter = 0.0;   // ||C||

  // Throws RequestError naming the field unless all are positive and finite.
  void validate() const;
};

// The rules: a call every tau steps. Each is a smallest whole number, found by comparing powers of it, so that a rule
// whose value is whole is not pushed to the next number by a rounded root, and so that all machines agree. Kept within
// [1, T]. They throw RequestError like validate(), and for their own numbers.

// Convex losses: ceil((T d)^(1/3) / epsilon^(2/3)).
std::uint64_t convex_period(const ErmProblem& problem);
// nu-strongly convex losses: ceil(sqrt(d L) / (nu^(1/2) epsilon ||C||^(1/2))).
std::uint64_t strongly_convex_period(const ErmProblem& problem, double strong_convexity);
// Sets of small Gaussian width w(C): ceil(sqrt(T w(C)) C_j^(1/4) / ((L ||C||)^(1/4) epsilon^(1/2))). The curvature
// constant C_j is 0 or more and finite: losses with kinks have none and are refused, naming "loss".
std::uint64_t width_period(const ErmProblem& problem, double gaussian_width, double curvature);

// One call of profile `paper`: epsilon' = epsilon / (2 sqrt(2 l ln(2 / delta))), delta' = delta / (2 l), where l = T /
// tau, not rounded; floor(l) calls are made. 1 <= tau <= T, RequestError naming "period" otherwise.
Budget paper_call_budget(const Budget& budget, std::uint64_t steps, std::uint64_t period);

// What the calls of profile `paper` add up to.
struct ErmPaperAccount {
  // The paper's composition theorem (Dwork, Rothblum & Vadhan 2010): epsilon' sqrt(2 l ln(2 / delta)) + 2 l epsilon'^2
  // and l delta' + delta / 2.
  Budget advanced;
  // When each call is a Gaussian mechanism calibrated to (epsilon', delta'): its parameter, that of floor(l) of them,
  // and the delta they have together at the budget's epsilon.
  double call_mu = 0.0;
  double gaussian_mu = 0.0;
  double gaussian_delta = 0.0;
};

// Throws RequestError naming "epsilon" where the theorem does not carry the promise: epsilon' above 1, for which it is
// not stated, or epsilon > 2 ln(2 / delta), where its second term is more than epsilon / 2; and where the Gaussian
// account exceeds the budget. Rounding errors up to a part in 10^12 pass as equality in the advanced account.
ErmPaperAccount verify_paper_calls(const Budget& budget, std::uint64_t steps, std::uint64_t period);

}  // namespace rivulet::privacy
