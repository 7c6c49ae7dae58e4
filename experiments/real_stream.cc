#include "real_stream.h"

#include <span>
#include <utility>

#include "input/byte_source.h"
#include "input/csv.h"
#include "rivulet/incremental_regression.h"
#include "request/toml_file.h"

namespace rivulet::experiments {
namespace {

constexpr std::uint64_t kFirstCheckpoint = 1000;
constexpr const char* kNoConstraint = "l2:1e6";

}  // namespace

RealStream::RealStream(const std::string& data, const std::string& config_path, std::uint64_t limit) {
  options_ = request::read_request(request::read_toml_file(config_path));
  width_ = options_.schema.row_width();

  input::FileSource source(data);
  input::CsvRowSource rows(source, options_.schema);
  input::Row row;
  while (targets_.size() < limit && rows.next(row)) {
    values_.insert(values_.end(), row.values.begin(), row.values.end());
    targets_.push_back(row.target);
  }

  for (std::uint64_t at = kFirstCheckpoint; at < targets_.size(); at *= 2) checkpoints_.push_back({.rows = at});
  checkpoints_.push_back({.rows = targets_.size()});
  const std::vector<double> zero(options_.schema.dimension(), 0.0);
  for (Checkpoint& checkpoint : checkpoints_) {
    auto sums = std::make_unique<not_private::ExactLeastSquares>(options_.schema, kNoConstraint);
    for (std::uint64_t i = 0; i < checkpoint.rows; ++i) {
      sums->observe(std::span(values_).subspan(i * width_, width_), targets_[i]);
    }
    const Model model = sums->model();
    checkpoint.least_squares = sums->r_squared(model.theta);
    checkpoint.trivial = sums->r_squared(zero);
    checkpoint.coefficient = model.coefficients[0].value;
    sums_.push_back(std::move(sums));
  }
}

std::vector<PrivateFit> RealStream::fit(StreamOptions options) const {
  IncrementalRegression regression(options);
  std::vector<PrivateFit> fits;
  std::uint64_t row = 0;
  for (std::size_t i = 0; i < checkpoints_.size(); ++i) {
    for (; row < checkpoints_[i].rows; ++row) {
      regression.observe(std::span(values_).subspan(row * width_, width_), targets_[row]);
    }
    if (row == rows()) regression.flush();
    Model model = regression.model();
    const double r_squared = sums_[i]->r_squared(model.theta);
    const double coefficient = model.coefficients[0].value;
    fits.push_back({r_squared, coefficient, std::move(model), regression.statistics()});
  }
  return fits;
}

}  // namespace rivulet::experiments
