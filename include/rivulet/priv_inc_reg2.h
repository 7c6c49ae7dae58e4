// PrivIncReg2: private incremental linear regression in high dimension, by random projection and lifting.
//
//   rivulet::StreamOptions options;
//   options.budget = {.epsilon = 1.0, .delta = 1e-6};
//   options.schema.block("word", 100000, {0, 1}).clip_norm(1).intercept(false).target("score", {0, 5});
//   options.constraint = "l1:2";
//   options.sketch = rivulet::Sketch{.dimension = 400};
//   options.release_every = 1000;
//   rivulet::PrivIncReg2 regression(options);
//   regression.observe(rivulet::SparseRow{words, counts}, score);
//
// Every row x is replaced by Phi x ||x|| / ||Phi x||, Phi a public random matrix of m << d rows; the mechanism of
// PrivIncReg1 runs on those m coordinates. Behind the wall the noisy objective is minimised over Phi K and the
// minimiser is lifted: the model is the theta of least gauge ||theta||_K with that image (the paper's Algorithm
// PrivIncReg2).
//
// Error. Beside the O(sigma_t ||K|| w(K)) of PrivIncReg1 there is the projection's distortion, about ||theta||^2 / m a
// row for rows in the unit ball: m should be well above (w(X) + w(K))^2, X the set the rows come from (input_set.h).
// That holds for rows chosen without looking at Phi, or from a set of small width; rows that are aimed at Phi's null
// space make a useless model, not a leak. Memory: O(m^2) and what the columns of Phi are kept in, never O(d^2). Time a
// row: its non-zeros times the embedding's column weight, and O(m^2).
#pragma once

#include "rivulet/incremental_regression.h"

namespace rivulet {

class PrivIncReg2 : public IncrementalRegression {
 public:
  using Options = StreamOptions;
  // Throws RequestError, before any row is seen, when the request cannot be honoured, or asks for no sketch.
  explicit PrivIncReg2(const Options& options);
};

}  // namespace rivulet
