// Rows gathered apart from the stream, on another thread or another machine, to be absorbed later. A batch can be
// filled, merged and sent on; nothing can be read from it.
//
// Its bytes are the exact sums of its rows, without any noise: as sensitive as the rows. They are for a transport that
// is trusted like the process itself, and are bound to one promise: the same request with the same decisions, in
// whatever process. Any split of a step's rows over batches, merged and absorbed in any order, gives the bits of one
// stream. Up to 2^62 rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/sha256.h"
#include "kernel/inside.h"
#include "kernel/moment_sum.h"
#include "kernel/row_lattice.h"
#include "privacy/mechanism_plan.h"
#include "sketch/embedding.h"
#include "wall/sensitive_state.h"

namespace rivulet::kernel {

class RowBatch {
 public:
  // `promise` names the stream's promise (promise_of()).
  RowBatch(std::shared_ptr<const RowLattice> lattice, const Sha256Digest& promise)
      : lattice_(std::move(lattice)), promise_(promise), sum_(lattice_->order()) {}

  // `values` has lattice->row_width() entries; a NaN marks a missing one. An unusable row counts as a zero row.
  void observe(std::span<const double> values, double target);
  void observe(const SparseRow& row, double target);
  // A row that may not contribute: it counts, as a zero row.
  void observe_nothing();
  // Takes the other's rows over and leaves it empty: a row enters a stream once. Throws RequestError when `other` was
  // made for another promise, or they have too many rows together.
  void merge(RowBatch&& other);
  [[nodiscard]] std::uint64_t rows() const { return sum_.rows(); }

  // The rows so far as bytes: magic, version, promise, counts, sums, SHA-256 of all that. Sensitive.
  [[nodiscard]] SensitiveBytes save();
  // Takes the rows of such bytes over, into a batch without rows. Nothing is believed before it is checked; throws
  // DamagedFile when the bytes are not those of a batch, whole and unchanged, RequestError when it is one of another
  // promise. The batch has no rows then. The digest finds accidents; whoever wants to forge can make one.
  void restore(const SensitiveBytes& bytes);

 private:
  friend class Kernel;
  void check_width(std::span<const double> values) const;
  // Any row has the right width: one that has not is unusable.
  void check_width(const SparseRow& /*row*/) const {}
  void count(RowFate fate);
  void clear();
  void read(std::string_view bytes);

  std::shared_ptr<const RowLattice> lattice_;
  Sha256Digest promise_;
  MomentSum sum_;
  std::uint64_t unusable_ = 0;
  std::uint64_t distorted_ = 0;
  RowScratch scratch_;
};

// Phi and what identifies it. Neither is known to be the other's: whoever makes one makes both.
struct RowSketch {
  sketch::EmbeddingSettings settings;
  std::shared_ptr<const LinearMap> map;
};

// Everything that gives a state's integers their meaning and the noise to come its width.
void write_mechanism(const privacy::MechanismPlan& plan, const std::optional<sketch::EmbeddingSettings>& sketch,
                     ByteWriter& out);
// SHA-256 of that, of the request it was decided for, of the schema and of the set G. Made of public settings alone,
// with or without an insecure seed, which says nothing about rows: equal in every process that was given the same.
Sha256Digest promise_of(const privacy::MechanismPlan& plan, const Schema& schema, const Domain& domain,
                        const std::optional<RowSketch>& sketch);

}  // namespace rivulet::kernel
