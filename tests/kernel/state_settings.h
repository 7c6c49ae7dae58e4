// The kernels whose saved state is tested, and the rows they are fed.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "support/sensitive_bytes.h"
#include "support/zero_noise.h"

namespace rivulet::testing {

struct KernelSetting {
  StrategyKind kind = StrategyKind::blt;
  bool known_horizon = true;
  std::size_t dimension = 1;
  std::uint64_t rows_per_step = 1;
  std::uint64_t rows_per_unit = 0;  // 0: the promise is for rows
};

inline void PrintTo(const KernelSetting& setting, std::ostream* out) {
  *out << to_string(setting.kind) << (setting.known_horizon ? "" : "/unbounded") << "/d" << setting.dimension
       << "/every" << setting.rows_per_step << "/unit" << setting.rows_per_unit;
}

inline privacy::MechanismRequest request_for(const KernelSetting& setting) {
  privacy::MechanismRequest request;
  request.dimension = setting.dimension;
  request.strategy.kind = setting.kind;
  request.strategy.horizon = setting.known_horizon ? Horizon::known(64) : Horizon::unbounded();
  request.rows_per_step = setting.rows_per_step;
  request.units = setting.rows_per_unit != 0;
  if (request.units) request.rows_per_unit = setting.rows_per_unit;
  return request;
}

// A kernel that can be taken down and set up again, and what it published.
class Stream {
 public:
  enum class Noise { zero, seeded };

  Stream(const privacy::MechanismPlan& plan, Noise noise)
      : plan_(plan), schema_(Schema::unit_ball(plan.layout().dimension)), noise_(noise) {
    set_up();
  }

  // Row `index` of the stream: content and unit depend on the index alone; one in eleven is unusable, one in thirteen
  // is nobody's.
  void observe(std::size_t index) {
    std::vector<double> values(plan_.layout().dimension);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(3 * index + 7 * i + 1));
    if (index % 11 == 5) values[0] = std::nan("");
    const double target = std::cos(static_cast<double>(index));
    const std::string unit = index % 13 == 8 ? "" : "unit " + std::to_string(index % 5);
    if (plan_.request().units) {
      kernel_->observe(values, target, unit);
    } else {
      kernel_->observe(values, target);
    }
  }
  void close_if_full() {
    if (kernel_->step_is_full() && kernel_->may_close_another_step()) kernel_->close_step(published_.emplace_back());
  }
  void observe_and_close(std::size_t index) {
    observe(index);
    close_if_full();
  }

  void save(KeptState& kept) {
    SensitiveState state;
    kernel_->save(state);
    kept.keep(state);
  }
  // A new kernel in place of this one, from what was kept.
  void take_up(const KeptState& kept) {
    set_up();
    kernel_->restore(kept.given_back());
  }

  [[nodiscard]] kernel::Kernel& kernel() { return *kernel_; }
  [[nodiscard]] const std::vector<NoisyStep>& published() const { return published_; }

 private:
  void set_up() {
    std::unique_ptr<kernel::NoiseSource> source;
    if (noise_ == Noise::zero) {
      source = std::make_unique<ZeroNoise>();
    } else {
      source = kernel::DiscreteGaussianNoise::insecure(12);
    }
    kernel_ = std::make_unique<kernel::Kernel>(plan_, schema_, std::move(source));
  }

  privacy::MechanismPlan plan_;
  Schema schema_;
  Noise noise_;
  std::unique_ptr<kernel::Kernel> kernel_;
  std::vector<NoisyStep> published_;
};

}  // namespace rivulet::testing
