// The exact state a stream of rows must leave in a model file, worked out apart from everything that stores or resumes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rivulet::cli_testing {

// A row of the request fit_flags(): x, z, kind and y; unusable ones stand as "NA" in the text.
struct ExactRow {
  double x = 0.0;
  double z = 0.0;
  char kind = 'a';
  double y = 0.0;
  bool usable = true;
};

// One row in 50 is unusable. Numbers are short in binary, so that their text means them exactly.
std::vector<ExactRow> exact_rows(std::size_t count, unsigned seed);
std::string csv_of(const std::vector<ExactRow>& rows);

// The bytes that a kernel of the model's own mechanism saves after taking these rows in one go, the last step ended. No
// noise is part of them.
std::string exact_kernel_state(const std::string& model, const std::vector<ExactRow>& rows);
// Those in the model.
std::string stored_kernel_state(const std::string& model);

}  // namespace rivulet::cli_testing
