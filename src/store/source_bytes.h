// Where rows came from, as it stands in the sensitive half: the caller's own bytes, and in front of them the rows that
// came through doors these bytes do not tell of.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rivulet/durable_regression.h"

namespace rivulet::store {

// Without doors it is `source` itself, as it was before there were any (unless it could be mistaken).
std::string source_bytes(const std::vector<Door>& doors, std::string_view source);
// Throws DamagedFile.
std::pair<std::vector<Door>, std::string> parse_source(std::string_view bytes, const std::string& path);
// With `rows` more through `door`; none when it has no name.
std::vector<Door> through(std::vector<Door> doors, const std::string& door, std::uint64_t rows);

}  // namespace rivulet::store
