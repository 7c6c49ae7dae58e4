#include "sketch/projected_problem.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/linear_map.h"
#include "geometry/faces.h"
#include "rivulet/error.h"
#include "solve/quadratic.h"

namespace rivulet::sketch {
using solve::add_multiple;
using solve::dot;
using solve::norm;

namespace {

// Phi V^T for the vertices of a polytope: the image of the polytope is the image of the unit simplex under it.
class VertexMap final : public LinearMap {
 public:
  // `vertices` row by row, map.columns() numbers each.
  VertexMap(const LinearMap& map, std::span<const double> vertices)
      : rows_(map.rows()), columns_(vertices.size() / map.columns()), entries_(rows_ * columns_) {
    for (std::size_t j = 0; j < columns_; ++j) {
      map.apply(vertices.subspan(j * map.columns(), map.columns()), std::span(entries_).subspan(j * rows_, rows_));
    }
  }

  [[nodiscard]] std::size_t rows() const override { return rows_; }
  [[nodiscard]] std::size_t columns() const override { return columns_; }
  void add_column(std::size_t column, double factor, std::span<double> out) const override {
    add_multiple(factor, entries_.data() + column * rows_, out.data(), rows_);
  }
  [[nodiscard]] double column_dot(std::size_t column, std::span<const double> v) const override {
    return dot(entries_.data() + column * rows_, v.data(), rows_);
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> entries_;  // column by column
};

}  // namespace

void times_power(int exponent, std::span<double> entries) {
  if (exponent == 0) return;
  if (std::abs(exponent) <= 1000) {
    const double factor = std::scalbn(1.0, exponent);
    for (double& entry : entries) entry *= factor;
  } else {
    for (double& entry : entries) entry = std::scalbn(entry, exponent);
  }
}

ProjectedProblem::ProjectedProblem(const std::shared_ptr<const ConstraintSet>& given,
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

void ProjectedProblem::image_of(std::span<const double> theta, std::span<double> image) const {
  if (exponent == 0) {
    phi->apply(theta, image);
    return;
  }
  std::vector<double> scaled(theta.begin(), theta.end());
  times_power(-exponent, scaled);
  phi->apply(scaled, image);
}

void ProjectedProblem::to_caller(std::span<const double> point, std::span<double> theta) const {
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

bool ProjectedProblem::from_caller(std::span<const double> theta, std::span<double> point) const {
  if (!vertices.empty()) return false;
  std::copy(theta.begin(), theta.end(), point.begin());
  times_power(-exponent, point);
  return true;
}

std::vector<double> low_direction(const solve::Quadratic& quadratic) {
  const std::size_t m = quadratic.dimension;
  double bound = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < m; ++j) sum += std::abs(quadratic.gram[i * m + j]);
    bound = std::max(bound, sum);
  }
  std::vector<double> v(m);
  std::vector<double> image(m);
  for (std::size_t i = 0; i < m; ++i) v[i] = 1.0 + 0.5 * static_cast<double>((i * 7919) % 11) / 11.0;
  for (int step = 0; step < 60; ++step) {
    quadratic.multiply(v, image);
    for (std::size_t i = 0; i < m; ++i) image[i] = bound * v[i] - image[i];
    const double length = norm(image);
    if (!(length > 0.0)) break;
    for (std::size_t i = 0; i < m; ++i) v[i] = image[i] / length;
  }
  return v;
}

ProjectedObjective::ProjectedObjective(const ConstraintSet& set, const LinearMap& map)
    : set_(&set), map_(&map), image_(map.rows()), product_(map.rows()), slope_(map.columns()), vertex_(map.columns()) {}

MinimiserEnd ProjectedObjective::evaluate(const solve::Quadratic& quadratic, std::span<const double> theta) {
  map_->apply(theta, image_);
  return evaluate_image(quadratic, image_);
}

MinimiserEnd ProjectedObjective::evaluate_image(const solve::Quadratic& quadratic, std::span<const double> image) {
  quadratic.multiply(image, product_);
  MinimiserEnd end;
  end.objective = dot(image, product_) - 2.0 * dot(quadratic.cross, image);
  for (std::size_t i = 0; i < product_.size(); ++i) product_[i] -= quadratic.cross[i];
  map_->apply_transpose(product_, slope_);
  set_->minimise_linear(slope_, vertex_);
  end.gap = std::max(0.0, 2.0 * (dot(product_, image) - dot(slope_, vertex_)));
  return end;
}

}  // namespace rivulet::sketch
