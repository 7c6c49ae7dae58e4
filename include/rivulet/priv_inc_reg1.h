// PrivIncReg1: private incremental linear regression on the full matrix of second moments.
//
//   rivulet::StreamOptions options;
//   options.budget = {.epsilon = 1.0, .delta = 1e-6};
//   options.schema.feature("age", {18, 90}).feature("income", {0, 200000}).target("spend", {0, 5000});
//   options.release_every = 100;
//   rivulet::PrivIncReg1 regression(options);
//   for (const auto& person : people) {
//     if (regression.observe(std::array{person.age, person.income}, person.spend)) publish(regression.model());
//   }
//
// Error. With noise level sigma_t (see Model::noise) the excess empirical risk over the constraint set K is, with high
// probability, O(sigma_t ||K|| w(K)), w the Gaussian width; it grows with the logarithm of the stream, not with its
// length. Memory: O(d^2), independent of the number of rows and steps (tree, hybrid: times the logarithm of the steps).
// Time: O(d^2) a row and a step; model() solves only when called.
#pragma once

#include "rivulet/incremental_regression.h"

namespace rivulet {

class PrivIncReg1 : public IncrementalRegression {
 public:
  using Options = StreamOptions;
  using Solver = rivulet::Solver;
  // Throws RequestError, before any row is seen, when the request cannot be honoured, or asks for a sketch.
  explicit PrivIncReg1(const Options& options);
};

}  // namespace rivulet
