// Another model from statistics that are already public: another constraint, solver, regularisation, or fewer features.
// Post-processing: it costs no privacy and needs no rows.
//
//   rivulet::Refit::Options options;
//   options.constraint = "l1:1";
//   options.features = std::vector<std::string>{"age", "income"};
//   rivulet::Refit refit(regression.options(), options);
//   const rivulet::Model smaller = refit.fit(regression.statistics());
//
// A model is a pure function of the statistics, the options and, with a sketch, of where its search begins: the same
// ones give the same bits, at any time and in any order. Time: as IncrementalRegression::model(), microseconds for ten
// features.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rivulet/incremental_regression.h"
#include "rivulet/model.h"
#include "rivulet/schema.h"

namespace rivulet {

// Not thread-safe: it keeps memory between calls. Any number of objects may work side by side. A moved-from one may
// only be assigned to or destroyed.
class Refit {
 public:
  struct Options {
    // On the coefficients in box units of the whole stream (see schema.h), in the dimension of the chosen coordinates.
    std::string constraint = "l2:2";
    Solver solver = Solver::fast;
    std::optional<std::vector<std::string>> features;  // in any order; all unless given
    // Of the fast solver; noisy_proj_grad has none.
    //   "auto"          by the known noise, nothing where the constraint set alone controls it (L1)
    //   "none"
    //   "ridge:LAMBDA"  LAMBDA > 0 added to every diagonal entry of the Gram matrix in unit-ball units, the intercept's
    //                   included: as much as LAMBDA rows of norm 1 along each coordinate with target 0, so it fades as
    //                   rows come in
    std::string regularisation = "auto";
    // Of a logistic stream's surrogate, StreamOptions::surrogate_margin; the stream's own unless given.
    std::optional<double> surrogate_margin{};
  };

  // The settings the stream itself uses: fit() then gives IncrementalRegression::model() bit for bit. Throws
  // RequestError where the stream's own settings contradict each other.
  static Options settings_of(const StreamOptions& stream);

  // `stream` is what the statistics were made with. Throws RequestError naming the field: a stream of PrivIncERM, whose
  // releases have no statistics, an unknown feature, a
  // constraint or regularisation that cannot be read, a ridge with noisy_proj_grad, or noisy_proj_grad for a stream
  // without a known horizon, on which its number of iterations depends.
  Refit(const StreamOptions& stream, const Options& options);
  // The same with the plan the stream was made with (IncrementalRegression::plan(), ReleaseLog::plan()), in case a
  // later version would plan otherwise.
  Refit(const StreamOptions& stream, const Options& options, const fit::StreamPlan& plan);
  Refit(Refit&&) noexcept;
  Refit& operator=(Refit&&) noexcept;
  ~Refit();

  // Of the chosen features: what fit()'s models predict from.
  [[nodiscard]] const Schema& schema() const;
  // The part of the statistics that concerns them, with the same noise. Both take statistics of the whole stream and
  // throw RequestError on statistics of another shape.
  [[nodiscard]] Statistics select(const Statistics& statistics) const;
  // With a sketch the search for a model begins at `start`, a solution (Model::theta) or nothing, and the model depends
  // on it in the last digits, where the objective is not convex perhaps in more: the one published at a step began at
  // the one of the step before.
  [[nodiscard]] Model fit(const Statistics& statistics, std::span<const double> start = {});

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet
