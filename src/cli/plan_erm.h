// What `rivulet plan` prints of PrivIncERM and the two mechanisms it is compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "erm/erm_plan.h"

namespace rivulet::cli {

class ErmPlanOutput {
 public:
  // `plan` must outlive this. The steps to report, each up to its last.
  ErmPlanOutput(const erm::ErmPlan& plan, std::vector<std::uint64_t> steps);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  // As of a step: of the last call up to it.
  struct AtStep {
    std::uint64_t step = 0;
    double rows = 0.0;
    std::uint64_t calls = 0;
    double call_mu = 0.0;
    std::uint64_t iterations = 0;
    double window_calls = 0.0;
    double sum_stddev = 0.0;   // of a coordinate of one noisy sum of gradients
    double call_stddev = 0.0;  // of the mean of the call's sums
    double noise_risk = 0.0;   // w(K) call_stddev
    double age_risk = 0.0;     // 2 tau L ||K||, tau in rows
    double memory_bytes = 0.0;
    double multiplications = 0.0;  // of the call
  };

  [[nodiscard]] AtStep at(std::uint64_t step) const;
  // Theorem 3.1 in the part of the rule, constants and powers of log(T / beta) left out.
  [[nodiscard]] double theorem() const;
  [[nodiscard]] const char* theorem_name() const;
  [[nodiscard]] std::uint64_t paper_rows() const;
  [[nodiscard]] std::string tau_text() const;
  [[nodiscard]] std::string times_text() const;
  [[nodiscard]] std::string outlook_text() const;

  const erm::ErmPlan& plan_;
  std::vector<std::uint64_t> steps_;
};

}  // namespace rivulet::cli
