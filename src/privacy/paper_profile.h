// Profile `paper`: the literal constants of Algorithms PrivIncReg1 and TreeMech.
#pragma once

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

}  // namespace rivulet::privacy
