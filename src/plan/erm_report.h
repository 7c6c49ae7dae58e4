// What there is to say of PrivIncERM and the two mechanisms it is compared with.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "erm/erm_plan.h"

namespace rivulet::plan {

// Calls of the solver up to a step.
std::uint64_t calls_until(const ErmSettings& erm, std::uint64_t step);
// What rows that are kept take, in bytes: 4 for each coordinate and the target.
double kept_bytes(const Schema& schema, double rows);
// 1.5 GB, 12 kB, ...
std::string shown_bytes(double bytes);

class ErmReport {
 public:
  // `plan` must outlive this. The steps to report, each up to its last.
  ErmReport(const erm::ErmPlan& plan, std::vector<std::uint64_t> steps);

  // Below the promise.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] nlohmann::ordered_json json() const;

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

}  // namespace rivulet::plan
