// Batches: rows gathered on other threads, in other processes or on other machines, for a stream to absorb.
//
//   rivulet::RowBatch batch = stream.make_batch();          // on a worker: any stream with the same settings will do
//   batch.observe(values, target);
//   send(batch.bytes_for_trusted_transport().view());       // SENSITIVE, see below
//
//   rivulet::RowBatch arrived = stream.batch_from_trusted_transport(SensitiveBatchBytes::received(bytes));
//   stream.absorb(std::move(arrived));
//
// Sums are exact integers: any split of a step's rows over batches, merged and absorbed in any order, gives the same
// bits as observing them one by one. Not for promises about units, whose rows count in the order they come, and not for
// PrivIncERM, which keeps rows: make_batch() refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rivulet/sparse_row.h"

namespace rivulet {

class SensitiveBytes;

// The exact sums of a batch's rows as bytes. NOT private: there is no noise in them, and whoever sees them may learn a
// row. Keep them where the rows themselves may be: encrypted and authenticated on the way, never in a log, never
// published. Absorb each batch once: a row that is counted twice is not covered by the promise. Wiped from memory with
// the object.
class SensitiveBatchBytes {
 public:
  // Bytes that a batch of another process was sent as. They are copied; nothing is checked yet.
  static SensitiveBatchBytes received(std::string_view bytes);
  SensitiveBatchBytes(SensitiveBatchBytes&&) noexcept;
  SensitiveBatchBytes& operator=(SensitiveBatchBytes&&) noexcept;
  ~SensitiveBatchBytes();

  // For sending. Holds as long as the object.
  [[nodiscard]] std::string_view view() const;

 private:
  friend class RowBatch;
  friend class IncrementalRegression;
  explicit SensitiveBatchBytes(SensitiveBytes&& bytes);
  std::unique_ptr<SensitiveBytes> bytes_;
};

// It can be filled, merged and sent; nothing can be read from it. A moved-from batch may only be assigned to or
// destroyed.
class RowBatch {
 public:
  RowBatch(RowBatch&&) noexcept;
  RowBatch& operator=(RowBatch&&) noexcept;
  ~RowBatch();

  void observe(std::span<const double> values, double target);
  void observe(const SparseRow& row, double target);
  // Takes the other's rows over and leaves it empty. Throws RequestError, leaving both as they were, when the other is
  // of another promise.
  void merge(RowBatch&& other);
  [[nodiscard]] std::uint64_t rows() const;

  // Versioned, bound to the promise, with a checksum against accidents. The batch stays as it is.
  [[nodiscard]] SensitiveBatchBytes bytes_for_trusted_transport() const;

 private:
  friend class IncrementalRegression;
  struct Inside;
  explicit RowBatch(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet
