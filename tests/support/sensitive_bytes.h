// The content of sensitive state, for tests. wall/sensitive_state.h lets in nobody but the kernel and the one class
// that writes the sensitive half of a model file, rivulet::store::SensitiveHalf. Tests of the kernel take that class's
// place: they link no store, so here it is a small one that shows and makes such content. A test binary that links the
// real store must not include this header: there would be two classes of the name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wall/sensitive_state.h"

namespace rivulet::store {

class SensitiveHalf {
 public:
  static std::string_view content(const SensitiveBytes& bytes) { return bytes.view(); }
  static SensitiveBytes bytes_of(std::string content) { return SensitiveBytes(std::move(content)); }

  using Tag = SensitiveUnitCount::Tag;
  static const Tag& tag(const SensitiveUnitCount& count) { return count.tag_; }
  static std::uint64_t rows(const SensitiveUnitCount& count) { return count.rows_; }
  static SensitiveUnitCount count_of(const Tag& tag, std::uint64_t rows) { return {tag, rows}; }
};

}  // namespace rivulet::store

namespace rivulet::testing {

// What a store would hold: the kernel's bytes of the last save, and every unit's count as the saves so far told it.
struct KeptState {
  std::string kernel;
  std::map<store::SensitiveHalf::Tag, std::uint64_t> units;

  bool operator==(const KeptState&) const = default;

  void keep(const SensitiveState& saved) {
    kernel = store::SensitiveHalf::content(saved.kernel);
    for (const SensitiveUnitCount& count : saved.units) {
      units[store::SensitiveHalf::tag(count)] = store::SensitiveHalf::rows(count);
    }
  }

  [[nodiscard]] SensitiveState given_back() const {
    SensitiveState state;
    state.kernel = store::SensitiveHalf::bytes_of(kernel);
    for (const auto& [tag, rows] : units) state.units.push_back(store::SensitiveHalf::count_of(tag, rows));
    return state;
  }
};

}  // namespace rivulet::testing
