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

// The same for vectors that may be mostly zeros: their number of entries, then (0) all of them, or (1) how many are not
// 0, their positions and values, and zeros up to `room` of them, so that the length does not tell how many there are.
// The second form is for vectors of `room` non-zeros at most, where it is the shorter one.
std::string sparse_vector_bytes(const std::vector<double>& values, std::size_t room);
std::vector<double> parse_sparse_vector(std::string_view bytes, std::size_t size, std::size_t room,
                                        const std::string& what);

}  // namespace rivulet::log
