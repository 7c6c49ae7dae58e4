// What the polytope and its text share.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rivulet::geometry {

constexpr std::size_t kMostPolytopeNumbers = 1'000'000;

// Why these rows are not the vertices of a polytope that can be used; empty when they are.
std::string polytope_fault(std::size_t dimension, std::span<const double> vertices);

}  // namespace rivulet::geometry
