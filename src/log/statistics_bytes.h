// Private statistics as bytes, exactly: the doubles themselves, the Gram matrix once (its upper triangle).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rivulet/statistics.h"

namespace rivulet::log {

std::string statistics_bytes(const Statistics& statistics);
// `what` names the bytes in messages. Throws DamagedFile unless they are those of `dimension` coordinates, all finite.
Statistics parse_statistics(std::string_view bytes, std::size_t dimension, bool has_target_square,
                            const std::string& what);

std::string vector_bytes(const std::vector<double>& values);
std::vector<double> parse_vector(std::string_view bytes, std::size_t size, const std::string& what);

// The same for vectors that may be mostly zeros: their number of entries, then (0) all of them or (1) the positions and
// values of those that are not 0, whichever is shorter.
std::string sparse_vector_bytes(const std::vector<double>& values);
std::vector<double> parse_sparse_vector(std::string_view bytes, std::size_t size, const std::string& what);

}  // namespace rivulet::log
