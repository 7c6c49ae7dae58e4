// What is public in a model file, as bytes: statistics, models, decisions, and the digest that holds them together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "fit/mechanism.h"
#include "rivulet/model.h"
#include "rivulet/stream_options.h"

namespace rivulet::log {

// Private statistics as bytes, exactly: the doubles themselves, the Gram matrix once (its upper triangle).

std::string statistics_bytes(const Statistics& statistics);
// `what` names the bytes in messages. Throws DamagedFile unless they are those of `dimension` coordinates, all finite.
Statistics parse_statistics(std::string_view bytes, std::size_t dimension, bool has_target_square,
                            const std::string& what);

std::string vector_bytes(const std::vector<double>& values);
std::vector<double> parse_vector(std::string_view bytes, std::size_t size, const std::string& what);

// The same for vectors that may be mostly zeros: their number of entries, then (0) all of them, or (1) how many are not
// 0, their positions and values, and zeros up to `room` of them, so that the length does not tell how many there are.
// The second form is for vectors of `room` non-zeros at most, where it is the shorter one.
std::string sparse_vector_bytes(const std::vector<double>& values, std::size_t room);
std::vector<double> parse_sparse_vector(std::string_view bytes, std::size_t size, std::size_t room,
                                        const std::string& what);

// What was decided for a stream's mechanism, as it stands in a model file.

std::string decisions_bytes(const fit::StreamDecisions& decisions);
// What was decided for that request. Throws DamagedFile.
fit::StreamDecisions parse_decisions(std::string_view bytes, const StreamOptions& request, const std::string& path);

// SHA-256, as the glue of the release log: a damaged or exchanged entry no longer fits the next one.

inline constexpr std::size_t kDigestBytes = 32;

class Digest {
 public:
  Digest& add(std::string_view bytes);
  // The digest of everything added, 32 bytes; the object is empty again afterwards.
  std::string finish();

 private:
  Sha256 hash_;
};

// Lower-case hexadecimal.
std::string hexadecimal(std::string_view bytes);

}  // namespace rivulet::log
