// Numbers for NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace rivulet::python {

using Array = nanobind::ndarray<nanobind::numpy, double>;

// A copy that NumPy owns.
inline Array array_of(std::vector<double> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  const nanobind::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  return Array(kept->data(), shape, owner);
}

inline Array vector_array(std::vector<double> values) {
  const std::size_t size = values.size();
  return array_of(std::move(values), {size});
}

}  // namespace rivulet::python
