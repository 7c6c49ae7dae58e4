// PrivIncERM behind IncrementalRegression and PrivIncErm.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "erm/erm_plan.h"
#include "erm/running_model.h"
#include "fit/user_units.h"
#include "kernel/history_kernel.h"
#include "regression/engine.h"

namespace rivulet {

class ErmEngine final : public Engine {
 public:
  explicit ErmEngine(const erm::ErmPlan& plan);

  bool observe(std::span<const double> values, double target, std::optional<std::string_view> unit) override;
  bool observe(const SparseRow& row, double target, std::optional<std::string_view> unit) override;
  bool flush() override;
  [[nodiscard]] kernel::RowBatch make_batch() const override;
  bool absorb(kernel::RowBatch&& batch) override;
  [[nodiscard]] const Sha256Digest& promise() const override;

  [[nodiscard]] std::uint64_t step() const override { return kernel_.steps(); }
  [[nodiscard]] std::uint64_t released_rows() const override { return kernel_.released_rows(); }
  [[nodiscard]] std::uint64_t waiting_rows() const override { return kernel_.rows_in_step(); }
  [[nodiscard]] Statistics statistics() const override;
  [[nodiscard]] Model model() override;

  void leave_models() override { leaves_models_ = true; }
  [[nodiscard]] Model solve(const Statistics& statistics, std::span<const double> start) override;

  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const override {
    return kernel_.unusable_rows_for_operator();
  }
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const override {
    return kernel_.over_limit_rows_for_operator();
  }
  [[nodiscard]] std::uint64_t distorted_rows_for_operator() const override { return 0; }

  void save(RegressionState& out) override;
  void restore(const RegressionState& state) override;

  [[nodiscard]] const erm::ErmPlan& plan() const { return plan_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] double spent_mu() const { return kernel_.spend().spent_mu(); }

 private:
  template <class Values>
  bool take(const Values& values, double target, std::optional<std::string_view> unit);
  void close_step();
  // The call due at a step, if there is one.
  void make_call(std::uint64_t step, std::uint64_t rows);
  std::vector<double> perturbed_minimiser(const erm::ErmCall& call);

  erm::ErmPlan plan_;
  kernel::HistoryKernel kernel_;
  fit::UserUnits units_;
  erm::RunningModel published_;
  std::uint64_t calls_ = 0;
  bool leaves_models_ = false;
};

}  // namespace rivulet
