#include "solve/image_problem.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "geometry/faces.h"
#include "rivulet/error.h"
#include "solve/vector_math.h"
#include "solve/vertex_map.h"

namespace rivulet::solve {

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
  std::vector<double> scaled(theta.begin(), theta.end());
  for (double& entry : scaled) entry = std::scalbn(entry, -exponent);
  phi->apply(scaled, image);
}

void ImageProblem::to_caller(std::span<const double> point, std::span<double> theta) const {
  if (vertices.empty()) {
    std::transform(point.begin(), point.end(), theta.begin(), [this](double x) { return std::scalbn(x, exponent); });
    return;
  }
  std::fill(theta.begin(), theta.end(), 0.0);
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (point[j] != 0.0) add_multiple(point[j], vertices.data() + j * theta.size(), theta.data(), theta.size());
  }
  for (double& entry : theta) entry = std::scalbn(entry, exponent);
}

bool ImageProblem::from_caller(std::span<const double> theta, std::span<double> point) const {
  if (!vertices.empty()) return false;
  std::transform(theta.begin(), theta.end(), point.begin(), [this](double x) { return std::scalbn(x, -exponent); });
  return true;
}

}  // namespace rivulet::solve
