// The table and the configuration that come with Rivulet, read the way `rivulet fit` reads them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "input/byte_source.h"
#include "request/toml_file.h"
#include "input/csv.h"

namespace rivulet::input {
namespace {

const std::string kData = std::string(RIVULET_SOURCE_DIR) + "/data/";

TEST(Flights, TheConfigurationDeclaresSevenCoordinatesAndAnIntercept) {
  const StreamOptions request = request::read_request(request::read_toml_file(kData + "flights.toml"));
  EXPECT_EQ(request.budget.epsilon, 1.0);
  EXPECT_EQ(request.budget.delta, 1e-6);
  EXPECT_EQ(request.release_every, 1000u);
  EXPECT_FALSE(request.horizon.is_known());
  EXPECT_EQ(request.schema.dimension(), 8u);
}

TEST(Flights, EveryFlightIsARowAndOnlyThoseWithoutAnArrivalAreUnusable) {
  FileSource source(kData + "flights.csv.gz");
  CsvRowSource rows(source, request::schema_from(request::read_toml_file(kData + "flights.toml")));
  Row row;
  std::uint64_t unusable = 0;
  while (rows.next(row)) unusable += std::isnan(row.target) ? 1 : 0;
  EXPECT_EQ(rows.tally().rows, 336776u);
  EXPECT_EQ(rows.tally().missing, 9430u);
  EXPECT_EQ(rows.tally().unusable(), 9430u);
  EXPECT_EQ(unusable, 9430u);
  EXPECT_EQ(source.position(), *source.total_bytes());
}

}  // namespace
}  // namespace rivulet::input
