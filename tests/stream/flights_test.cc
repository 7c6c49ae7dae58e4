// The table and the configuration that come with Rivulet, read the way `rivulet fit` reads them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "input/byte_source.h"
#include "input/csv.h"
#include "stream/config.h"

namespace rivulet::stream {
namespace {

const std::string kData = std::string(RIVULET_SOURCE_DIR) + "/data/";

TEST(Flights, TheConfigurationDeclaresSevenCoordinatesAndAnIntercept) {
  const FitConfig config = read_config(kData + "flights.toml");
  EXPECT_EQ(config.epsilon, 1.0);
  EXPECT_EQ(config.delta, 1e-6);
  EXPECT_EQ(config.release_every, 1000u);
  EXPECT_FALSE(config.horizon->is_known());
  EXPECT_EQ(build_schema(config).dimension(), 8u);
}

TEST(Flights, EveryFlightIsARowAndOnlyThoseWithoutAnArrivalAreUnusable) {
  input::FileSource source(kData + "flights.csv.gz");
  input::CsvRowSource rows(source, build_schema(read_config(kData + "flights.toml")));
  input::Row row;
  std::uint64_t unusable = 0;
  while (rows.next(row)) unusable += std::isnan(row.target) ? 1 : 0;
  EXPECT_EQ(rows.tally().rows, 336776u);
  EXPECT_EQ(rows.tally().missing, 9430u);
  EXPECT_EQ(rows.tally().unusable(), 9430u);
  EXPECT_EQ(unusable, 9430u);
  EXPECT_EQ(source.position(), *source.total_bytes());
}

}  // namespace
}  // namespace rivulet::stream
