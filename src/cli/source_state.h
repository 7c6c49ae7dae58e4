// Where a durable fit stands in its inputs, as it is kept in the sensitive half of a model file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input/row_source.h"

namespace rivulet::cli {

struct SourceState {
  std::string input = "-";  // absolute path, or "-"
  input::RowFormat format;
  char delimiter = ',';
  std::string releases;  // where they went last: absolute path, "-", or empty
  input::SourcePosition position;
  std::vector<input::SourcePosition> finished;  // inputs before this one, to their ends
  input::OperatorTally tally;                   // over all of them
  std::uint64_t over_limit = 0;                 // rows of units that had their share
  std::uint64_t outside_domain = 0;             // rows that do not meet the conditions
  std::uint64_t distorted = 0;                  // rows whose length the sketch did not keep
  // Rows of the model that came from no input of these, as far as the user has said what they have to do with the
  // input.
  std::uint64_t elsewhere = 0;

  // Whether anything of the input was consumed, be it only a header.
  [[nodiscard]] bool started() const;
};

std::string to_bytes(const SourceState& state);
// A new input follows those that were counted: throws RequestError when it begins with one of them. A pipe cannot be
// looked at twice and is believed.
void begin_next_input(SourceState& state, std::string input);

// A new model's state is empty and gives the default. Throws DamagedFile.
SourceState source_state_from(std::string_view bytes);

}  // namespace rivulet::cli
