#include "kernel/unit_cap.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>

#include "kernel/random_bits.h"
#include "rivulet/error.h"

namespace rivulet::kernel {

struct UnitCap::Hasher {
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  EVP_MAC_CTX* context = mac == nullptr ? nullptr : EVP_MAC_CTX_new(mac);

  Hasher() = default;
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher() {
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
  }
};

std::size_t UnitCap::TagHash::operator()(const Tag& tag) const {
  std::size_t start = 0;
  std::memcpy(&start, tag.data(), sizeof start);
  return start;
}

UnitCap::UnitCap(std::uint64_t max_rows) : max_rows_(max_rows), hasher_(std::make_unique<Hasher>()) {
  RandomBits::secure().fill(std::as_writable_bytes(std::span(key_)));
  use_key();
}

UnitCap::~UnitCap() {
  OPENSSL_cleanse(key_.data(), key_.size());
}

void UnitCap::use_key() {
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("digest", digest, 0), OSSL_PARAM_construct_end()};
  if (hasher_->context == nullptr || EVP_MAC_init(hasher_->context, reinterpret_cast<const unsigned char*>(key_.data()),
                                                  key_.size(), parameters) != 1) {
    throw Error("unit: HMAC-SHA-256 is not available");
  }
}

UnitCap::Tag UnitCap::tag_of(std::string_view identifier) const {
  std::array<unsigned char, 32> digest{};
  std::size_t length = 0;
  // No key: the one it was given stays.
  const bool ok = EVP_MAC_init(hasher_->context, nullptr, 0, nullptr) == 1 &&
                  EVP_MAC_update(hasher_->context, reinterpret_cast<const unsigned char*>(identifier.data()),
                                 identifier.size()) == 1 &&
                  EVP_MAC_final(hasher_->context, digest.data(), &length, digest.size()) == 1;
  if (!ok || length != digest.size()) throw Error("unit: HMAC-SHA-256 failed");
  Tag tag;
  std::memcpy(tag.data(), digest.data(), tag.size());
  return tag;
}

bool UnitCap::admit(std::string_view identifier) {
  if (identifier.empty()) return false;
  const Tag tag = tag_of(identifier);
  Count& count = units_[tag];
  if (count.rows >= max_rows_) return false;
  ++count.rows;
  ++admitted_;
  if (!count.changed) changed_.push_back(tag);
  count.changed = true;
  return true;
}

void UnitCap::save(ByteWriter& out) const {
  out.raw({key_.data(), key_.size()});
  out.u64(units_.size());
  out.u64(admitted_);
}

void UnitCap::restore(ByteReader& in, const std::vector<SensitiveUnitCount>& counts) {
  const std::string_view key = in.raw(key_.size());
  std::copy(key.begin(), key.end(), key_.begin());
  use_key();
  const std::uint64_t units = in.u64();
  admitted_ = in.u64();
  units_.clear();
  changed_.clear();
  units_.reserve(counts.size());
  std::uint64_t rows = 0;
  for (const SensitiveUnitCount& count : counts) {
    if (count.rows_ == 0 || count.rows_ > max_rows_) in.damaged("a unit's count is outside its limit");
    if (!units_.emplace(count.tag_, Count{count.rows_, false}).second) in.damaged("a unit is counted twice");
    rows += count.rows_;
  }
  if (units_.size() != units || rows != admitted_) in.damaged("the counts of units are not those that belong to it");
}

std::vector<SensitiveUnitCount> UnitCap::take_changes() {
  std::vector<SensitiveUnitCount> counts;
  counts.reserve(changed_.size());
  for (const Tag& tag : changed_) {
    Count& count = units_.at(tag);
    count.changed = false;
    counts.push_back(SensitiveUnitCount(tag, count.rows));
  }
  changed_.clear();
  return counts;
}

}  // namespace rivulet::kernel
