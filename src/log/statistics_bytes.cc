
#include "log/statistics_bytes.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/bytes.h"

namespace rivulet::log {

namespace {

double finite(ByteReader& reader) {
  const double value = reader.f64();
  if (!std::isfinite(value)) reader.damaged("a number is not finite");
  return value;
}

// Before memory is taken for them.
void require_numbers(std::string_view bytes, std::size_t expected, const ByteReader& reader) {
  if (bytes.size() % 8 != 0 || bytes.size() / 8 != expected) reader.damaged("it has another length than it should");
}

double level(ByteReader& reader) {
  const double value = finite(reader);
  if (value < 0.0) reader.damaged("a noise level is negative");
  return value;
}

}  // namespace

std::string statistics_bytes(const Statistics& statistics) {
  ByteWriter writer;
  writer.f64(statistics.noise.gram_diagonal);
  writer.f64(statistics.noise.gram_offdiagonal);
  writer.f64(statistics.noise.cross);
  if (statistics.has_target_square) {
    writer.f64(statistics.target_square_stddev);
    writer.f64(statistics.target_square);
  }
  const std::size_t dimension = statistics.dimension;
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t i = 0; i <= column; ++i) writer.f64(statistics.gram[column * dimension + i]);
  }
  for (const double value : statistics.cross) writer.f64(value);
  return writer.take();
}

Statistics parse_statistics(std::string_view bytes, std::size_t dimension, bool has_target_square,
                            const std::string& what) {
  ByteReader reader(bytes, what);
  require_numbers(bytes, 3 + (has_target_square ? 2 : 0) + dimension * (dimension + 1) / 2 + dimension, reader);
  Statistics statistics;
  statistics.dimension = dimension;
  statistics.noise = {level(reader), level(reader), level(reader)};
  statistics.has_target_square = has_target_square;
  if (has_target_square) {
    statistics.target_square_stddev = level(reader);
    statistics.target_square = finite(reader);
  }
  statistics.gram.resize(dimension * dimension);
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t i = 0; i <= column; ++i) {
      const double value = finite(reader);
      statistics.gram[column * dimension + i] = value;
      statistics.gram[i * dimension + column] = value;
    }
  }
  statistics.cross.resize(dimension);
  for (double& value : statistics.cross) value = finite(reader);
  return statistics;
}

std::string vector_bytes(const std::vector<double>& values) {
  ByteWriter writer;
  for (const double value : values) writer.f64(value);
  return writer.take();
}

std::vector<double> parse_vector(std::string_view bytes, std::size_t size, const std::string& what) {
  ByteReader reader(bytes, what);
  require_numbers(bytes, size, reader);
  std::vector<double> values(size);
  for (double& value : values) value = finite(reader);
  return values;
}

namespace {

constexpr std::uint64_t kAll = 0;
constexpr std::uint64_t kNonZeros = 1;

}  // namespace

std::string sparse_vector_bytes(const std::vector<double>& values, std::size_t room) {
  const auto zeros = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0));
  const std::size_t others = values.size() - zeros;
  ByteWriter writer;
  writer.u64(values.size());
  if (others > room || 2 * room + 1 >= values.size()) {
    writer.u64(kAll);
    for (const double value : values) writer.f64(value);
    return writer.take();
  }
  writer.u64(kNonZeros);
  writer.u64(others);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0.0) continue;
    writer.u64(i);
    writer.f64(values[i]);
  }
  for (std::size_t i = others; i < room; ++i) {
    writer.u64(0);
    writer.f64(0.0);
  }
  return writer.take();
}

std::vector<double> parse_sparse_vector(std::string_view bytes, std::size_t size, std::size_t room,
                                        const std::string& what) {
  ByteReader reader(bytes, what);
  if (reader.u64() != size) reader.damaged("it has another number of entries than it should");
  const std::uint64_t form = reader.u64();
  if (form == kAll) {
    require_numbers(bytes, size + 2, reader);
    std::vector<double> values(size);
    for (double& value : values) value = finite(reader);
    reader.finish();
    return values;
  }
  if (form != kNonZeros) reader.damaged("it is written in a way this version does not know");
  const std::uint64_t others = reader.u64();
  if (others > size || others > room) reader.damaged("it has more entries than it should");
  require_numbers(bytes, 3 + 2 * room, reader);
  std::vector<double> values(size, 0.0);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < others; ++i) {
    const std::uint64_t position = reader.u64();
    if (position < next || position >= size) reader.damaged("its positions do not ascend");
    next = position + 1;
    values[position] = finite(reader);
  }
  for (std::size_t i = others; i < room; ++i) {
    if (reader.u64() != 0 || reader.f64() != 0.0) reader.damaged("it does not end where it should");
  }
  reader.finish();
  return values;
}

namespace {

void write_decisions(const privacy::PlanDecisions& decisions, ByteWriter& writer) {
  writer.u64(decisions.bits);
  writer.i64(decisions.target_limit);
  writer.u64(decisions.noise_bits);
  writer.f64(decisions.sigmas.gram_diagonal);
  writer.f64(decisions.sigmas.gram_offdiagonal);
  writer.f64(decisions.sigmas.cross);
  writer.f64(decisions.sigmas.target_square);
  writer.u64(decisions.last_step);
  writer.all(decisions.design.theta_gap_numerators);
  writer.all(decisions.design.omega_numerators);
  writer.all(decisions.design.inverse_gaps);
}

void write_decisions(const erm::ErmDecisions& decisions, ByteWriter& writer) {
  writer.u64(decisions.bits);
  writer.u64(decisions.most_sums);
  writer.f64(decisions.mu);
  writer.u64(decisions.last_step);
}

unsigned bits_from(ByteReader& reader) {
  const std::uint64_t value = reader.u64();
  if (value > 1000) reader.damaged("a number of bits is too large");
  return static_cast<unsigned>(value);
}

privacy::PlanDecisions moment_decisions_from(ByteReader& reader) {
  privacy::PlanDecisions decisions;
  decisions.bits = bits_from(reader);
  decisions.target_limit = reader.i64();
  decisions.noise_bits = bits_from(reader);
  decisions.sigmas = {reader.f64(), reader.f64(), reader.f64(), reader.f64()};
  decisions.last_step = reader.u64();
  ByteReader ahead = reader;
  const std::size_t buffers = ahead.count(8);
  reader.all(decisions.design.theta_gap_numerators, buffers);
  reader.all(decisions.design.omega_numerators, buffers);
  reader.all(decisions.design.inverse_gaps, buffers);
  return decisions;
}

erm::ErmDecisions erm_decisions_from(ByteReader& reader) {
  erm::ErmDecisions decisions;
  decisions.bits = bits_from(reader);
  decisions.most_sums = reader.u64();
  decisions.mu = reader.f64();
  decisions.last_step = reader.u64();
  return decisions;
}

}  // namespace

std::string decisions_bytes(const fit::StreamDecisions& decisions) {
  ByteWriter writer;
  std::visit([&](const auto& decided) { write_decisions(decided, writer); }, decisions);
  return writer.take();
}

fit::StreamDecisions parse_decisions(std::string_view bytes, const StreamOptions& request, const std::string& path) {
  ByteReader reader(bytes, "model: '" + path + "': its mechanism");
  const fit::StreamDecisions decisions = request.erm ? fit::StreamDecisions(erm_decisions_from(reader))
                                                     : fit::StreamDecisions(moment_decisions_from(reader));
  reader.finish();
  return decisions;
}

Digest& Digest::add(std::string_view bytes) {
  hash_.update(bytes);
  return *this;
}

std::string Digest::finish() {
  const Sha256Digest digest = hash_.digest();
  hash_ = Sha256();
  return {digest.begin(), digest.end()};
}

std::string hexadecimal(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

}  // namespace rivulet::log
