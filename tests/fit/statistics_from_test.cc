// The layout of a release, spelt out entry by entry for three coordinates.
#include <gtest/gtest.h>

#include "fit/mechanism.h"
#include "fit/model_fitter.h"
#include "rivulet/error.h"

namespace rivulet::fit {
namespace {

// Repeats what it is given: coordinate k of the release is prefix(k), with a noise norm of 2.
class EchoDecoder final : public strategy::Decoder {
 public:
  explicit EchoDecoder(std::size_t coordinates) : Decoder(coordinates) {}
  [[nodiscard]] double norm() const override { return 2.0; }

 private:
  void decode(const NoisyStep& step) override { whole_ = step.vectors.front().values; }
  void save_more(ByteWriter& /*out*/) const override {}
  void restore_more(std::uint64_t /*step*/, ByteReader& /*in*/) override {}
};

privacy::MechanismPlan plan_for(Profile profile) {
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema = Schema::unit_ball(3);
  options.profile = profile;
  options.horizon = Horizon::known(16);
  return privacy::MechanismPlan(mechanism_request(with_defaults(options)));
}

NoisyStep counting_step(std::size_t size) {
  NoisyStep step{.step = 1, .rows = 17, .vectors = {NoisyVector{}}};
  for (std::size_t k = 0; k < size; ++k) step.vectors.front().values.push_back(static_cast<Int128>(100 + k));
  return step;
}

TEST(Statistics, EveryEntryComesFromItsPlaceInTheRelease) {
  const privacy::MechanismPlan plan = plan_for(Profile::tight);
  EchoDecoder decoder(10);
  decoder.absorb(counting_step(10));
  Statistics statistics;
  read_statistics(plan, decoder, 17, statistics);
  EXPECT_EQ(statistics.step, 1u);
  EXPECT_EQ(statistics.rows, 17u);
  EXPECT_EQ(statistics.dimension, 3u);
  const double unit = plan.lattice_unit();
  // Diagonal 100..102, then (0,1), (0,2), (1,2) as 103..105.
  const std::vector<double> places = {100, 103, 104, 103, 101, 105, 104, 105, 102};
  ASSERT_EQ(statistics.gram.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(statistics.gram[i], places[i] * unit) << i;
  const double scale = plan.limits().target_scale();
  ASSERT_EQ(statistics.cross.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(statistics.cross[i] * scale, (106.0 + static_cast<double>(i)) * unit) << i;
  }
  EXPECT_TRUE(statistics.has_target_square);
  EXPECT_DOUBLE_EQ(statistics.target_square * scale * scale, 109.0 * unit);
}

TEST(Statistics, TheNoiseIsThePlansTimesTheDecodersNorm) {
  const privacy::MechanismPlan plan = plan_for(Profile::tight);
  EchoDecoder decoder(10);
  decoder.absorb(counting_step(10));
  Statistics statistics;
  read_statistics(plan, decoder, 17, statistics);
  const double unit = plan.lattice_unit();
  const double scale = plan.limits().target_scale();
  EXPECT_DOUBLE_EQ(statistics.noise.gram_diagonal, 2.0 * plan.sigmas().gram_diagonal * unit);
  EXPECT_DOUBLE_EQ(statistics.noise.gram_offdiagonal, 2.0 * plan.sigmas().gram_offdiagonal * unit);
  EXPECT_DOUBLE_EQ(statistics.noise.cross, 2.0 * plan.sigmas().cross * unit / scale);
  EXPECT_DOUBLE_EQ(statistics.target_square_stddev, 2.0 * plan.sigmas().target_square * unit / (scale * scale));
}

TEST(Statistics, ThePapersProfileHasNoTargetSquareAndMemoryOfAnotherShapeIsOverwritten) {
  const privacy::MechanismPlan plan = plan_for(Profile::paper);
  EchoDecoder decoder(9);
  decoder.absorb(counting_step(9));
  Statistics statistics;
  statistics.gram.assign(100, -1.0);
  statistics.cross.assign(10, -1.0);
  read_statistics(plan, decoder, 17, statistics);
  EXPECT_FALSE(statistics.has_target_square);
  ASSERT_EQ(statistics.gram.size(), 9u);
  ASSERT_EQ(statistics.cross.size(), 3u);
  EXPECT_EQ(statistics.gram[5], 105.0 * plan.lattice_unit());
  EXPECT_EQ(statistics.gram[7], 105.0 * plan.lattice_unit());
}

TEST(Statistics, ThereAreNoneBeforeTheFirstStep) {
  const EchoDecoder decoder(10);
  Statistics statistics;
  EXPECT_THROW(read_statistics(plan_for(Profile::tight), decoder, 0, statistics), Error);
}

}  // namespace
}  // namespace rivulet::fit
