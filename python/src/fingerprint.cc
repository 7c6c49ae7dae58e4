#include "fingerprint.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "errors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rivulet::python {
namespace {

using Key = std::array<std::uint64_t, 4>;

const Key& process_key() {
  static const Key key = [] {
    Key drawn{};
    if (getrandom(drawn.data(), sizeof drawn, 0) != static_cast<ssize_t>(sizeof drawn)) {
      throw Error("fingerprint: the system has no random bits");
    }
    return drawn;
  }();
  return key;
}

__extension__ using Wide = unsigned __int128;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Multiply-and-fold over pairs of words with secret keys: fast, and good enough to tell rows apart. It need not resist
// anybody, because hashes stay in the process.
class RowHash {
 public:
  void word(double value) {
    // 0.0 and -0.0 are one number.
    const auto bits = value == 0.0 ? 0 : std::bit_cast<std::uint64_t>(value);
    state_ = mix(state_ ^ key_[1], bits ^ key_[2]);
  }
  void word(std::uint64_t bits) { state_ = mix(state_ ^ key_[2], bits ^ key_[1]); }
  [[nodiscard]] std::uint64_t result() const { return mix(state_ ^ key_[3], key_[0] | 1U); }

 private:
  const Key& key_ = process_key();
  std::uint64_t state_ = key_[0];
};

}  // namespace

void Fingerprint::add(Rows& rows) {
  RowBlock block;
  const std::size_t width = rows.width();
  while (rows.next(block)) {
    for (std::size_t row = 0; row < block.count; ++row) {
      const double target = block.targets != nullptr ? block.targets[row] : 0.0;
      if (block.sparse()) {
        add(block.sparse_row(row), target);
      } else {
        add({block.values + row * width, width}, target);
      }
    }
  }
  shrink();
}

void Fingerprint::add(std::span<const double> values, double target) {
  RowHash hash;
  for (const double value : values) hash.word(value);
  hash.word(target);
  ++rows_;
  insert(hash.result());
}

void Fingerprint::add(const SparseRow& row, double target) {
  RowHash hash;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    hash.word(std::uint64_t{row.positions[i]});
    hash.word(row.values[i]);
  }
  hash.word(target);
  ++rows_;
  insert(hash.result());
}

void Fingerprint::merge(const Fingerprint& other) {
  if (other.full_) limit_ = std::min(limit_, other.limit_);
  full_ = full_ || other.full_;
  for (const std::uint64_t hash : other.hashes_) insert(hash);
  rows_ += other.rows_;
  shrink();
}

void Fingerprint::insert(std::uint64_t hash) {
  if (hash > limit_) return;
  hashes_.push_back(hash);
  sorted_ = false;
  if (hashes_.size() >= 4 * kMost) shrink();
}

void Fingerprint::shrink() {
  if (sorted_) return;
  sorted_ = true;
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  if (hashes_.size() > kMost) {
    hashes_.resize(kMost);
    full_ = true;
  }
  while (!hashes_.empty() && hashes_.back() > limit_) hashes_.pop_back();
  if (full_ && !hashes_.empty()) limit_ = std::min(limit_, hashes_.back());
}

double Fingerprint::share_in(const Fingerprint& other) {
  shrink();
  // Below both limits the samples are complete.
  const std::uint64_t limit = std::min(limit_, other.limit_);
  std::size_t mine = 0;
  std::size_t common = 0;
  for (const std::uint64_t hash : hashes_) {
    if (hash > limit) break;
    ++mine;
    common += std::binary_search(other.hashes_.begin(), other.hashes_.end(), hash) ? 1 : 0;
  }
  return mine == 0 ? 0.0 : static_cast<double>(common) / static_cast<double>(mine);
}

void bind_fingerprint(nb::module_& module) {
  nb::class_<Fingerprint>(module, "Fingerprint",
                          "A few keyed hashes of rows, to tell whether two sets of rows overlap.")
      .def(nb::init<>())
      .def("add", nb::overload_cast<Rows&>(&Fingerprint::add), "rows"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("merge", &Fingerprint::merge, "other"_a)
      .def("share_in", &Fingerprint::share_in, "other"_a)
      .def_prop_ro("rows", &Fingerprint::rows);
}

}  // namespace rivulet::python
