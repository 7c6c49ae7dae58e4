#include "log/decisions_bytes.h"

#include <variant>

#include "base/bytes.h"

namespace rivulet::log {
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

}  // namespace rivulet::log
