#include <map>
#include <utility>

#include "audit/white_box.h"
#include "kernel/history_kernel.h"
#include "kernel/kernel.h"
#include "rivulet/loss.h"

namespace rivulet::audit {
namespace {

// A secure source for every sigma, so that none of them makes its tables twice.
class SecureSources {
 public:
  kernel::NoiseSource& of(double sigma) {
    std::unique_ptr<kernel::NoiseSource>& source = sources_[sigma];
    if (!source) source = kernel::DiscreteGaussianNoise::seeded_or_secure(std::nullopt);
    return *source;
  }

 private:
  std::map<double, std::unique_ptr<kernel::NoiseSource>> sources_;
};

class SharedNoise final : public kernel::NoiseSource {
 public:
  explicit SharedNoise(std::shared_ptr<SecureSources> sources) : sources_(std::move(sources)) {}
  void add(std::span<Int128> values, double sigma) override { sources_->of(sigma).add(values, sigma); }

 private:
  std::shared_ptr<SecureSources> sources_;
};

class KernelStream final : public AuditedStream {
 public:
  KernelStream(const privacy::MechanismPlan& plan, const Schema& schema, std::unique_ptr<kernel::NoiseSource> noise)
      : kernel_(plan, schema, std::move(noise)) {}
  void observe(std::span<const double> values, double target, std::optional<std::string_view> unit) override {
    kernel_.observe(values, target, unit);
  }
  void close_step(NoisyStep& out) override { kernel_.close_step(out); }

 private:
  kernel::Kernel kernel_;
};

class KernelHistory final : public AuditedHistory {
 public:
  KernelHistory(const privacy::GradientPlan& plan, const Schema& schema, const std::shared_ptr<const Loss>& loss,
                std::unique_ptr<kernel::NoiseSource> noise)
      : kernel_(plan, schema, loss, 1.0, std::move(noise)) {}
  void observe(std::span<const double> values, double target) override { kernel_.observe(values, target); }
  void close_step() override { kernel_.close_step(); }
  void noisy_gradient(std::span<const double> theta, double mu_k, NoisyGradient& out, std::uint64_t part,
                      std::uint64_t parts) override {
    kernel_.noisy_gradient(theta, mu_k, out, part, parts);
  }

 private:
  kernel::HistoryKernel kernel_;
};

}  // namespace

NoiseMaker secure_noise() {
  return [sources = std::make_shared<SecureSources>()] { return std::make_unique<SharedNoise>(sources); };
}

StreamSource kernel_streams(const privacy::MechanismPlan& plan, const NoiseMaker& noise) {
  return [plan, noise, schema = Schema::unit_ball(plan.layout().dimension)] {
    return std::make_unique<KernelStream>(plan, schema, noise());
  };
}

HistorySource kernel_histories(const privacy::GradientPlan& plan, const NoiseMaker& noise) {
  const std::shared_ptr<const Loss> loss = make_hinge_loss();
  return [plan, noise, loss, schema = Schema::unit_ball(plan.request().dimension)] {
    return std::make_unique<KernelHistory>(plan, schema, loss, noise());
  };
}

}  // namespace rivulet::audit
