#include "solve/image_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "geometry/faces.h"
#include "rivulet/error.h"
#include "solve/vector_math.h"
#include "solve/vertex_map.h"

namespace rivulet::solve {

void times_power(int exponent, std::span<double> entries) {
  if (exponent == 0) return;
  if (std::abs(exponent) <= 1000) {
    const double factor = std::scalbn(1.0, exponent);
    for (double& entry : entries) entry *= factor;
  } else {
    for (double& entry : entries) entry = std::scalbn(entry, exponent);
  }
}

ImageProblem::ImageProblem(const std::shared_ptr<const ConstraintSet>& given,
                           const std::shared_ptr<const LinearMap>& given_map)
    : phi(given_map) {
  if (given->dimension() != phi->columns()) {
    throw RequestError("constraint", "a set of " + std::to_string(given->dimension()) + " dimensions given for " +
                                         std::to_string(phi->columns()) + " columns; accepted: as many");
  }
  exponent = std::ilogb(given->diameter());
  // Two factors, because the inverse of the whole may be out of range.
  std::shared_ptr<const ConstraintSet> scaled = given;
  for (const int power : {exponent / 2, exponent - exponent / 2}) {
    if (power != 0) scaled = scaled->scaled(std::scalbn(1.0, -power));
  }
  diameter = scaled->diameter();
  if (const auto* polytope = dynamic_cast<const geometry::VertexSet*>(scaled.get())) {
    vertices = polytope->vertices();
    auto images = std::make_shared<VertexMap>(*phi, vertices);
    set = make_simplex(images->columns(), 1.0);
    map = std::move(images);
  } else if (dynamic_cast<const geometry::Faces*>(scaled.get()) != nullptr) {
    const std::vector<double> origin(scaled->dimension(), 0.0);
    grows = scaled->contains(origin);
    set = std::move(scaled);
    map = phi;
  } else {
    throw RequestError("constraint", "'" + given->name() + "' given; accepted for a sketch: the sets Rivulet defines");
  }
}

void ImageProblem::image_of(std::span<const double> theta, std::span<double> image) const {
  if (exponent == 0) {
    phi->apply(theta, image);
    return;
  }
  std::vector<double> scaled(theta.begin(), theta.end());
  times_power(-exponent, scaled);
  phi->apply(scaled, image);
}

void ImageProblem::to_caller(std::span<const double> point, std::span<double> theta) const {
  if (vertices.empty()) {
    std::copy(point.begin(), point.end(), theta.begin());
    times_power(exponent, theta);
    return;
  }
  std::fill(theta.begin(), theta.end(), 0.0);
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (point[j] != 0.0) add_multiple(point[j], vertices.data() + j * theta.size(), theta.data(), theta.size());
  }
  times_power(exponent, theta);
}

bool ImageProblem::from_caller(std::span<const double> theta, std::span<double> point) const {
  if (!vertices.empty()) return false;
  std::copy(theta.begin(), theta.end(), point.begin());
  times_power(-exponent, point);
  return true;
}

}  // namespace rivulet::solve
