// Everything a model file tells, bit for bit, so that a damaged file can be held against the sound one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rivulet/durable_regression.h"
#include "rivulet/release_log.h"

namespace rivulet::store_testing {

// All fields, bit for bit.
std::string bits_of(const Release& release);
std::string bits_of(const Statistics& statistics);

// What ReleaseLog shows, each on its own: damage may leave some of it readable.
struct LogContent {
  std::string request;
  std::vector<std::string> releases;
  std::vector<std::string> ledger;
  bool operator==(const LogContent&) const = default;
};
LogContent log_content(const std::string& path);

// What goes on from the file: the place in the source, what was delivered, and the next release, which shows the
// kernel's and the decoder's state. Goes on, so it changes the file.
struct ModelContent {
  std::string source;
  std::uint64_t delivered = 0;
  std::uint64_t waiting_rows = 0;
  std::vector<std::string> releases;
  std::string next;
  bool operator==(const ModelContent&) const = default;
};
ModelContent model_content(const std::string& path);

// A sound file's content.
struct Witness {
  LogContent log;
  ModelContent model;
  bool operator==(const Witness&) const = default;
};
// Works on copies named `path` + ".copy", with the write-ahead log beside it if there is one.
Witness witness_of(const std::string& path);

void copy_model(const std::string& from, const std::string& to);
void remove_model(const std::string& path);

// Reads the file in every way there is, then opens it for writing. Accepted are: what one of the witnesses has,
// exactly; or a refusal by DamagedFile, IoError or ModelConflict in one line that names the path and leaves file and
// log untouched. Returns what was wrong, or nothing.
struct Verdict {
  std::string wrong;
  bool opened = false;      // for writing
  bool verified = false;    // ReleaseLog::verify() found nothing
  std::size_t witness = 0;  // the one whose content it has, if opened
};
Verdict judge(const std::string& path, const std::vector<Witness>& witnesses);

}  // namespace rivulet::store_testing
