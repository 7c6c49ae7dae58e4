#include "cli/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rivulet/loss.h"

namespace rivulet::cli {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

class NumberEvaluation final : public Evaluation {
 public:
  explicit NumberEvaluation(const StreamOptions& options) {
    if (options.loss.starts_with("quantile:")) pinball_ = parse_loss(options.loss);
  }

  void add(double prediction, double target) override {
    ++rows_;
    const double error = target - prediction;
    squared_error_ += error * error;
    absolute_error_ += std::abs(error);
    if (pinball_) pinball_sum_ += pinball_->value(prediction, target);
    if (target <= prediction) ++covered_;
    // Welford: the scatter of targets far from 0 keeps its digits.
    const double from_mean = target - mean_;
    mean_ += from_mean / static_cast<double>(rows_);
    scatter_ += from_mean * (target - mean_);
  }

  std::vector<Figure> figures() override {
    const double n = rows_ == 0 ? kUndefined : static_cast<double>(rows_);
    std::vector<Figure> result{
        {"r_squared", "R^2", scatter_ > 0.0 ? 1.0 - squared_error_ / scatter_ : kUndefined, false},
        {"rmse", "root mean square error", std::sqrt(squared_error_ / n), false},
        {"mae", "mean absolute error", absolute_error_ / n, false}};
    if (pinball_) {
      result.push_back({"pinball_loss", "pinball loss", pinball_sum_ / n, false});
      result.push_back({"coverage", "targets at or below", static_cast<double>(covered_) / n, true});
    }
    return result;
  }

 private:
  std::shared_ptr<const Loss> pinball_;
  double squared_error_ = 0.0;
  double absolute_error_ = 0.0;
  double pinball_sum_ = 0.0;
  std::uint64_t covered_ = 0;
  double mean_ = 0.0;
  double scatter_ = 0.0;
};

class ClassEvaluation final : public Evaluation {
 public:
  explicit ClassEvaluation(const StreamOptions& options)
      : positive_class_(options.schema.target_scale().half_range > 0.0 ? options.schema.target_bounds().hi
                                                                       : options.schema.target_bounds().lo) {
    if (options.loss == "logistic") logistic_ = make_logistic_loss();
  }

  void add(double score, double target) override {
    ++rows_;
    const bool positive = target == positive_class_;
    if (positive) ++positives_;
    if ((score > 0.0) == positive) ++right_;
    if (logistic_) log_loss_ += logistic_->value(score, positive ? 1.0 : -1.0);
    scores_.emplace_back(score, positive);
  }

  std::vector<Figure> figures() override {
    const double n = rows_ == 0 ? kUndefined : static_cast<double>(rows_);
    std::vector<Figure> result{{"accuracy", "right answers", static_cast<double>(right_) / n, true}};
    if (logistic_) result.push_back({"log_loss", "log-loss", log_loss_ / n, false});
    result.push_back({"auc", "area under the ROC curve", area_under_roc(scores_), false});
    result.push_back({"positive_share", "positive class", static_cast<double>(positives_) / n, true});
    result.push_back(
        {"majority_share", "larger class", static_cast<double>(std::max(positives_, rows_ - positives_)) / n, true});
    return result;
  }

 private:
  double positive_class_;
  std::unique_ptr<Loss> logistic_;
  std::uint64_t positives_ = 0;
  std::uint64_t right_ = 0;
  double log_loss_ = 0.0;
  std::vector<std::pair<double, bool>> scores_;
};

}  // namespace

double area_under_roc(std::vector<std::pair<double, bool>>& scores) {
  if (std::any_of(scores.begin(), scores.end(), [](const auto& entry) { return std::isnan(entry.first); })) {
    return kUndefined;
  }
  std::sort(scores.begin(), scores.end());
  // Twice the number of pairs in the right order: whole, so that ties are exact.
  long double twice = 0.0L;
  std::uint64_t negatives_below = 0;
  std::uint64_t positives = 0;
  for (std::size_t begin = 0; begin < scores.size();) {
    std::uint64_t tied_negatives = 0;
    std::uint64_t tied_positives = 0;
    std::size_t end = begin;
    for (; end < scores.size() && scores[end].first == scores[begin].first; ++end) {
      ++(scores[end].second ? tied_positives : tied_negatives);
    }
    twice += static_cast<long double>(tied_positives) * static_cast<long double>(2 * negatives_below + tied_negatives);
    negatives_below += tied_negatives;
    positives += tied_positives;
    begin = end;
  }
  if (positives == 0 || negatives_below == 0) return kUndefined;
  const long double pairs = static_cast<long double>(positives) * static_cast<long double>(negatives_below);
  return static_cast<double>(twice / (2.0L * pairs));
}

std::unique_ptr<Evaluation> make_evaluation(const StreamOptions& options) {
  if (options.schema.has_classes()) return std::make_unique<ClassEvaluation>(options);
  return std::make_unique<NumberEvaluation>(options);
}

}  // namespace rivulet::cli
