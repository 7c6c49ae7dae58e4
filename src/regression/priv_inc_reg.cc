// Algorithms PrivIncReg1 and PrivIncReg2, wired: rows -> kernel -> (the wall) -> decoder -> statistics -> model.
#include <utility>
#include <vector>

#include "fit/mechanism.h"
#include "fit/model_fitter.h"
#include "regression/engine.h"
#include "rivulet/domain.h"
#include "rivulet/error.h"
#include "rivulet/priv_inc_reg1.h"
#include "rivulet/priv_inc_reg2.h"
#include "strategy/strategy.h"

namespace rivulet {
namespace {

class MomentEngine final : public Engine {
 public:
  MomentEngine(const StreamOptions& options, const privacy::MechanismPlan& plan)
      : plan_(plan),
        not_private_(options.insecure_seed.has_value()),
        sketch_(fit::make_sketch(options)),
        kernel_(plan_, options.schema, kernel::DiscreteGaussianNoise::seeded_or_secure(options.insecure_seed),
                Domain(options.only_if, options.schema), row_sketch(options)),
        decoder_(plan_.strategy().make_decoder(plan_.layout().size())),
        fitter_(options.schema, fit::fitter_options(options, plan_, sketch_)) {}

  bool observe(std::span<const double> values, double target, std::optional<std::string_view> unit) override {
    return take(values, target, unit);
  }
  bool observe(const SparseRow& row, double target, std::optional<std::string_view> unit) override {
    return take(row, target, unit);
  }
  bool flush() override {
    if (kernel_.rows_in_step() == 0) return false;
    release();
    return true;
  }
  [[nodiscard]] kernel::RowBatch make_batch() const override { return kernel_.make_batch(); }
  bool absorb(kernel::RowBatch&& batch) override {
    require_room(kernel_.may_close_another_step(), plan_.last_step());
    kernel_.absorb(std::move(batch));
    if (!kernel_.step_is_full()) return false;
    release();
    return true;
  }

  [[nodiscard]] const Sha256Digest& promise() const override { return kernel_.promise(); }

  [[nodiscard]] std::uint64_t step() const override { return decoder_->step(); }
  [[nodiscard]] std::uint64_t released_rows() const override { return released_rows_; }
  [[nodiscard]] std::uint64_t waiting_rows() const override { return kernel_.rows_in_step(); }

  [[nodiscard]] Statistics statistics() const override {
    Statistics result;
    read_statistics(result);
    return result;
  }
  [[nodiscard]] Model model() override {
    read_statistics(statistics_);
    if (!sketch_) return fitter_.fit(statistics_);
    if (solved_step_ != step()) start_ = last_solution_;
    Model model = fitter_.fit(statistics_, start_);
    last_solution_ = model.theta;
    solved_step_ = step();
    return model;
  }

  [[nodiscard]] Model solve(const Statistics& statistics, std::span<const double> start) override {
    return fitter_.fit(statistics, sketch_ ? start : std::span<const double>());
  }

  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const override {
    return kernel_.unusable_rows_for_operator();
  }
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const override {
    return kernel_.over_limit_rows_for_operator();
  }
  [[nodiscard]] std::uint64_t distorted_rows_for_operator() const override {
    return kernel_.distorted_rows_for_operator();
  }

  void save(RegressionState& out) override {
    kernel_.save(out.sensitive);
    ByteWriter writer;
    decoder_->save(writer);
    out.decoder = writer.take();
    out.released_rows = released_rows_;
  }
  void restore(const RegressionState& state) override {
    kernel_.restore(state.sensitive);
    ByteReader reader(state.decoder, "the decoder's state");
    decoder_->restore(reader);
    reader.finish();
    if (kernel_.steps() != decoder_->step() || kernel_.released_rows() != state.released_rows) {
      reader.damaged("it is of another step than the kernel's");
    }
    released_rows_ = state.released_rows;
  }

 private:
  [[nodiscard]] std::optional<kernel::RowSketch> row_sketch(const StreamOptions& options) const {
    if (!sketch_) return std::nullopt;
    return kernel::RowSketch{*fit::embedding_settings(options), sketch_};
  }

  // A dense row or a sparse one.
  template <class Values>
  bool take(const Values& values, double target, std::optional<std::string_view> unit) {
    require_room(kernel_.may_close_another_step(), plan_.last_step());
    kernel_.observe(values, target, unit);
    if (!kernel_.step_is_full()) return false;
    release();
    return true;
  }

  void release() {
    kernel_.close_step(noisy_);
    decoder_->absorb(noisy_);
    released_rows_ = noisy_.rows;
  }

  void read_statistics(Statistics& out) const {
    fit::read_statistics(plan_, *decoder_, released_rows_, out);
    out.not_private = not_private_;
  }

  privacy::MechanismPlan plan_;
  bool not_private_;
  std::shared_ptr<const LinearMap> sketch_;  // Phi; null without
  kernel::Kernel kernel_;
  std::unique_ptr<strategy::Decoder> decoder_;
  fit::ModelFitter fitter_;
  NoisyStep noisy_;
  Statistics statistics_;
  std::vector<double> last_solution_;  // with a sketch: where the next step's search begins
  std::vector<double> start_;          // where that of step solved_step_ began, to find the same model again
  std::uint64_t solved_step_ = 0;
  std::uint64_t released_rows_ = 0;
};

const StreamOptions& moments(const StreamOptions& options) {
  if (!options.erm) return options;
  throw RequestError("erm", "asked for, but this is not PrivIncERM; accepted: none, or IncrementalRegression");
}

const StreamOptions& without_sketch(const StreamOptions& options) {
  if (!options.sketch) return options;
  throw RequestError("sketch", "asked for, but PrivIncReg1 has none; accepted: no sketch, or PrivIncReg2");
}

const StreamOptions& with_sketch(const StreamOptions& options) {
  if (options.sketch) return options;
  throw RequestError("sketch", "not asked for, but PrivIncReg2 is one; accepted: a sketch, or PrivIncReg1");
}

}  // namespace

void Engine::require_room(bool room, std::uint64_t last_step) {
  if (room) return;
  throw HorizonExceeded("horizon: the " + std::to_string(last_step) +
                        " steps the privacy promise covers are used up; what was published stays valid, and nothing "
                        "more can be published");
}

std::unique_ptr<Engine> make_moment_engine(const StreamOptions& options, const privacy::MechanismPlan& plan) {
  return std::make_unique<MomentEngine>(options, plan);
}

PrivIncReg1::PrivIncReg1(const Options& options) : IncrementalRegression(without_sketch(moments(options))) {}
PrivIncReg2::PrivIncReg2(const Options& options) : IncrementalRegression(with_sketch(moments(options))) {}

}  // namespace rivulet
