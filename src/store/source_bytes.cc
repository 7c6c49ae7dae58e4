#include "store/source_bytes.h"

#include "base/bytes.h"

namespace rivulet::store {
namespace {

constexpr std::string_view kDoorsMark = "rivulet doors 1";

}  // namespace

std::string source_bytes(const std::vector<Door>& doors, std::string_view source) {
  if (doors.empty() && !source.starts_with(kDoorsMark)) return std::string(source);
  ByteWriter writer;
  writer.raw(kDoorsMark);
  writer.u64(doors.size());
  for (const Door& door : doors) {
    writer.text(door.name);
    writer.u64(door.rows);
  }
  writer.text(source);
  return writer.take();
}

std::pair<std::vector<Door>, std::string> parse_source(std::string_view bytes, const std::string& path) {
  std::pair<std::vector<Door>, std::string> found;
  if (!bytes.starts_with(kDoorsMark)) {
    found.second.assign(bytes);
    return found;
  }
  ByteReader reader(bytes.substr(kDoorsMark.size()), "model: '" + path + "': where its rows came from");
  constexpr std::size_t kSmallest = 8 + 8;
  const std::size_t count = reader.count(kSmallest);
  for (std::size_t i = 0; i < count; ++i) {
    Door door;
    door.name = reader.text();
    door.rows = reader.u64();
    found.first.push_back(std::move(door));
  }
  found.second = reader.text();
  reader.finish();
  return found;
}

std::vector<Door> through(std::vector<Door> doors, const std::string& door, std::uint64_t rows) {
  if (door.empty() || rows == 0) return doors;
  if (doors.empty() || doors.back().name != door) doors.push_back({door, 0});
  doors.back().rows += rows;
  return doors;
}

}  // namespace rivulet::store
