#include "cli/source_state.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "cli/console.h"
#include "input/byte_source.h"
#include "input/record_reader.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

// The first knew one format of rows, and no sketch. The third knows of rows that came from elsewhere, the fourth of
// inputs that are no stream of bytes; each is written where there is such a thing to tell of.
constexpr std::uint64_t kFirstVersion = 1;
constexpr std::uint64_t kSecondVersion = 2;
constexpr std::uint64_t kThirdVersion = 3;
constexpr std::uint64_t kFourthVersion = 4;

// Every count, in the order of the file; those of the first version come first.
std::vector<std::uint64_t*> counts_of(SourceState& state, std::uint64_t version) {
  input::OperatorTally& tally = state.tally;
  std::vector<std::uint64_t*> counts{&tally.rows,         &tally.ragged,       &tally.malformed,
                                     &tally.missing,      &tally.not_a_number, &tally.unknown_level,
                                     &tally.missing_unit, &state.over_limit,   &state.outside_domain};
  if (version >= kSecondVersion) counts.insert(counts.end(), {&tally.bad_index, &state.distorted});
  if (version >= kThirdVersion) counts.push_back(&state.elsewhere);
  return counts;
}

// Positions of other kinds than bytes are known to the fourth version alone.
bool is_prefix_of_bytes(const input::SourcePosition& position) {
  return position.kind.empty() || position.kind == input::BytePosition::kKind;
}

input::BytePosition bytes_of(const input::SourcePosition& position) {
  return position.kind.empty() ? input::BytePosition{} : input::BytePosition::from(position);
}

void write_position(ByteWriter& out, const input::SourcePosition& position, std::uint64_t version) {
  if (version >= kFourthVersion) {
    out.text(position.kind);
    out.u64(position.records);
    out.text(position.state);
    return;
  }
  const input::BytePosition prefix = bytes_of(position);
  out.u64(prefix.bytes);
  out.u64(prefix.records);
  out.raw({reinterpret_cast<const char*>(prefix.digest.data()), prefix.digest.size()});
  out.u64(prefix.mid_line ? 1 : 0);
}

input::SourcePosition read_position(ByteReader& in, std::uint64_t version) {
  if (version >= kFourthVersion) {
    input::SourcePosition position;
    position.kind = in.text();
    position.records = in.u64();
    position.state = in.text();
    return position;
  }
  input::BytePosition prefix;
  prefix.bytes = in.u64();
  prefix.records = in.u64();
  const std::string_view digest = in.raw(prefix.digest.size());
  std::copy(digest.begin(), digest.end(), prefix.digest.begin());
  prefix.mid_line = in.u64() != 0;
  return prefix == input::BytePosition{} ? input::SourcePosition{} : prefix;
}

}  // namespace

bool SourceState::started() const {
  return is_prefix_of_bytes(position) ? bytes_of(position).bytes != 0 : true;
}

void begin_next_input(SourceState& state, std::string input) {
  state.input = std::move(input);
  const std::size_t before = state.finished.size();
  // An input without rows is recognised by nothing but its header.
  if (state.position.records != 0) state.finished.push_back(state.position);
  state.position = {};
  const std::string place = state.input == "-" ? "/dev/stdin" : state.input;  // opened anew, from its beginning
  if (!std::filesystem::is_regular_file(place) || ::access(place.c_str(), R_OK) != 0) return;
  // Rows that were counted are not counted again under another name.
  for (std::size_t i = 0; i < state.finished.size(); ++i) {
    input::FileSource again(place, &stop_flag());
    if (!input::starts_with(again, state.finished[i])) continue;
    throw RequestError("next-input", "'" + state.input +
                                         "' begins with an input that was already counted; accepted: an input whose "
                                         "rows are all new" +
                                         (i == before ? ", or, to go on with the one that was counted last, the same "
                                                        "command without --next-input"
                                                      : "") +
                                         ". Nothing was read or published");
  }
}

std::string to_bytes(const SourceState& state) {
  ByteWriter out;
  const bool all_bytes = is_prefix_of_bytes(state.position) &&
                         std::all_of(state.finished.begin(), state.finished.end(), is_prefix_of_bytes);
  const std::uint64_t version = !all_bytes ? kFourthVersion : state.elsewhere == 0 ? kSecondVersion : kThirdVersion;
  out.u64(version);
  out.text(state.input);
  out.u64(static_cast<unsigned char>(state.delimiter));
  out.text(state.releases);
  write_position(out, state.position, version);
  out.u64(state.finished.size());
  for (const input::SourcePosition& position : state.finished) write_position(out, position, version);
  SourceState copy = state;
  for (const std::uint64_t* count : counts_of(copy, version)) out.u64(*count);
  out.u64(state.format->stored_as);
  return out.take();
}

SourceState source_state_from(std::string_view bytes) {
  SourceState state;
  if (bytes.empty()) return state;
  ByteReader in(bytes, "model: where its input was left");
  const std::uint64_t version = in.u64();
  if (version < kFirstVersion || version > kFourthVersion) in.damaged("it is of another version");
  state.input = in.text();
  state.delimiter = static_cast<char>(in.u64());
  state.releases = in.text();
  state.position = read_position(in, version);
  const std::size_t position_bytes = version >= kFourthVersion ? 8 + 8 + 8 : 8 + 8 + 32 + 8;  // at least
  const std::size_t finished = in.count(position_bytes);
  for (std::size_t i = 0; i < finished; ++i) state.finished.push_back(read_position(in, version));
  for (std::uint64_t* count : counts_of(state, version)) *count = in.u64();
  if (version > kFirstVersion) {
    const std::optional<input::RowFormat> format = input::format_stored_as(in.u64());
    if (!format) in.damaged("the format of its rows is not known");
    state.format = *format;
  }
  in.finish();
  return state;
}

}  // namespace rivulet::cli
