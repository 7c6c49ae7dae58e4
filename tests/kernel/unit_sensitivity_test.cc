// How far one unit can move everything that is published: streams that agree in all rows but one unit's, through the
// real limit and the real kernel, without noise. docs/privacy.md, "Privacy units", has the definition and the proof.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernel/kernel.h"
#include "privacy/calibration.h"
#include "rivulet/error.h"
#include "strategy/tree.h"
#include "support/released.h"
#include "support/zero_noise.h"

namespace rivulet::kernel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kSteps = 8;
constexpr std::uint64_t kRowsPerStep = 4;
constexpr std::size_t kNobodys = std::numeric_limits<std::size_t>::max();  // a row without an identifier

using Contents = std::vector<std::vector<double>>;  // x and y
using Release = std::vector<Int128>;

// Every row of a small lattice, and an unusable one.
Contents one_covariate() {
  Contents contents{{kNan, 0.0}};
  for (const double x : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    for (const double y : {-1.0, 0.0, 1.0}) contents.push_back({x, y});
  }
  return contents;
}

// Six directions of full length with either label, two shorter rows and an unusable one.
Contents two_covariates() {
  Contents contents{{0.0, kNan, 0.0}, {0.6, -0.6, 1.0}, {0.0, 0.0, -1.0}};
  for (int sixth = 0; sixth < 6; ++sixth) {
    const double angle = sixth * std::acos(0.5);
    for (const double y : {-1.0, 1.0}) contents.push_back({std::cos(angle), std::sin(angle), y});
  }
  return contents;
}

privacy::MechanismRequest request_for(StrategyKind kind, Neighbours neighbours, std::size_t dimension,
                                      std::uint64_t rows_per_unit, Profile profile = Profile::tight) {
  privacy::MechanismRequest request;
  request.neighbours = neighbours;
  request.profile = profile;
  request.strategy.kind = kind;
  request.strategy.horizon = Horizon::known(kSteps);
  request.dimension = dimension;
  request.rows_per_step = kRowsPerStep;
  request.units = true;
  request.rows_per_unit = rows_per_unit;
  // s near 1 where that makes room for orthogonal rows, and s^2 = 1/2 for rows at sixty degrees.
  request.diameter = dimension == 1 ? 1e-3 : 1.0;
  return request;
}

// Streams that agree in all rows but those at `places`.
class Neighbourhood {
 public:
  Neighbourhood(const privacy::MechanismRequest& request, std::vector<std::size_t> places, Contents contents)
      : plan_(request), places_(std::move(places)), contents_(std::move(contents)) {
    NoisyStep step;
    Kernel kernel(plan_, Schema::unit_ball(request.dimension), std::make_unique<testing::ZeroNoise>());
    for (std::uint64_t t = 1; t <= kSteps; ++t) {
      kernel.close_step(step);
      const double widening =
          request.strategy.kind == StrategyKind::hybrid ? std::sqrt(strategy::hybrid_position(t).levels) : 1.0;
      for (std::size_t vector = 0; vector < step.vectors.size(); ++vector) {
        const privacy::ReleaseLayout& layout = plan_.layout();
        for (std::size_t i = 0; i < layout.size(); ++i) {
          const double sigma = i < layout.offdiagonal_begin() ? plan_.sigmas().gram_diagonal
                               : i < layout.cross_begin()     ? plan_.sigmas().gram_offdiagonal
                               : i < layout.target_square()   ? plan_.sigmas().cross
                                                              : plan_.sigmas().target_square;
          sigmas_.push_back(sigma * widening);
        }
      }
    }
  }

  // Everything published when the unit's i-th place holds contents_[chosen[i]], or a row of nobody's.
  [[nodiscard]] Release publish(const std::vector<std::size_t>& chosen, const std::string& unit = "subject") const {
    Kernel kernel(plan_, Schema::unit_ball(plan_.layout().dimension), std::make_unique<testing::ZeroNoise>());
    Release all;
    NoisyStep step;
    for (std::size_t row = 0; row < kSteps * kRowsPerStep; ++row) {
      const auto place = std::find(places_.begin(), places_.end(), row);
      if (place == places_.end()) {
        // Others, some of whom have more rows than count.
        const double angle = static_cast<double>(row);
        std::vector<double> values(plan_.layout().dimension, 0.4 * std::cos(angle));
        kernel.observe(values, std::sin(angle), "other " + std::to_string(row % 7));
      } else {
        const std::size_t choice = chosen[static_cast<std::size_t>(place - places_.begin())];
        const std::vector<double>& content = contents_[choice == kNobodys ? 1 : choice];
        kernel.observe({content.data(), content.size() - 1}, content.back(), choice == kNobodys ? "" : unit);
      }
      if (!kernel.step_is_full()) continue;
      kernel.close_step(step);
      for (const NoisyVector& vector : step.vectors) all.insert(all.end(), vector.values.begin(), vector.values.end());
    }
    return all;
  }

  // In units of the noise.
  [[nodiscard]] double distance(const Release& a, const Release& b) const {
    double squared = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double moved = static_cast<double>(a[i] - b[i]) / sigmas_[i];
      squared += moved * moved;
    }
    return std::sqrt(squared);
  }

  // Over all pairs of what may stand at the places: for zero_out, one of the two is nothing.
  [[nodiscard]] double farthest() const {
    std::vector<Release> releases;
    std::vector<std::size_t> chosen(places_.size(), kNobodys);
    const std::size_t choices = contents_.size() + 1;
    std::size_t count = 1;
    for (std::size_t i = 0; i < places_.size(); ++i) count *= choices;
    for (std::size_t number = 0; number < count; ++number) {
      std::size_t rest = number;
      for (std::size_t& choice : chosen) {
        choice = rest % choices == 0 ? kNobodys : rest % choices - 1;
        rest /= choices;
      }
      releases.push_back(publish(chosen));
    }
    const bool zero_out = plan_.request().neighbours == Neighbours::zero_out;
    double largest = 0.0;
    for (std::size_t i = 0; i < releases.size(); ++i) {
      for (std::size_t j = 0; j < (zero_out ? std::min<std::size_t>(i, 1) : i); ++j) {
        largest = std::max(largest, distance(releases[i], releases[j]));
      }
    }
    return largest;
  }

  [[nodiscard]] const privacy::MechanismPlan& plan() const { return plan_; }

 private:
  privacy::MechanismPlan plan_;
  std::vector<std::size_t> places_;
  Contents contents_;
  std::vector<double> sigmas_;  // of a Release's entries
};

class UnitSensitivity : public ::testing::TestWithParam<std::tuple<StrategyKind, Neighbours>> {
 protected:
  [[nodiscard]] Neighbourhood around(std::size_t dimension, std::uint64_t rows_per_unit,
                                     std::vector<std::size_t> places, Contents contents) const {
    const auto& [kind, neighbours] = GetParam();
    return {request_for(kind, neighbours, dimension, rows_per_unit), std::move(places), std::move(contents)};
  }
};

TEST_P(UnitSensitivity, TwoRowsOfAUnitNeverMoveMoreThanThePlanCountsAndReachItInOneStep) {
  for (const std::size_t dimension : {1U, 2U}) {
    const Contents contents = dimension == 1 ? one_covariate() : two_covariates();
    // In one step (the first, and another), in neighbouring steps, far apart, and at the end.
    for (const std::vector<std::size_t>& places :
         {std::vector<std::size_t>{0, 1}, {17, 19}, {2, 4}, {3, 28}, {27, 31}}) {
      const Neighbourhood streams = around(dimension, 2, places, contents);
      const double farthest = streams.farthest();
      EXPECT_LE(farthest, streams.plan().mu() * (1.0 + 1e-9)) << dimension << " " << places[0];
      if (places[0] == 0) {
        EXPECT_GE(farthest, streams.plan().mu() * 0.99) << dimension;
      }
    }
  }
}

TEST_P(UnitSensitivity, NeitherDoRowsThatCountAtOtherPlacesOfTheOtherStream) {
  // More places than count, each with a row of the unit's or of nobody's: in one stream the first two may count, in the
  // other the last two. Rows of full length, pairwise orthogonal or alike.
  const Contents first{{1.0, 0.0, 1.0}, {0.5, std::sqrt(0.75), -1.0}};
  const Contents second{{1.0, 1.0}, {1.0, -1.0}};
  for (const std::vector<std::size_t>& places :
       {std::vector<std::size_t>{0, 1, 2, 3}, {0, 1, 4, 5}, {0, 5, 10, 15}, {3, 4, 27, 31}}) {
    for (const std::uint64_t rows_per_unit : {1U, 2U, 3U}) {
      for (const std::size_t dimension : {1U, 2U}) {
        const Neighbourhood streams = around(dimension, rows_per_unit, places, dimension == 1 ? second : first);
        EXPECT_LE(streams.farthest(), streams.plan().mu() * (1.0 + 1e-9)) << rows_per_unit << " " << places[1];
      }
    }
  }
}

TEST_P(UnitSensitivity, RowsPastTheLimitChangeNothingBitForBit) {
  const Contents contents = two_covariates();
  const Neighbourhood streams = around(2, 2, {1, 6, 7, 20, 30}, contents);
  // Two that count, the second of them unusable; then any three.
  const Release expected = streams.publish({3, 0, kNobodys, kNobodys, kNobodys});
  for (std::size_t a = 0; a < contents.size(); ++a) {
    for (std::size_t b = 0; b < contents.size(); ++b) {
      ASSERT_TRUE(streams.publish({3, 0, a, b, (a + b) % contents.size()}) == expected) << a << " " << b;
      ASSERT_TRUE(streams.publish({3, 0, a, kNobodys, b}) == expected) << a << " " << b;
    }
  }
}

TEST_P(UnitSensitivity, TheIdentifierItselfMovesNothing) {
  const Neighbourhood streams = around(2, 2, {1, 6, 7}, two_covariates());
  EXPECT_TRUE(streams.publish({3, 4, 5}, "subject") == streams.publish({3, 4, 5}, "somebody else"));
  // Whereas a unit that is elsewhere in the stream is another matter: no neighbour.
  EXPECT_FALSE(streams.publish({3, 4, 5}, "subject") == streams.publish({3, 4, 5}, "other 3"));
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, UnitSensitivity,
                         ::testing::Combine(::testing::Values(StrategyKind::blt, StrategyKind::tree,
                                                              StrategyKind::hybrid),
                                            ::testing::Values(Neighbours::replace, Neighbours::zero_out)));

TEST(UnitSensitivity, HoldsForTheConstantsOfThePaperToo) {
  for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
    for (const std::vector<std::size_t>& places : {std::vector<std::size_t>{0, 1}, {0, 4}, {3, 28}}) {
      const Neighbourhood streams(request_for(StrategyKind::tree, neighbours, 2, 2, Profile::paper), places,
                                  two_covariates());
      EXPECT_LE(streams.farthest(), streams.plan().mu() * (1.0 + 1e-9));
      if (places[1] == 1) {
        EXPECT_GE(streams.farthest(), streams.plan().mu() * 0.99);
      }
    }
  }
}

}  // namespace
}  // namespace rivulet::kernel
