// Rows of a table that speaks the Arrow C stream interface: pandas, polars, pyarrow and others, batch after batch,
// never the whole of it at once.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "arrow_column.h"
#include "row_scratch.h"
#include "rows.h"
#include "targets.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

// Owns one of the interface's structures.
template <typename Structure>
class Owned {
 public:
  Owned() { value_.release = nullptr; }
  ~Owned() { reset(); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  void reset() {
    if (value_.release != nullptr) value_.release(&value_);
    value_.release = nullptr;
  }
  void take(Structure& other) {
    reset();
    value_ = other;
    other.release = nullptr;
  }
  Structure* operator->() { return &value_; }
  Structure& operator*() { return value_; }

 private:
  Structure value_{};
};

struct ArrowFeature {
  RowColumn place;
  std::size_t child;
  ArrowColumn column;
};

class ArrowRows final : public Rows {
 public:
  ArrowRows(const Schema& schema, const nb::capsule& capsule, std::optional<DoubleVector> targets, bool needs_target,
            const std::optional<std::string>& unit)
      : Rows(schema.row_width()), layout_(schema), given_targets_(std::move(targets)) {
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (stream == nullptr) throw nb::python_error();
    if (stream->release == nullptr) throw RequestError("X", "its Arrow stream was already read; accepted: a new one");
    stream_.take(*stream);
    if (stream_->get_schema(&*stream_, &*table_) != 0) throw IoError("X: its Arrow stream has no schema");
    if (std::string_view(table_->format) != "+s") {
      throw RequestError("X",
                         "is an Arrow stream of single values; accepted: one of record batches, with named columns");
    }
    for (const RowColumn& place : layout_.columns()) {
      const std::size_t child = child_of(place.name);
      ArrowColumn column(*table_->children[child], place.name);
      if (!place.categorical && column.holds_text()) {
        throw RequestError(place.name, "holds text where numbers were declared; accepted: a column of numbers");
      }
      features_.push_back({place, child, std::move(column)});
    }
    if (needs_target && !given_targets_) target_ = bound(schema.target_name());
    if (unit) unit_ = bound(*unit);
    if (unit_ && !unit_->column.holds_identities()) {
      throw RequestError(*unit,
                         "holds numbers with fractions, which are nobody's name; accepted: a column of text or of "
                         "whole numbers. No row was taken");
    }
    if (target_ && layout_.class_words() == nullptr && target_->column.holds_text()) {
      throw RequestError(schema.target_name(), "holds text where numbers were declared; accepted: a column of numbers");
    }
  }

  bool next(RowBlock& block) override {
    while (position_ == batch_length_) {
      batch_.reset();
      if (stream_->get_next(&*stream_, &*batch_) != 0) {
        // Whoever made the stream may have written a row into its message.
        throw IoError("X: its Arrow stream failed; the rows before were taken");
      }
      if (batch_->release == nullptr) {
        check_targets_used();
        return false;
      }
      position_ = 0;
      batch_length_ = batch_->length;
    }
    block = {};
    block.count = std::min<std::size_t>(static_cast<std::size_t>(batch_length_ - position_), kBlockRows);
    fill(block);
    position_ += static_cast<std::int64_t>(block.count);
    return true;
  }

 private:
  struct Bound {
    std::size_t child;
    ArrowColumn column;
  };

  [[nodiscard]] std::size_t child_of(const std::string& name) {
    if (by_name_.empty()) {
      for (std::int64_t i = 0; i < table_->n_children; ++i) {
        const char* column = table_->children[i]->name;
        ++names_[column != nullptr ? column : ""];
        by_name_.emplace(column != nullptr ? column : "", static_cast<std::size_t>(i));
      }
    }
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      throw RequestError(name, "was declared, and the table has no such column. No row was taken");
    }
    if (names_[name] > 1) throw RequestError(name, "is the name of more than one column of the table");
    return found->second;
  }

  Bound bound(const std::string& name) {
    const std::size_t child = child_of(name);
    return {child, ArrowColumn(*table_->children[child], name)};
  }

  // The table's own offset, and columns of their own.
  [[nodiscard]] std::int64_t begin() { return batch_->offset + position_; }

  void fill(RowBlock& block) {
    auto& values = block_values_.renew(block.count * width(), std::numeric_limits<double>::quiet_NaN());
    for (const ArrowFeature& feature : features_) {
      const ArrowArray& array = *batch_->children[feature.child];
      if (feature.place.categorical) {
        auto& levels = levels_.renew(block.count, kNoLevel);
        feature.column.levels(array, begin(), feature.place.levels, levels);
        for (std::size_t i = 0; i < block.count; ++i) {
          feature.place.write_level(levels[i], values.data() + i * width());
        }
      } else {
        feature.column.numbers(array, begin(), block.count, values.data() + feature.place.first_value, width());
      }
    }
    block.values = values.data();
    fill_targets(block);
    if (unit_) {
      auto& units = units_.renew(block.count);
      unit_->column.units(*batch_->children[unit_->child], begin(), units);
      auto& views = unit_views_.renew(0);
      views.assign(units.begin(), units.end());
      block.units = views.data();
    }
  }

  void fill_targets(RowBlock& block) {
    if (!target_ && !given_targets_) return;
    auto& targets = block_targets_.renew(block.count, std::numeric_limits<double>::quiet_NaN());
    if (given_targets_) {
      if (targets_used_ + block.count > given_targets_->shape(0)) {
        throw RequestError("y", "has fewer targets than the table has rows; the rows up to there were taken");
      }
      for (std::size_t i = 0; i < block.count; ++i) {
        targets[i] = given_targets_->data()[static_cast<std::int64_t>(targets_used_ + i) * given_targets_->stride(0)];
      }
      targets_used_ += block.count;
    } else if (const LevelNames* words = layout_.class_words()) {
      auto& levels = levels_.renew(block.count, kNoLevel);
      target_->column.levels(*batch_->children[target_->child], begin(), *words, levels);
      for (std::size_t i = 0; i < block.count; ++i) {
        if (levels[i] != kNoLevel) targets[i] = levels[i];
      }
    } else {
      target_->column.numbers(*batch_->children[target_->child], begin(), block.count, targets.data(), 1);
    }
    block.targets = targets.data();
  }

  void check_targets_used() const {
    if (given_targets_ && targets_used_ != given_targets_->shape(0)) {
      throw RequestError("y", "has more targets than the table has rows; all rows were taken");
    }
  }

  RowLayout layout_;
  std::optional<DoubleVector> given_targets_;
  std::size_t targets_used_ = 0;
  Owned<ArrowArrayStream> stream_;
  Owned<ArrowSchema> table_;
  Owned<ArrowArray> batch_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, int> names_;
  std::vector<ArrowFeature> features_;
  std::optional<Bound> target_;
  std::optional<Bound> unit_;
  std::int64_t position_ = 0;
  std::int64_t batch_length_ = 0;
  RowScratch<double> block_values_;
  RowScratch<double> block_targets_;
  RowScratch<int> levels_;
  RowScratch<std::string> units_;
  RowScratch<std::string_view> unit_views_;
};

}  // namespace

void bind_arrow_rows(nb::module_& module) {
  module.def(
      "arrow_rows",
      [](const Schema& schema, const nb::capsule& stream, std::optional<DoubleVector> targets, bool needs_target,
         const std::optional<std::string>& unit) -> std::unique_ptr<Rows> {
        return std::make_unique<ArrowRows>(schema, stream, std::move(targets), needs_target, unit);
      },
      "schema"_a, "stream"_a, "targets"_a.none().noconvert(), "needs_target"_a, "unit"_a.none());
}

}  // namespace rivulet::python
