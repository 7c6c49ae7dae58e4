// PrivIncReg1: private incremental linear regression.
//
// Rows arrive one at a time; after every `release_every` rows the model of everything seen so far may be published. All
// publications together are (epsilon, delta)-differentially private for every row, for as long as the stream lasts.
//
//   rivulet::PrivIncReg1::Options options;
//   options.budget = {.epsilon = 1.0, .delta = 1e-6};
//   options.schema.feature("age", {18, 90}).feature("income", {0, 200000}).target("spend", {0, 5000});
//   options.release_every = 100;
//   rivulet::PrivIncReg1 regression(options);
//   for (const auto& person : people) {
//     if (regression.observe(std::array{person.age, person.income}, person.spend)) publish(regression.model());
//   }
//
// Error. With noise level sigma_t (see Model::noise) the excess empirical risk over the constraint set K is, with high
// probability, O(sigma_t ||K|| w(K)), w the Gaussian width; it grows with the logarithm of the stream, not with its
// length. Memory: O(d^2), independent of the number of rows and steps (tree, hybrid: times the logarithm of the steps).
// Time: O(d^2) a row and a step; model() solves only when called. Not thread-safe; RowBatch gathers rows on other
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/budget.h"
#include "rivulet/model.h"
#include "rivulet/schema.h"
#include "rivulet/statistics.h"

namespace rivulet {

namespace privacy {
class MechanismPlan;
struct PlanDecisions;
}  // namespace privacy
struct RegressionState;

// Rows gathered on another thread or in another order. It can be filled and merged; nothing can be read from it. A
// moved-from batch may only be assigned to or destroyed.
class RowBatch {
 public:
  RowBatch(RowBatch&&) noexcept;
  RowBatch& operator=(RowBatch&&) noexcept;
  ~RowBatch();

  void observe(std::span<const double> values, double target);
  // Takes the other's rows over and leaves it empty.
  void merge(RowBatch&& other);
  [[nodiscard]] std::uint64_t rows() const;

 private:
  friend class PrivIncReg1;
  struct Inside;
  explicit RowBatch(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

class PrivIncReg1 {
 public:
  // How the noisy objective is minimised. Post-processing: changes accuracy and speed, never privacy.
  enum class Solver {
    by_profile,       // fast for `tight`, noisy_proj_grad for `paper`
    fast,             // exact or accelerated, with a noise-aware ridge
    noisy_proj_grad,  // the paper's algorithm as written
  };

  struct Options {
    Budget budget;
    Schema schema;
    Neighbours neighbours = Neighbours::replace;
    std::optional<PrivacyUnit> unit;   // one row unless given
    std::vector<std::string> only_if;  // the set G: conditions a row must meet to be used (see domain.h)
    Profile profile = Profile::tight;
    Horizon horizon = Horizon::unbounded();
    std::uint64_t release_every = 1;
    std::optional<StrategyKind> strategy;       // blt for `tight`, tree for `paper`
    std::optional<unsigned> buffers;            // of the blt strategy
    std::optional<TreeDecoding> tree_decoding;  // optimal for `tight`, paper for `paper`
    std::string constraint = "l2:2";            // on the coefficients in box units (see schema.h)
    Solver solver = Solver::by_profile;
    bool noise_aware_ridge = true;  // fast solver only
    // Deterministic noise, for tests and experiments only: an output made with it is NOT private.
    std::optional<std::uint64_t> insecure_seed;
  };

  // Throws RequestError, before any row is seen, when the request cannot be honoured.
  explicit PrivIncReg1(const Options& options);
  PrivIncReg1(PrivIncReg1&&) noexcept;
  PrivIncReg1& operator=(PrivIncReg1&&) noexcept;
  PrivIncReg1(const PrivIncReg1&) = delete;  // a copy would publish the same steps twice
  PrivIncReg1& operator=(const PrivIncReg1&) = delete;
  ~PrivIncReg1();

  // Takes one row: schema().row_width() values in schema order and the target, in the user's units; NaN marks a missing
  // value. A row that cannot be used counts as a zero row. Returns true when the row completed a step, so that a new
  // release is out. Throws HorizonExceeded, taking nothing, when the promised steps are used up; RequestError on a row
  // of the wrong width.
  bool observe(std::span<const double> values, double target);
  // The same when the promise is for units: `unit` identifies the row's. An empty one makes the row a zero row.
  bool observe(std::span<const double> values, double target, std::string_view unit);
  // Row-major values (rows x row_width()). Returns the number of releases made.
  std::uint64_t observe_many(std::span<const double> values, std::span<const double> targets);

  // A batch for this stream, and taking one in: it must fit the current step. Not when the promise is for units.
  [[nodiscard]] RowBatch make_batch() const;
  bool absorb(RowBatch batch);

  // Ends a step early, e.g. at the end of the input. Returns false, doing nothing, when no row has come since the last
  // step.
  bool flush();

  // Releases so far.
  [[nodiscard]] std::uint64_t step() const;
  // Rows in those releases; rows of the step under way are not among them.
  [[nodiscard]] std::uint64_t released_rows() const;
  // Private statistics and the model as of the last release. step() must be at least 1.
  [[nodiscard]] Statistics statistics() const;
  [[nodiscard]] Model model();

  [[nodiscard]] const Options& options() const;
  // The mechanism's public description (noise, sensitivity, accounting): what `rivulet plan` prints. Its type is
  // internal to Rivulet.
  [[nodiscard]] const privacy::MechanismPlan& plan() const;

  // For the operator's eyes only: an exact count of rows that could not be used. NOT private; never publish it.
  [[nodiscard]] std::uint64_t unusable_rows_for_operator() const;
  // Those among them that came after their unit's last row that counts.
  [[nodiscard]] std::uint64_t over_limit_rows_for_operator() const;
  // Rows of the step under way.
  [[nodiscard]] std::uint64_t waiting_rows() const;

 private:
  // Going on from a saved state is for the model file alone: it sees to it that no step is published twice.
  friend class DurableRegression;
  PrivIncReg1(const Options& options, const privacy::PlanDecisions& decisions);
  void save(RegressionState& out);
  void restore(const RegressionState& state);

  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet
