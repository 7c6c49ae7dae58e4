// Mechanisms with one thing wrong each, built of the real parts.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "audit/white_box.h"
#include "kernel/encoder.h"
#include "kernel/moment_sum.h"
#include "kernel/row_lattice.h"
#include "rivulet/error.h"

namespace rivulet::audit_testing {

// Draws come from the real source.
class BrokenNoise : public kernel::NoiseSource {
 public:
  explicit BrokenNoise(std::unique_ptr<kernel::NoiseSource> source) : source_(std::move(source)) {}

 protected:
  kernel::NoiseSource& source() { return *source_; }

 private:
  std::unique_ptr<kernel::NoiseSource> source_;
};

// Noise of another width than it was asked for.
class ScaledNoise final : public BrokenNoise {
 public:
  ScaledNoise(std::unique_ptr<kernel::NoiseSource> source, double factor)
      : BrokenNoise(std::move(source)), factor_(factor) {}
  void add(std::span<Int128> values, double sigma) override { source().add(values, sigma * factor_); }

 private:
  double factor_;
};

// The first vector of every second step gets the draws of the step before.
class ReusedDraws final : public BrokenNoise {
 public:
  using BrokenNoise::BrokenNoise;
  void begin_step(std::uint64_t step) override {
    step_ = step;
    block_ = 0;
  }
  void add(std::span<Int128> values, double sigma) override {
    std::vector<Int128>& kept = draws_[block_++];
    if (step_ % 2 == 1 || kept.size() != values.size()) {
      kept.assign(values.size(), 0);
      source().add(kept, sigma);
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += kept[i];
  }

 private:
  std::uint64_t step_ = 0;
  std::size_t block_ = 0;
  std::map<std::size_t, std::vector<Int128>> draws_;
};

// The coordinates of sum x y get the draws of the diagonal of sum x x^T.
class SharedDraws final : public BrokenNoise {
 public:
  using BrokenNoise::BrokenNoise;
  void add(std::span<Int128> values, double sigma) override {
    const bool copies = block_++ % 4 == 2;
    if (!copies) {
      const std::vector<Int128> before(values.begin(), values.end());
      source().add(values, sigma);
      if (block_ % 4 == 1) {
        kept_.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          kept_[i] = static_cast<double>(static_cast<std::int64_t>(values[i] - before[i])) / sigma;
        }
      }
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<std::int64_t>(kept_[i] * sigma);
  }

 private:
  std::size_t block_ = 0;
  std::vector<double> kept_;
};

// One coordinate of one of the four blocks of a vector stays as it is.
class SkippedCoordinate final : public BrokenNoise {
 public:
  SkippedCoordinate(std::unique_ptr<kernel::NoiseSource> source, std::size_t block, std::size_t coordinate)
      : BrokenNoise(std::move(source)), block_(block), coordinate_(coordinate) {}
  void add(std::span<Int128> values, double sigma) override {
    if (calls_++ % 4 != block_) {
      source().add(values, sigma);
      return;
    }
    const Int128 bare = values[coordinate_];
    source().add(values, sigma);
    values[coordinate_] = bare;
  }

 private:
  std::size_t block_;
  std::size_t coordinate_;
  std::size_t calls_ = 0;
};

// Every run has the draws of the first one.
class SameDraws final : public kernel::NoiseSource {
 public:
  static audit::NoiseMaker every_time() {
    return [draws = std::make_shared<std::vector<Int128>>(), real = audit::secure_noise()] {
      return std::make_unique<SameDraws>(draws, real());
    };
  }
  SameDraws(std::shared_ptr<std::vector<Int128>> draws, std::unique_ptr<kernel::NoiseSource> real)
      : draws_(std::move(draws)), real_(std::move(real)) {}
  void add(std::span<Int128> values, double sigma) override {
    if (draws_->size() < next_ + values.size()) {
      draws_->resize(next_ + values.size(), 0);
      real_->add(std::span(*draws_).subspan(next_), sigma);
    }
    for (Int128& value : values) value += (*draws_)[next_++];
  }

 private:
  std::shared_ptr<std::vector<Int128>> draws_;
  std::unique_ptr<kernel::NoiseSource> real_;
  std::size_t next_ = 0;
};

// Noise maker with a defect around the real, secure one.
template <typename Broken, typename... Arguments>
audit::NoiseMaker broken_noise(Arguments... arguments) {
  return [real = audit::secure_noise(), arguments...] { return std::make_unique<Broken>(real(), arguments...); };
}

// The kernel's own parts wired without the kernel's checks: rows may be `too_long` times longer than the plan allows,
// and nothing ends at the horizon unless `last_step` says so.
class BareStream final : public audit::AuditedStream {
 public:
  BareStream(const privacy::MechanismPlan& plan, unsigned extra_bits, std::optional<std::uint64_t> last_step,
             std::unique_ptr<kernel::NoiseSource> noise)
      : layout_(plan.layout()),
        last_step_(last_step),
        lattice_(schema(plan.layout().dimension, extra_bits), limits(plan, extra_bits)),
        sum_(lattice_.order()),
        encoder_(kernel::make_encoder(plan)),
        noise_(std::move(noise)),
        sums_(layout_.size()) {}

  void observe(std::span<const double> values, double target, std::optional<std::string_view> /*unit*/) override {
    lattice_.quantise(values, target, sum_.next_row(), scratch_);
    sum_.commit_row();
  }
  void close_step(NoisyStep& out) override {
    if (last_step_ && step_ == *last_step_) throw HorizonExceeded("the stream is over");
    sum_.write(layout_, sums_);
    sum_.clear();
    noise_->begin_step(++step_);
    encoder_->encode(step_, sums_, *noise_, out);
  }

  static audit::StreamSource source(const privacy::MechanismPlan& plan, unsigned extra_bits,
                                    std::optional<std::uint64_t> last_step) {
    return [plan, extra_bits, last_step, noise = audit::secure_noise()] {
      return std::make_unique<BareStream>(plan, extra_bits, last_step, noise());
    };
  }

 private:
  static Schema schema(std::size_t dimension, unsigned extra_bits) {
    const double bound = std::ldexp(1.0, static_cast<int>(extra_bits));
    Schema result;
    result.block("x", dimension, {-bound, bound}).target("y", {-bound, bound}).intercept(false).clip_norm(1.0);
    return result;
  }
  // Longer rows in the same units.
  static privacy::LatticeLimits limits(const privacy::MechanismPlan& plan, unsigned extra_bits) {
    return {plan.limits().bits + extra_bits, plan.limits().target_limit << extra_bits};
  }

  privacy::ReleaseLayout layout_;
  std::optional<std::uint64_t> last_step_;
  kernel::RowLattice lattice_;
  kernel::MomentSum sum_;
  std::unique_ptr<kernel::Encoder> encoder_;
  std::unique_ptr<kernel::NoiseSource> noise_;
  std::vector<Int128> sums_;
  kernel::RowScratch scratch_;
  std::uint64_t step_ = 0;
};

}  // namespace rivulet::audit_testing
