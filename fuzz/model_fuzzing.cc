#include "model_fuzzing.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "log/statistics_bytes.h"
#include "rivulet/error.h"

namespace rivulet::fuzzing {
namespace {

std::string file_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void remove_model(const std::string& path) {
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) ::unlink((path + ending).c_str());
}

void write_model(const std::string& path, const Bytes& bytes) {
  remove_model(path);
  write_file(path, bytes.file);
  if (!bytes.log.empty()) write_file(path + "-wal", bytes.log);
}

std::string text_of(const std::vector<LedgerEntry>& ledger) {
  std::string text;
  for (const LedgerEntry& entry : ledger) {
    text +=
        entry.time + entry.event + std::to_string(entry.step) + "/" + std::to_string(entry.rows) + entry.detail + "\n";
  }
  return text;
}

}  // namespace

TemporaryModel::TemporaryModel() : path_("/dev/shm/rivulet_fuzz_" + std::to_string(::getpid())) {
  remove_model(path_);
}
TemporaryModel::~TemporaryModel() {
  remove_model(path_);
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

Bytes bytes_of_model(const std::string& path) {
  return {file_bytes(path), file_bytes(path + "-wal")};
}

std::string bits_of(const Release& release) {
  return release.chain + std::to_string(release.statistics.step) + "/" + std::to_string(release.statistics.rows) +
         log::statistics_bytes(release.statistics) + log::vector_bytes(release.model.theta);
}

void observe_until_release(DurableRegression& regression) {
  const std::vector<double> values(regression.options().schema.row_width(), 0.25);
  for (int i = 0; i < 100 && regression.waiting_releases() == 0; ++i) {
    if (regression.options().unit) {
      regression.observe(values, 0.5, "somebody");
    } else {
      regression.observe(values, 0.5);
    }
  }
  if (regression.waiting_releases() == 0) regression.flush();
}

State state_of(const std::string& path) {
  DurableRegression regression = DurableRegression::open(path);
  const std::uint64_t step = regression.committed_step();
  State state;
  state.chain = step == 0 ? "" : regression.committed(step, step).at(0).chain;
  state.source = regression.source();
  observe_until_release(regression);
  state.next = bits_of(regression.close("").at(0));
  return state;
}

Fixtures::Fixtures() {
  const TemporaryModel model;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(RIVULET_FIXTURES)) {
    if (entry.path().extension() == ".rivulet") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    files_.push_back({file_bytes(path), ""});
    write_model(model.path(), files_.back());
    learn(model.path());
  }
  add_killed_writer();
}

void Fixtures::learn(const std::string& path) {
  bool is_export = false;
  {
    const ReleaseLog log(path);
    log.verify();
    std::string last;
    log.for_each(1, 1000, [&](const Release& release) {
      releases_[release.chain] = bits_of(release);
      last = release.chain;
    });
    ends_[last].push_back(text_of(log.ledger()));
    is_export = log.is_export();
  }
  if (!is_export) states_.push_back(state_of(path));
}

void Fixtures::add_killed_writer() {
  const TemporaryModel model;
  const std::string copy = model.path() + "_copy";
  StreamOptions options;
  options.budget = {1.0, 1e-6};
  options.schema.feature("x", {-1, 1}).target("y", {-1, 1});
  options.unit = PrivacyUnit{"person", 5};
  options.insecure_seed = 1;
  DurableRegression writer = DurableRegression::create(model.path(), options);
  for (int commit = 0; commit <= 4; ++commit) {
    if (commit > 0) {
      for (int i = 0; i < 3; ++i) writer.observe(std::vector{0.1 * i}, 0.2, std::to_string(i));
      writer.commit("after " + std::to_string(commit));
    }
    const Bytes now = bytes_of_model(model.path());
    if (commit == 4) files_.push_back(now);
    write_model(copy, now);
    learn(copy);
    remove_model(copy);
  }
}

void Fixtures::require_known(const Release& release) const {
  const auto found = releases_.find(release.chain);
  if (found == releases_.end() || found->second != bits_of(release)) std::abort();
}

void Fixtures::require_end(const std::string& last_chain, const std::vector<LedgerEntry>& ledger) const {
  const auto found = ends_.find(last_chain);
  if (found == ends_.end()) std::abort();
  const std::string text = text_of(ledger);
  if (std::find(found->second.begin(), found->second.end(), text) == found->second.end()) std::abort();
}

void Fixtures::require_state(const State& state) const {
  if (std::find(states_.begin(), states_.end(), state) == states_.end()) std::abort();
}

}  // namespace rivulet::fuzzing
