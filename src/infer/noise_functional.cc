#include "infer/noise_functional.h"

#include <algorithm>
#include <cmath>

namespace rivulet::infer {
namespace {

double square(double x) {
  return x * x;
}

}  // namespace

NoiseFunctional squared_error(const Eigen::VectorXd& theta) {
  return {theta * theta.transpose(), -2.0 * theta, 1.0};
}

double covariance(const NoiseFunctional& a, const NoiseFunctional& b, const Statistics& statistics) {
  const NoiseLevel& noise = statistics.noise;
  const double diagonal = a.gram.diagonal().dot(b.gram.diagonal());
  const double both_triangles = a.gram.cwiseProduct(b.gram).sum() - diagonal;  // an entry of N stands in both
  return square(noise.gram_diagonal) * diagonal + square(noise.gram_offdiagonal) * 2.0 * both_triangles +
         square(noise.cross) * a.cross.dot(b.cross) + a.square * b.square * square(statistics.target_square_stddev);
}

double stddev(const NoiseFunctional& functional, const Statistics& statistics) {
  return std::sqrt(std::max(0.0, covariance(functional, functional, statistics)));
}

}  // namespace rivulet::infer
