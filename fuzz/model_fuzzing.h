// What the model fuzzer knows: the fixtures, what they hold, and how to edit them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/durable_regression.h"
#include "rivulet/release_log.h"

namespace rivulet::fuzzing {

// A path in memory that is free, and is again afterwards.
class TemporaryModel {
 public:
  TemporaryModel();
  ~TemporaryModel();
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view bytes);

// A model and its write-ahead log.
struct Bytes {
  std::string file;
  std::string log;
  bool operator==(const Bytes&) const = default;
};
Bytes bytes_of_model(const std::string& path);

std::string bits_of(const Release& release);
void observe_until_release(DurableRegression& regression);

// Where a model goes on from, and where to.
struct State {
  std::string chain;  // of the last release
  std::string source;
  std::string next;
  bool operator==(const State&) const = default;
};
// Goes on from it, which changes the file.
State state_of(const std::string& path);

class Fixtures {
 public:
  // Those of tests/fixtures/format1, and one of a writer that was killed: a file with its log.
  Fixtures();

  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] const Bytes& operator[](std::size_t i) const { return files_[i % files_.size()]; }

  // Each ends the program unless a fixture has exactly this.
  void require_known(const Release& release) const;
  void require_end(const std::string& last_chain, const std::vector<LedgerEntry>& ledger) const;
  void require_state(const State& state) const;

 private:
  void learn(const std::string& path);
  void add_killed_writer();

  std::vector<Bytes> files_;
  std::map<std::string, std::string> releases_;           // bits, by chain
  std::map<std::string, std::vector<std::string>> ends_;  // ledgers, by the chain of the last release
  std::vector<State> states_;
};

// A fixture with edits to its bytes, or those of its log.
void edit_bytes(const std::string& path, const Fixtures& fixtures, std::string_view edits);
// A fixture with edits to what stands in its tables, and digests that fit. False when there is no such file.
bool edit_fields(const std::string& path, const Fixtures& fixtures, std::string_view edits);

}  // namespace rivulet::fuzzing
