#include "rivulet/priv_inc_erm.h"

#include "regression/erm_engine.h"
#include "rivulet/error.h"

namespace rivulet {

struct PrivIncErm::Inside {
  ErmEngine engine;
};

PrivIncErm::PrivIncErm(const Options& options) : inside_(new Inside{ErmEngine(erm::ErmPlan(options))}) {}
PrivIncErm::PrivIncErm(PrivIncErm&&) noexcept = default;
PrivIncErm& PrivIncErm::operator=(PrivIncErm&&) noexcept = default;
PrivIncErm::~PrivIncErm() = default;

bool PrivIncErm::observe(std::span<const double> values, double target) {
  return inside_->engine.observe(values, target, std::nullopt);
}
bool PrivIncErm::observe(std::span<const double> values, double target, std::string_view unit) {
  return inside_->engine.observe(values, target, unit);
}
bool PrivIncErm::observe(const SparseRow& row, double target) {
  return inside_->engine.observe(row, target, std::nullopt);
}
bool PrivIncErm::observe(const SparseRow& row, double target, std::string_view unit) {
  return inside_->engine.observe(row, target, unit);
}

bool PrivIncErm::flush() {
  return inside_->engine.flush();
}

std::uint64_t PrivIncErm::step() const {
  return inside_->engine.step();
}
std::uint64_t PrivIncErm::released_rows() const {
  return inside_->engine.released_rows();
}

Model PrivIncErm::model() const {
  if (step() == 0) throw Error("nothing has been released yet: the first model is out after the first step");
  return inside_->engine.model();
}

const PrivIncErm::Options& PrivIncErm::options() const {
  return inside_->engine.plan().options();
}
const erm::ErmPlan& PrivIncErm::plan() const {
  return inside_->engine.plan();
}
std::uint64_t PrivIncErm::calls() const {
  return inside_->engine.calls();
}
double PrivIncErm::spent_mu() const {
  return inside_->engine.spent_mu();
}
std::uint64_t PrivIncErm::unusable_rows_for_operator() const {
  return inside_->engine.unusable_rows_for_operator();
}
std::uint64_t PrivIncErm::over_limit_rows_for_operator() const {
  return inside_->engine.over_limit_rows_for_operator();
}

}  // namespace rivulet
