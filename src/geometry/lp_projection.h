// The nearest point of an L_p ball, 1 < p < 2, from one side: magnitudes only.
#pragma once

#include <span>

namespace rivulet::geometry {

// Minimises ||u - b||_2 over ||u||_p <= rho, u >= 0, for magnitudes 0 <= b_i <= 1 with ||b||_p > rho and rho >= 1e-40.
// Writes u / ||u||_p over b.
//
// Stationarity is a scalar equation an entry, u + lambda u^(p-1) = b, and one for the multiplier, ||u(lambda)||_p =
// rho. Both are solved by Newton's method: the entries in log u, where the equation is convex with slope between p - 1
// and 1 and one-sided steps never pass the root; the multiplier with a bracket that catches a step that would.
//
// Error: the result is the exact solution for magnitudes that differ from the given ones by a factor of 1 + e, |e|
// below some 10 units of rounding times (1 + |log b_i|). To the result that does at most e / rho, and at most e / (p -
// 1) relative to each entry: digits are lost only where p is close to 1 and the point far away, as the problem demands.
// Time: 5 to 15 passes over the entries with a few exponentials each.
void nearest_in_lp_ball(std::span<double> magnitudes, double p, double rho);

}  // namespace rivulet::geometry
