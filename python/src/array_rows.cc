// Rows in NumPy arrays, dense or sparse (the three arrays of a CSR matrix). A C-contiguous array of doubles is read
// where it is; others are gathered block by block.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "row_scratch.h"
#include "rows.h"
#include "targets.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

class DenseRows final : public Rows {
 public:
  DenseRows(DoubleMatrix values, std::optional<DoubleVector> targets, std::optional<UnitNames> units)
      : Rows(values.shape(1)),
        values_(std::move(values)),
        targets_(std::move(targets), values_.shape(0)),
        units_(std::move(units), values_.shape(0)) {
    const auto width_stride = static_cast<std::int64_t>(width());
    in_place_ = targets_.contiguous() && (values_.shape(0) < 2 || values_.stride(0) == width_stride) &&
                (width() < 2 || values_.stride(1) == 1);
  }

  bool next(RowBlock& block) override {
    const std::size_t left = values_.shape(0) - position_;
    if (left == 0) return false;
    block = {};
    if (in_place_) {
      block.count = left;
      block.values = values_.data();
      block.targets = targets_.data();
    } else {
      block.count = std::min(left, kBlockRows);
      gather(block);
    }
    block.units = units_.data(position_);
    position_ += block.count;
    return true;
  }

 private:
  void gather(RowBlock& block) {
    auto& values = block_values_.renew(block.count * width());
    const std::int64_t by_row = values_.stride(0);
    const std::int64_t by_column = values_.stride(1);
    const double* first = values_.data() + static_cast<std::int64_t>(position_) * by_row;
    for (std::size_t row = 0; row < block.count; ++row) {
      const double* from = first + static_cast<std::int64_t>(row) * by_row;
      double* to = values.data() + row * width();
      for (std::size_t column = 0; column < width(); ++column)
        to[column] = from[static_cast<std::int64_t>(column) * by_column];
    }
    block.values = values.data();
    if (!targets_.present()) return;
    auto& targets = block_targets_.renew(block.count);
    targets_.copy(position_, block.count, targets.data());
    block.targets = targets.data();
  }

  DoubleMatrix values_;
  Targets targets_;
  Units units_;
  bool in_place_ = false;
  std::size_t position_ = 0;
  RowScratch<double> block_values_;
  RowScratch<double> block_targets_;
};

using Offsets = nb::ndarray<nb::ro, std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Positions = nb::ndarray<nb::ro, std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Entries = nb::ndarray<nb::ro, double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class SparseRows final : public Rows {
 public:
  SparseRows(std::size_t width, Offsets offsets, Positions positions, Entries entries,
             std::optional<DoubleVector> targets, std::optional<UnitNames> units)
      : Rows(width),
        offsets_(std::move(offsets)),
        positions_(std::move(positions)),
        entries_(std::move(entries)),
        targets_(std::move(targets), row_count()),
        units_(std::move(units), row_count()) {
    const auto stored = static_cast<std::int64_t>(std::min(positions_.shape(0), entries_.shape(0)));
    const std::int64_t* offset = offsets_.data();
    bool ascending = offset[0] >= 0;
    for (std::size_t row = 0; row < row_count(); ++row) ascending = ascending && offset[row] <= offset[row + 1];
    if (!ascending || offset[row_count()] > stored) {
      throw RequestError("X", "the offsets of its rows do not ascend within what is stored; accepted: a CSR matrix");
    }
    if (!targets_.contiguous()) {
      targets_.copy(0, row_count(), block_targets_.renew(row_count()).data());
    }
  }

  bool next(RowBlock& block) override {
    if (done_ || row_count() == 0) return false;
    done_ = true;
    block = {};
    block.count = row_count();
    block.offsets = offsets_.data();
    block.positions = positions_.data();
    block.entries = entries_.data();
    block.targets = block_targets_.get().empty() ? targets_.data() : block_targets_.data();
    block.units = units_.data(0);
    return true;
  }

 private:
  [[nodiscard]] std::size_t row_count() const {
    if (offsets_.shape(0) == 0) throw RequestError("X", "no offsets of rows; accepted: a CSR matrix");
    return offsets_.shape(0) - 1;
  }

  Offsets offsets_;
  Positions positions_;
  Entries entries_;
  Targets targets_;
  Units units_;
  RowScratch<double> block_targets_;
  bool done_ = false;
};

}  // namespace

void bind_array_rows(nb::module_& module) {
  module.def(
      "dense_rows",
      [](DoubleMatrix values, std::optional<DoubleVector> targets,
         std::optional<UnitNames> units) -> std::unique_ptr<Rows> {
        return std::make_unique<DenseRows>(std::move(values), std::move(targets), std::move(units));
      },
      "values"_a.noconvert(), "targets"_a.none().noconvert(), "units"_a.none());
  module.def(
      "sparse_rows",
      [](std::size_t width, Offsets offsets, Positions positions, Entries entries, std::optional<DoubleVector> targets,
         std::optional<UnitNames> units) -> std::unique_ptr<Rows> {
        return std::make_unique<SparseRows>(width, std::move(offsets), std::move(positions), std::move(entries),
                                            std::move(targets), std::move(units));
      },
      "width"_a, "offsets"_a.noconvert(), "positions"_a.noconvert(), "entries"_a.noconvert(),
      "targets"_a.none().noconvert(), "units"_a.none());
}

}  // namespace rivulet::python
