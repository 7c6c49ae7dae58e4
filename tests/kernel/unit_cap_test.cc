#include "kernel/unit_cap.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "rivulet/error.h"
#include "support/sensitive_bytes.h"

namespace rivulet::kernel {
namespace {

using store::SensitiveHalf;
using Counts = std::map<SensitiveHalf::Tag, std::uint64_t>;

std::string saved(const UnitCap& cap) {
  ByteWriter writer;
  cap.save(writer);
  return writer.take();
}

Counts changes(UnitCap& cap) {
  Counts result;
  for (const SensitiveUnitCount& count : cap.take_changes()) {
    EXPECT_TRUE(result.emplace(SensitiveHalf::tag(count), SensitiveHalf::rows(count)).second);  // once each
  }
  return result;
}

void restore(UnitCap& cap, const std::string& bytes, const Counts& counts) {
  std::vector<SensitiveUnitCount> all;
  for (const auto& [tag, rows] : counts) all.push_back(SensitiveHalf::count_of(tag, rows));
  ByteReader reader(bytes, "the units");
  cap.restore(reader, all);
  reader.finish();
}

// Identifiers that a careless hash or comparison would confuse.
std::vector<std::string> confusable() {
  using namespace std::string_literals;
  return {"a",
          "ab",
          "abc",
          "b",
          "A",
          "a ",
          " a",
          " ",
          "0",
          "00",
          "0.0",
          "a\0"s,
          "a\0b"s,
          "a\0c"s,
          "\0"s,
          "\0\0"s,
          std::string(63, 'x'),
          std::string(64, 'x'),
          std::string(65, 'x'),
          std::string(1 << 20, 'x'),
          std::string((1 << 20) + 1, 'x'),
          "\xff\xfe",
          "\xff\xfd"};
}

TEST(UnitCap, AdmitsTheFirstRowsOfEachUnitAndNoneAfterThem) {
  for (const std::uint64_t most : {1U, 2U, 7U}) {
    UnitCap cap(most);
    EXPECT_EQ(cap.max_rows(), most);
    std::map<std::string, std::uint64_t> seen;
    std::mt19937_64 random(most);
    const std::vector<std::string> units = confusable();
    for (int row = 0; row < 1000; ++row) {
      const std::string& unit = units[random() % units.size()];
      ASSERT_EQ(cap.admit(unit), ++seen[unit] <= most) << row;
    }
    EXPECT_EQ(cap.units_for_operator(), seen.size());
  }
}

TEST(UnitCap, OneUnitsRowsChangeNothingForAnother) {
  // The same rows of the others with and without a unit in between that comes far too often.
  UnitCap alone(3);
  UnitCap crowded(3);
  std::mt19937_64 random(8);
  for (int row = 0; row < 2000; ++row) {
    const std::string unit = "unit " + std::to_string(random() % 300);
    if (row % 2 == 0) crowded.admit("greedy");
    ASSERT_EQ(alone.admit(unit), crowded.admit(unit)) << row;
  }
}

TEST(UnitCap, AnEmptyIdentifierIsNobodysAndLeavesNoTrace) {
  UnitCap cap(5);
  for (int row = 0; row < 3; ++row) EXPECT_FALSE(cap.admit(""));
  EXPECT_EQ(cap.units_for_operator(), 0U);
  EXPECT_TRUE(changes(cap).empty());
}

TEST(UnitCap, ChangesTravelOnceAndSaySoWhenAUnitComesAgain) {
  UnitCap cap(3);
  EXPECT_TRUE(changes(cap).empty());
  cap.admit("one");
  cap.admit("two");
  cap.admit("one");
  Counts kept = changes(cap);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_TRUE(changes(cap).empty());
  cap.admit("two");
  const Counts second = changes(cap);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second.begin()->second, 2U);
  EXPECT_TRUE(kept.contains(second.begin()->first));
  // A row that is not admitted changes no count.
  cap.admit("one");
  changes(cap);
  EXPECT_FALSE(cap.admit("one"));
  EXPECT_TRUE(changes(cap).empty());
}

TEST(UnitCap, ARestoredCapGoesOnCountingWhereTheEarlierOneStopped) {
  const std::vector<std::string> units = confusable();
  for (const std::uint64_t most : {1U, 4U}) {
    UnitCap uninterrupted(most);
    auto cap = std::make_unique<UnitCap>(most);
    restore(*cap, saved(uninterrupted), {});
    Counts kept;
    std::mt19937_64 random(3);
    for (int row = 0; row < 300; ++row) {
      const std::string& unit = units[random() % units.size()];
      ASSERT_EQ(cap->admit(unit), uninterrupted.admit(unit)) << row;
      for (const auto& [tag, rows] : changes(*cap)) kept[tag] = rows;
      const std::string bytes = saved(*cap);
      ASSERT_EQ(bytes, saved(uninterrupted));
      cap = std::make_unique<UnitCap>(most);
      restore(*cap, bytes, kept);
      EXPECT_TRUE(changes(*cap).empty());
      EXPECT_EQ(cap->units_for_operator(), uninterrupted.units_for_operator());
    }
    EXPECT_EQ(kept, changes(uninterrupted));
  }
}

TEST(UnitCap, CountsThatDoNotBelongToTheSavedCapAreRefused) {
  UnitCap cap(3);
  for (const char* unit : {"one", "one", "two"}) cap.admit(unit);
  const std::string bytes = saved(cap);
  const Counts whole = changes(cap);
  const auto refused = [&](const Counts& counts) {
    UnitCap fresh(3);
    try {
      restore(fresh, bytes, counts);
    } catch (const DamagedFile&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused(whole));
  EXPECT_TRUE(refused({}));
  for (const auto& [tag, rows] : whole) {
    Counts altered = whole;
    for (const std::uint64_t other : {std::uint64_t{0}, rows + 1, rows + 3, ~std::uint64_t{0}}) {
      altered[tag] = other;
      EXPECT_TRUE(refused(altered)) << other;
    }
    altered.erase(tag);
    EXPECT_TRUE(refused(altered));
  }
}

TEST(UnitCap, TagsAreTheIdentifiersHmacUnderTheCapsOwnKey) {
  UnitCap cap(1);
  const std::string key = saved(cap).substr(0, 32);
  for (const std::string& unit : confusable()) {
    cap.admit(unit);
    const Counts counts = changes(cap);
    ASSERT_EQ(counts.size(), 1U);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(unit.data()),
         unit.size(), digest, &length);
    ASSERT_EQ(length, 32U);
    EXPECT_TRUE(
        std::equal(counts.begin()->first.begin(), counts.begin()->first.end(), reinterpret_cast<const char*>(digest)));
  }
}

TEST(UnitCap, TwoCapsTagTheSameUnitDifferently) {
  std::set<SensitiveHalf::Tag> tags;
  for (int i = 0; i < 200; ++i) {
    UnitCap cap(1);
    cap.admit("somebody");
    const Counts counts = changes(cap);
    EXPECT_TRUE(tags.insert(counts.begin()->first).second);
  }
}

TEST(UnitCap, TheIdentifierIsNowhereInWhatIsSaved) {
  UnitCap cap(2);
  const std::string unit = "Erika Mustermann";
  cap.admit(unit);
  std::string everything = saved(cap);
  for (const auto& [tag, rows] : changes(cap)) everything.append(tag.begin(), tag.end());
  // Not even eight letters of it in a row. By chance, random bytes hold one of the nine such pieces somewhere with
  // probability below 9 * 64 / 2^64.
  for (std::size_t start = 0; start + 8 <= unit.size(); ++start) {
    EXPECT_EQ(everything.find(unit.substr(start, 8)), std::string::npos);
  }
}

}  // namespace
}  // namespace rivulet::kernel
