// What runs behind IncrementalRegression: rows in, releases out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fit/mechanism.h"
#include "kernel/inside.h"
#include "kernel/kernel.h"
#include "regression/regression_state.h"
#include "rivulet/model.h"
#include "rivulet/sparse_row.h"
#include "rivulet/stream_options.h"

namespace rivulet {

// The promises are those of IncrementalRegression, whose members these are.
class Engine {
 public:
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual bool observe(std::span<const double> values, double target, std::optional<std::string_view> unit) = 0;
  virtual bool observe(const SparseRow& row, double target, std::optional<std::string_view> unit) = 0;
  virtual bool flush() = 0;
  [[nodiscard]] virtual kernel::RowBatch make_batch() const = 0;
  virtual bool absorb(kernel::RowBatch&& batch) = 0;
  [[nodiscard]] virtual const Sha256Digest& promise() const = 0;

  [[nodiscard]] virtual std::uint64_t step() const = 0;
  [[nodiscard]] virtual std::uint64_t released_rows() const = 0;
  [[nodiscard]] virtual std::uint64_t waiting_rows() const = 0;
  [[nodiscard]] virtual Statistics statistics() const = 0;
  [[nodiscard]] virtual Model model() = 0;

  // For the model file, which keeps what was drawn before it asks for models. After leave_models() a step that is
  // closed is drawn and no more: model() must not be called, and solve() finds the models, of each step in its turn.
  // A model is decided by the statistics and by `start`, the solution of the step before (nothing for the first).
  // PrivIncERM's is decided by what save() gave out after the step was closed, noise included.
  virtual void leave_models() {}
  [[nodiscard]] virtual Model solve(const Statistics& statistics, std::span<const double> start) = 0;

  [[nodiscard]] virtual std::uint64_t unusable_rows_for_operator() const = 0;
  [[nodiscard]] virtual std::uint64_t over_limit_rows_for_operator() const = 0;
  [[nodiscard]] virtual std::uint64_t distorted_rows_for_operator() const = 0;

  virtual void save(RegressionState& out) = 0;
  virtual void restore(const RegressionState& state) = 0;

 protected:
  Engine() = default;
  // Throws HorizonExceeded.
  static void require_room(bool room, std::uint64_t last_step);
};

// PrivIncReg1, and PrivIncReg2 with a sketch. `options` went through with_defaults().
std::unique_ptr<Engine> make_moment_engine(const StreamOptions& options, const privacy::MechanismPlan& plan);
// PrivIncERM.
std::unique_ptr<Engine> make_erm_engine(const erm::ErmPlan& plan);

}  // namespace rivulet
