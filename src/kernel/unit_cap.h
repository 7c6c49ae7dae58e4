// Privacy units beyond one row: at most `max_rows` rows of one unit (a person, a household, a device) ever contribute.
//
// The first max_rows rows of a unit are admitted, whatever they hold; every later one becomes the zero row. Which rows
// of a unit those are depends on that unit's own rows alone, so exchanging one unit's rows moves nothing of another's.
// Identifiers are kept only as a keyed hash (HMAC-SHA-256 cut to 128 bits, a key for each stream from the operating
// system): two units share a count with probability below n^2 / 2^129 for n units.
//
// Memory: some 50 bytes a unit. Time: one hash a row.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "kernel/inside.h"
#include "wall/sensitive_state.h"

namespace rivulet::kernel {

class UnitCap {
 public:
  explicit UnitCap(std::uint64_t max_rows);
  ~UnitCap();
  UnitCap(const UnitCap&) = delete;
  UnitCap& operator=(const UnitCap&) = delete;

  // Counts a row of the unit; false when it is one too many. An empty identifier is nobody's and never admitted.
  bool admit(std::string_view identifier);

  [[nodiscard]] std::uint64_t max_rows() const { return max_rows_; }
  // For the operator's eyes only: exact, not private.
  [[nodiscard]] std::uint64_t units_for_operator() const { return units_.size(); }

  // The key, and how many units and admitted rows there are; counts travel apart, because they grow with the number of
  // units. restore() throws DamagedFile when the counts are not exactly as many: one that went missing would let a unit
  // contribute again.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in, const std::vector<SensitiveUnitCount>& counts);
  // Counts that changed since the last call.
  std::vector<SensitiveUnitCount> take_changes();

 private:
  using Tag = SensitiveUnitCount::Tag;
  struct TagHash {
    std::size_t operator()(const Tag& tag) const;
  };
  struct Hasher;
  struct Count {
    std::uint64_t rows = 0;  // never above max_rows_
    bool changed = false;    // stands in changed_
  };

  [[nodiscard]] Tag tag_of(std::string_view identifier) const;
  void use_key();

  std::uint64_t max_rows_;
  std::array<char, 32> key_{};
  std::unique_ptr<Hasher> hasher_;
  std::unordered_map<Tag, Count, TagHash> units_;
  std::uint64_t admitted_ = 0;  // rows of all units
  std::vector<Tag> changed_;    // since the last take_changes()
};

}  // namespace rivulet::kernel
