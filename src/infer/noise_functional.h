// Linear functions of the privacy noise and how they vary together: what every error formula here comes down to.
#pragma once

#include <Eigen/Core>

#include "rivulet/statistics.h"

namespace rivulet::infer {

// tr(gram N) + cross^T n + square m, for the noise N (symmetric), n and m of sum x x^T, sum x y and sum y^2.
struct NoiseFunctional {
  Eigen::MatrixXd gram;  // symmetric
  Eigen::VectorXd cross;
  double square = 0.0;
};

// sum (y - <x, theta>)^2 = sum y^2 - 2 <theta, sum x y> + theta^T (sum x x^T) theta, as a function of the sums; of
// their noise in the same way.
NoiseFunctional squared_error(const Eigen::VectorXd& theta);

// From the sizes of the noise that the statistics state.
double covariance(const NoiseFunctional& a, const NoiseFunctional& b, const Statistics& statistics);
double stddev(const NoiseFunctional& functional, const Statistics& statistics);

}  // namespace rivulet::infer
