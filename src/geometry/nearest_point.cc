#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/polytope.h"

namespace rivulet::geometry {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// An entry of a residual below this is rounding: the point is in the hull.
constexpr double kNothing = 4.0 * kEpsilon;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Vertices with weights, and the QR factors of their differences: each from the nearest of those before it, its anchor.
// Everything is computed from differences, so that entries in which the vertices agree cancel exactly, however large
// the point's are, and the direction between two vertices that nearly coincide has all its digits.
class Corral {
 public:
  explicit Corral(const Hull& hull) : hull_(&hull) {}

  [[nodiscard]] std::span<const double> first_vertex() const { return hull_->vertex(members_.front()); }
  [[nodiscard]] bool holds(std::size_t vertex) const {
    return std::find(members_.begin(), members_.end(), vertex) != members_.end();
  }

  // With weight 0, or 1 for the first. False when the vertex lies in the affine hull of the others up to rounding.
  bool add(std::size_t vertex) {
    if (!members_.empty() && !append_column(vertex, members_.size())) return false;
    weights_.push_back(members_.empty() ? 1.0 : 0.0);
    members_.push_back(vertex);
    return true;
  }

  // The weighted combination.
  void write(std::span<double> out) const {
    const auto base = first_vertex();
    std::copy(base.begin(), base.end(), out.begin());
    for (std::size_t k = 1; k < members_.size(); ++k) {
      const auto vertex = hull_->vertex(members_[k]);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += weights_[k] * (vertex[i] - base[i]);
    }
  }

  // The part of a vector across the affine hull: for the residual of the nearest point all of it, but for rounding,
  // which this takes away.
  void leave_across(std::span<double> vector) const {
    for (int round = 0; round < 2; ++round) {
      for (const std::vector<double>& column : columns_) {
        const double part = dot(column, vector);
        for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= part * column[i];
      }
    }
  }

  // Toward the nearest point of the affine hull, from the combination whose residual is given: all the way when no
  // weight turns negative on it (true), else up to where the first one does, which is dropped. Adds the way gone to
  // `moved`, which has digits that the rounded point has not. `broken` when the vertices left cannot be told from
  // dependent ones.
  bool step(std::span<const double> residual, std::span<double> moved, bool& broken) {
    std::vector<double> way(residual.size(), 0.0);
    const std::vector<double> change = affine_change(residual, way);
    double length = 1.0;
    std::size_t first = members_.size();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (weights_[k] + change[k] > 0.0 || change[k] >= 0.0) continue;
      const double limit = weights_[k] / -change[k];
      if (first == members_.size() || limit < length) {
        length = std::min(1.0, limit);
        first = k;
      }
    }
    for (std::size_t k = 0; k < members_.size(); ++k) weights_[k] = std::max(0.0, weights_[k] + length * change[k]);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += length * way[i];
    if (first == members_.size()) return true;
    drop(first, broken);
    return false;
  }

 private:
  // The least-squares solution of sum_k c_k (v_k - anchor of v_k) = residual, as changes of the weights; the sum goes
  // to `way`.
  [[nodiscard]] std::vector<double> affine_change(std::span<const double> residual, std::span<double> way) const {
    const std::size_t n = columns_.size();
    std::vector<double> rest(residual.begin(), residual.end());
    std::vector<double> solution(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      solution[k] = dot(columns_[k], rest);
      for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i] -= solution[k] * columns_[k][i];
        way[i] += solution[k] * columns_[k][i];
      }
    }
    std::vector<double> change(n + 1, 0.0);
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t j = k + 1; j < n; ++j) solution[k] -= upper_[j][k] * solution[j];
      solution[k] /= upper_[k][k];
      change[k + 1] += solution[k];
      change[anchors_[k]] -= solution[k];
    }
    return change;
  }

  // The place among the members of the one nearest to the vertex.
  [[nodiscard]] std::size_t nearest_member(std::size_t vertex, std::size_t members) const {
    const auto added = hull_->vertex(vertex);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < members; ++k) {
      const auto member = hull_->vertex(members_[k]);
      double squares = 0.0;
      for (std::size_t i = 0; i < added.size(); ++i) squares += (added[i] - member[i]) * (added[i] - member[i]);
      if (squares < least) {
        least = squares;
        best = k;
      }
    }
    return best;
  }

  // For a vertex that stands, or is to stand, behind the first `members`. Gram-Schmidt, twice.
  bool append_column(std::size_t vertex, std::size_t members) {
    const std::size_t anchor = nearest_member(vertex, members);
    const auto from = hull_->vertex(members_[anchor]);
    const auto to = hull_->vertex(vertex);
    std::vector<double> column(from.size());
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = to[i] - from[i];
    const double before = std::sqrt(dot(column, column));
    std::vector<double> coefficients(columns_.size() + 1, 0.0);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const double part = dot(columns_[k], column);
        coefficients[k] += part;
        for (std::size_t i = 0; i < column.size(); ++i) column[i] -= part * columns_[k][i];
      }
    }
    const double after = std::sqrt(dot(column, column));
    if (!(after > 1e-13 * before)) return false;
    coefficients.back() = after;
    for (double& entry : column) entry /= after;
    columns_.push_back(std::move(column));
    upper_.push_back(std::move(coefficients));
    anchors_.push_back(anchor);
    return true;
  }

  void drop(std::size_t position, bool& broken) {
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(position));
    weights_.erase(weights_.begin() + static_cast<std::ptrdiff_t>(position));
    // Columns before the dropped vertex stay what they are: none of them is anchored there. Without the first vertex,
    // none stays.
    const std::size_t kept = position == 0 ? 0 : position - 1;
    columns_.resize(kept);
    upper_.resize(kept);
    anchors_.resize(kept);
    for (std::size_t k = kept + 1; k < members_.size(); ++k) broken = broken || !append_column(members_[k], k);
  }

  const Hull* hull_;
  std::vector<std::size_t> members_;
  std::vector<double> weights_;
  std::vector<std::vector<double>> columns_;  // orthonormal
  std::vector<std::vector<double>> upper_;    // upper_[k][j]: share of column j in the difference of member k + 1
  std::vector<std::size_t> anchors_;          // of member k + 1: its place
};

class Search {
 public:
  Search(const Hull& hull, std::span<const double> from)
      : hull_(hull), from_(from), corral_(hull), point_(from.size()), residual_(from.size()), across_(from.size()) {
    corral_.add(nearest_vertex());
    look(corral_, point_, residual_);
    across_ = residual_;
  }

  NearestPoint run() {
    const std::size_t most = 1000 + 20 * (hull_.dimension + hull_.count());
    for (std::size_t additions = 0; additions < most && improve(); ++additions) {
    }
    return {point_, across_, distance()};
  }

 private:
  [[nodiscard]] double distance() const { return std::sqrt(dot(across_, across_)); }

  [[nodiscard]] std::size_t nearest_vertex() const {
    std::size_t best = 0;
    double best_value = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < hull_.count(); ++j) {
      const auto vertex = hull_.vertex(j);
      const double value = dot(vertex, from_) - 0.5 * dot(vertex, vertex);
      if (value > best_value) {
        best_value = value;
        best = j;
      }
    }
    return best;
  }

  void look(const Corral& corral, std::span<double> point, std::span<double> residual) const {
    corral.write(point);
    for (std::size_t i = 0; i < point.size(); ++i) residual[i] = from_[i] - point[i];
  }

  // The vertices beyond the plane through the point and across the residual, by more than rounding can explain, the
  // farthest first. The residual is cleared of what lies along the corral: in a thin hull that noise would hide a
  // vertex.
  [[nodiscard]] std::vector<std::pair<double, std::size_t>> promising() const {
    const double unit = (4.0 + std::sqrt(static_cast<double>(point_.size()))) * kEpsilon;
    const auto base = corral_.first_vertex();
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t j = 0; j < hull_.count(); ++j) {
      const auto vertex = hull_.vertex(j);
      double gain = 0.0;
      double doubt = 0.0;
      for (std::size_t i = 0; i < point_.size(); ++i) {
        const double product = across_[i] * (vertex[i] - base[i]);
        gain += product;
        doubt += std::abs(product);
      }
      if (gain > unit * doubt) found.emplace_back(gain, j);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
    return found;
  }

  // One vertex more, then as few as needed. False when nothing comes nearer.
  bool improve() {
    if (distance() <= kNothing * std::sqrt(static_cast<double>(point_.size()))) return false;
    for (const auto& [gain, vertex] : promising()) {
      if (corral_.holds(vertex)) continue;  // rounding of the weights: nothing to win there
      Corral trial = corral_;
      if (!trial.add(vertex)) continue;
      std::vector<double> point(point_);
      std::vector<double> residual(residual_);
      std::vector<double> moved(point_.size(), 0.0);
      bool broken = false;
      while (!trial.step(residual, moved, broken) && !broken) look(trial, point, residual);
      if (broken) continue;
      look(trial, point, residual);
      std::vector<double> across(residual);
      trial.leave_across(across);
      // The square of the distance must have fallen; from differences, because far away it hardly moves.
      double nearer = 0.0;
      for (std::size_t i = 0; i < point.size(); ++i) nearer += moved[i] * (across_[i] + across[i]);
      if (!(nearer > 0.0)) continue;
      corral_ = std::move(trial);
      point_ = std::move(point);
      residual_ = std::move(residual);
      across_ = std::move(across);
      return true;
    }
    return false;
  }

  const Hull& hull_;
  std::span<const double> from_;
  Corral corral_;
  std::vector<double> point_;
  std::vector<double> residual_;  // from_ - point_
  std::vector<double> across_;    // the same without its part along the corral
};

}  // namespace

NearestPoint nearest_point(const Hull& hull, std::span<const double> from) {
  return Search(hull, from).run();
}

}  // namespace rivulet::geometry
