// The demo behind `make run`: the NYC flights of 2013 as a stream, the private model as it grows, and, for comparison
// only, the fit without privacy beside it.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "input/byte_source.h"
#include "input/csv.h"
#include "not_private/exact_least_squares.h"
#include "rivulet/priv_inc_reg1.h"
#include "request/toml_file.h"

namespace {

using namespace rivulet;

void print_row(PrivIncReg1& regression, not_private::ExactLeastSquares& exact) {
  const Model model = regression.model();
  const Model plain = exact.model();
  std::printf("%10llu %9llu %12.4f %12.4f %9.4f   | %12.4f %12.4f %9.4f\n", static_cast<unsigned long long>(model.rows),
              static_cast<unsigned long long>(model.step), model.coefficients[0].value, model.intercept,
              exact.r_squared(model.theta), plain.coefficients[0].value, plain.intercept, exact.r_squared(plain.theta));
}

int run(const std::string& data, const std::string& config_path) {
  const StreamOptions options = request::read_request(request::read_toml_file(config_path));
  PrivIncReg1 regression(options);
  not_private::ExactLeastSquares exact(options.schema, options.constraint);

  std::printf("\nThe model getting better as the stream grows (epsilon %g, delta %g for all releases together)\n\n",
              options.budget.epsilon, options.budget.delta);
  std::printf("%58s | NOT PRIVATE, in this demo only: plain least\n", "PRIVATE: what Rivulet publishes");
  std::printf("%58s | squares on the same rows; both R^2 columns\n", "");
  std::printf("%10s %9s %12s %12s %9s   | %12s %12s %9s\n", "rows", "release",
              options.schema.features()[0].name.c_str(), "intercept", "R^2 *",
              options.schema.features()[0].name.c_str(), "intercept", "R^2 *");

  input::FileSource source(data);
  input::CsvRowSource rows(source, options.schema);
  input::Row row;
  std::uint64_t next = 4 * options.release_every;
  while (rows.next(row)) {
    exact.observe(row.values, row.target);
    if (regression.observe(row.values, row.target) && regression.released_rows() >= next) {
      print_row(regression, exact);
      next *= 2;
    }
  }
  if (regression.flush() || regression.step() > 0) print_row(regression, exact);
  std::printf(
      "\n* R^2 on all rows so far, computed from the rows themselves: exact, and for that reason never published by "
      "Rivulet.\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: flights_demo FLIGHTS.csv.gz FLIGHTS.toml\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flights_demo: %s\n", error.what());
    return 1;
  }
}
