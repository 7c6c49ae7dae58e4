// Targets and units that come beside the rows.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/error.h"

namespace rivulet::python {

using DoubleVector = nanobind::ndarray<nanobind::ro, double, nanobind::ndim<1>, nanobind::device::cpu>;
using DoubleMatrix = nanobind::ndarray<nanobind::ro, double, nanobind::ndim<2>, nanobind::device::cpu>;

// One number a row, at any stride.
class Targets {
 public:
  Targets() = default;
  Targets(std::optional<DoubleVector> array, std::size_t rows) : array_(std::move(array)) {
    if (array_ && array_->shape(0) != rows) {
      throw RequestError("y", std::to_string(array_->shape(0)) + " targets for " + std::to_string(rows) +
                                  " rows; accepted: one target a row. No row was taken");
    }
  }

  [[nodiscard]] bool present() const { return array_.has_value(); }
  [[nodiscard]] bool contiguous() const { return !array_ || array_->stride(0) == 1; }
  [[nodiscard]] const double* data() const { return array_ ? array_->data() : nullptr; }
  void copy(std::size_t begin, std::size_t count, double* out) const {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = array_->data()[static_cast<std::int64_t>(begin + i) * array_->stride(0)];
    }
  }

 private:
  std::optional<DoubleVector> array_;
};

// Whose row it is, one text a row; empty where it is not known. Bytes that need not be text to Python.
struct UnitNames {
  std::vector<std::string> names;
};

class Units {
 public:
  Units() = default;
  Units(std::optional<UnitNames> given, std::size_t rows) {
    if (!given) return;
    if (given->names.size() != rows) {
      throw RequestError("unit", std::to_string(given->names.size()) + " units for " + std::to_string(rows) +
                                     " rows; accepted: one a row. No row was taken");
    }
    texts_ = std::move(given->names);
    views_.assign(texts_.begin(), texts_.end());
  }

  [[nodiscard]] const std::string_view* data(std::size_t begin) const {
    return views_.empty() ? nullptr : views_.data() + begin;
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::string_view> views_;
};

}  // namespace rivulet::python
