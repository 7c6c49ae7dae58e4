#include "cli/exact_state.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "fit/mechanism.h"
#include "kernel/kernel.h"
#include "log/database.h"
#include "log/promise.h"
#include "rivulet/domain.h"
#include "rivulet/release_log.h"
#include "store/sensitive_half.h"
#include "support/zero_noise.h"

namespace rivulet::cli_testing {
namespace {

std::string kernel_column(log::Database& database) {
  log::Statement select(database, "SELECT kernel FROM sensitive_state WHERE id = 1");
  return select.next() ? std::string(select.bytes(0)) : std::string();
}

// Only the sensitive half of a model file may look into a saved state: so a scratch file gets one.
std::string content(const SensitiveState& state, const std::string& scratch) {
  std::filesystem::remove(scratch);
  std::ofstream(scratch).close();
  std::string bytes;
  {
    log::Database database(scratch, log::Database::Mode::write);
    log::create_working_state(database, log::kFirstFormat);
    store::SensitiveHalf(database).write(state, "", "");
    bytes = kernel_column(database);
  }
  std::filesystem::remove(scratch);
  return bytes;
}

}  // namespace

std::vector<ExactRow> exact_rows(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<ExactRow> rows(count);
  for (ExactRow& row : rows) {
    row.x = static_cast<double>(random() % 10240) / 1024.0;
    row.z = static_cast<double>(random() % 10240) / 1024.0 - 5.0;
    row.kind = "abc"[random() % 3];
    row.y = 3.0 + 2.0 * row.x - 1.5 * row.z + (row.kind == 'b' ? 4.0 : row.kind == 'c' ? -2.0 : 0.0);
    row.usable = random() % 50 != 0;
  }
  return rows;
}

std::string csv_of(const std::vector<ExactRow>& rows) {
  std::string text = "x,z,kind,y\n";
  text.reserve(rows.size() * 48);
  for (const ExactRow& row : rows) {
    std::array<char, 128> line{};
    int length = row.usable ? std::snprintf(line.data(), line.size(), "%.17g,", row.x)
                            : std::snprintf(line.data(), line.size(), "NA,");
    length += std::snprintf(line.data() + length, line.size() - static_cast<std::size_t>(length), "%.17g,%c,%.17g\n",
                            row.z, row.kind, row.y);
    text.append(line.data(), static_cast<std::size_t>(length));
  }
  return text;
}

std::string exact_kernel_state(const std::string& model, const std::vector<ExactRow>& rows) {
  const ReleaseLog log(model);
  const StreamOptions& options = log.options();
  kernel::Kernel kernel(log.plan().moments(), options.schema, std::make_unique<rivulet::testing::ZeroNoise>(),
                        Domain(options.only_if, options.schema));
  NoisyStep step;
  for (const ExactRow& row : rows) {
    std::array<double, 4> values{row.x, row.z, row.kind == 'b' ? 1.0 : 0.0, row.kind == 'c' ? 1.0 : 0.0};
    if (!row.usable) values.fill(std::nan(""));
    kernel.observe(values, row.usable ? row.y : std::nan(""));
    if (kernel.step_is_full()) kernel.close_step(step);
  }
  if (kernel.rows_in_step() != 0) kernel.close_step(step);
  SensitiveState state;
  kernel.save(state);
  return content(state, model + ".scratch");
}

std::string stored_kernel_state(const std::string& model) {
  log::Database database(model, log::Database::Mode::read);
  return kernel_column(database);
}

}  // namespace rivulet::cli_testing
