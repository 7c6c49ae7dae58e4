#include "store/faulty_disk.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>

namespace rivulet::store_testing {
namespace {

constexpr std::size_t kSector = 512;

std::string file_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Change {
  std::size_t offset = 0;
  std::string bytes;
  std::optional<std::size_t> cut_to;  // a truncation instead of a write
};

// What the disk holds for sure, and what was written since.
struct Kept {
  std::optional<std::string> synced;  // none: not even its name
  std::vector<Change> since;
};

// All there is; SQLite's callbacks have nowhere else to look.
struct State {
  sqlite3_vfs* real = nullptr;
  Fault fault = Fault::none;
  std::uint64_t turn = 0;
  std::uint64_t count = 0;
  bool fired = false;
  std::mt19937_64 random;
  std::map<std::string, Kept> files;
};
State state;

bool befalls(Fault operation) {
  if (state.fault == Fault::everything_fails || state.fault == Fault::power_fails) return true;
  if (state.fault == Fault::disk_full) return operation == Fault::write_fails;
  return state.fault == operation;
}

// Counts the operation; true when it must go wrong.
bool goes_wrong(Fault operation) {
  if (!befalls(operation)) return false;
  if (state.fired) return state.fault == Fault::everything_fails || state.fault == Fault::power_fails;
  state.fired = ++state.count == state.turn;
  return state.fired;
}

void apply(const Change& change, std::string& bytes, std::mt19937_64* torn) {
  if (change.cut_to) {
    bytes.resize(*change.cut_to);
    return;
  }
  if (bytes.size() < change.offset + change.bytes.size()) bytes.resize(change.offset + change.bytes.size());
  // A sector is written or not; a write is as many as it covers.
  for (std::size_t at = 0; at < change.bytes.size();) {
    const std::size_t length = std::min(kSector - (change.offset + at) % kSector, change.bytes.size() - at);
    if (torn == nullptr || (*torn)() % 4 != 0) bytes.replace(change.offset + at, length, change.bytes, at, length);
    at += length;
  }
}

struct File {
  sqlite3_file base;
  std::string* path;  // of what is kept; none for temporary files
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File& as_file(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file);
}
sqlite3_file* real(sqlite3_file* file) {
  return as_file(file).real();
}
Kept* kept(sqlite3_file* file) {
  return as_file(file).path == nullptr ? nullptr : &state.files[*as_file(file).path];
}

int on_close(sqlite3_file* file) {
  delete as_file(file).path;
  return real(file)->pMethods == nullptr ? SQLITE_OK : real(file)->pMethods->xClose(real(file));
}
int on_read(sqlite3_file* file, void* bytes, int length, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, length, offset);
}
int on_write(sqlite3_file* file, const void* bytes, int length, sqlite3_int64 offset) {
  const bool wrong = goes_wrong(Fault::write_fails);
  if (wrong && state.fault != Fault::disk_full) return SQLITE_IOERR_WRITE;
  const int written = wrong ? length / 2 : length;
  if (Kept* const known = kept(file); known != nullptr) {
    known->since.push_back({static_cast<std::size_t>(offset),
                            std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(written)),
                            {}});
  }
  const int code = real(file)->pMethods->xWrite(real(file), bytes, written, offset);
  return wrong ? SQLITE_FULL : code;
}
int on_truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (goes_wrong(Fault::truncate_fails)) return SQLITE_IOERR_TRUNCATE;
  if (Kept* const known = kept(file); known != nullptr) known->since.push_back({0, "", static_cast<std::size_t>(size)});
  return real(file)->pMethods->xTruncate(real(file), size);
}
int on_sync(sqlite3_file* file, int flags) {
  if (goes_wrong(Fault::sync_fails)) return SQLITE_IOERR_FSYNC;
  if (Kept* const known = kept(file); known != nullptr) {
    if (!known->synced) known->synced.emplace();
    for (const Change& change : known->since) apply(change, *known->synced, nullptr);
    known->since.clear();
  }
  return real(file)->pMethods->xSync(real(file), flags);
}
int on_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int on_lock(sqlite3_file* file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}
int on_unlock(sqlite3_file* file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
int on_check_lock(sqlite3_file* file, int* result) {
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
int on_control(sqlite3_file* file, int what, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int on_sector_size(sqlite3_file* file) {
  return real(file)->pMethods->xSectorSize(real(file));
}
int on_characteristics(sqlite3_file*) {
  return 0;  // promises nothing: SQLite must sync where it has to
}
int on_shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}
int on_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void on_shm_barrier(sqlite3_file* file) {
  real(file)->pMethods->xShmBarrier(real(file));
}
int on_shm_unmap(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

const sqlite3_io_methods kMethods = {2,
                                     on_close,
                                     on_read,
                                     on_write,
                                     on_truncate,
                                     on_sync,
                                     on_size,
                                     on_lock,
                                     on_unlock,
                                     on_check_lock,
                                     on_control,
                                     on_sector_size,
                                     on_characteristics,
                                     on_shm_map,
                                     on_shm_lock,
                                     on_shm_barrier,
                                     on_shm_unmap,
                                     nullptr,
                                     nullptr};

int on_open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  as_file(file).path = nullptr;
  real(file)->pMethods = nullptr;
  const bool is_new = name != nullptr && ::access(name, F_OK) != 0;
  if (is_new && goes_wrong(Fault::create_fails)) return SQLITE_CANTOPEN;
  const int code = state.real->xOpen(state.real, name, real(file), flags, out_flags);
  if (real(file)->pMethods == nullptr) return code;
  file->pMethods = &kMethods;
  if (code == SQLITE_OK && name != nullptr && (flags & SQLITE_OPEN_READONLY) == 0) {
    as_file(file).path = new std::string(name);
    if (is_new) {
      state.files[name] = {};
    } else if (!state.files.contains(name)) {
      state.files[name] = {file_bytes(name), {}};
    }
  }
  return code;
}

int on_delete(sqlite3_vfs*, const char* name, int sync) {
  if (goes_wrong(Fault::delete_fails)) return SQLITE_IOERR_DELETE;
  // Without a sync of the folder the file may be back after a power failure: its kept state stays.
  if (sync != 0) state.files.erase(name);
  return state.real->xDelete(state.real, name, sync);
}

}  // namespace

struct FaultyDisk::Inside {
  sqlite3_vfs shim{};
};

const char* name_of(Fault fault) {
  constexpr const char* kNames[] = {"none",         "write_fails",  "disk_full",        "sync_fails", "truncate_fails",
                                    "delete_fails", "create_fails", "everything_fails", "power_fails"};
  return kNames[static_cast<int>(fault)];
}

FaultyDisk::FaultyDisk() : inside_(std::make_unique<Inside>()) {
  sqlite3_initialize();
  state = {};
  state.real = sqlite3_vfs_find(nullptr);
  inside_->shim = *state.real;
  inside_->shim.zName = "faulty-disk";
  inside_->shim.szOsFile = static_cast<int>(sizeof(File)) + state.real->szOsFile;
  inside_->shim.pNext = nullptr;
  inside_->shim.xOpen = on_open;
  inside_->shim.xDelete = on_delete;
  sqlite3_vfs_register(&inside_->shim, 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&inside_->shim);
  sqlite3_vfs_register(state.real, 1);
}

void FaultyDisk::arm(Fault fault, std::uint64_t number, std::uint64_t seed) {
  state.fault = fault;
  state.turn = number;
  state.count = 0;
  state.fired = false;
  state.random.seed(seed);
  state.files.clear();
}

bool FaultyDisk::fired() const {
  return state.fired;
}

void FaultyDisk::recover() {
  const bool lost_power = state.fault == Fault::power_fails && state.fired;
  state.fault = Fault::none;
  if (!lost_power) return;
  const auto mood = state.random() % 3;  // everything unsynced is lost, some of it, or nothing
  for (const auto& [path, known] : state.files) {
    std::filesystem::remove(path + "-shm");  // nobody who could use it has survived
    const bool is_there = std::filesystem::exists(path);
    const bool could_be_there = known.synced.has_value() || is_there;
    if (!could_be_there || (!is_there && state.random() % 2 == 0)) continue;
    if (!known.synced && state.random() % 2 == 0) {
      std::filesystem::remove(path);
      continue;
    }
    std::string bytes = known.synced.value_or("");
    for (const Change& change : known.since) {
      if (mood == 2) {
        apply(change, bytes, nullptr);
      } else if (mood == 1 && state.random() % 2 == 0) {
        apply(change, bytes, &state.random);
      }
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  state.files.clear();
}

}  // namespace rivulet::store_testing
