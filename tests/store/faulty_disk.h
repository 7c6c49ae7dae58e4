// A disk that fails, as SQLite sees it: every operation that changes something goes through here, is counted, and the
// one whose turn it is goes wrong. Standing between SQLite and the real files, it also knows what the disk was told to
// keep, and can lose the rest as a power failure would.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rivulet::store_testing {

enum class Fault {
  none,
  write_fails,       // nothing is written: input/output error
  disk_full,         // the first half is written, then there is no space
  sync_fails,        // what was written may or may not be there
  truncate_fails,    //
  delete_fails,      //
  create_fails,      // a file beside the model cannot be made
  everything_fails,  // from this operation on, as when a disk goes away
  power_fails,       // the same, and what was not synced may be lost, also in part and out of order
};
const char* name_of(Fault fault);

// Exists once at a time; SQLite's default for everybody meanwhile.
class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // The `number`-th operation from now (from 1) that `fault` can befall goes wrong.
  void arm(Fault fault, std::uint64_t number, std::uint64_t seed = 1);
  // Whether it has.
  [[nodiscard]] bool fired() const;
  // The disk works again. After a power failure: with what it kept. All files must be closed.
  void recover();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace rivulet::store_testing
