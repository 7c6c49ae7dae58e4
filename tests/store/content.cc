#include "store/content.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/bytes.h"
#include "request/settings.h"
#include "rivulet/error.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

void put(ByteWriter& writer, const NoiseLevel& noise) {
  writer.f64(noise.gram_diagonal);
  writer.f64(noise.gram_offdiagonal);
  writer.f64(noise.cross);
}

void put(ByteWriter& writer, const Statistics& statistics) {
  writer.u64(statistics.step);
  writer.u64(statistics.rows);
  writer.u64(statistics.dimension);
  writer.all(statistics.gram);
  writer.all(statistics.cross);
  writer.f64(statistics.target_square);
  writer.u64(statistics.has_target_square ? 1 : 0);
  writer.f64(statistics.target_square_stddev);
  put(writer, statistics.noise);
  writer.u64(statistics.not_private ? 1 : 0);
}

std::string text_of(const LedgerEntry& entry) {
  return std::to_string(entry.entry) + "|" + entry.time + "|" + entry.event + "|" + std::to_string(entry.step) + "|" +
         std::to_string(entry.rows) + "|" + entry.detail;
}

std::string file_bytes(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// File and log, and whatever else stands beside them but the index into the log.
std::map<std::string, std::string> touched_by_writers(const std::string& path) {
  std::map<std::string, std::string> files;
  for (const char* ending : {"", "-wal", "-journal"}) {
    if (std::filesystem::is_regular_file(path + ending)) files[ending] = file_bytes(path + ending);
  }
  return files;
}

class Judge {
 public:
  Judge(const std::string& path, const std::vector<Witness>& witnesses) : path_(path), witnesses_(witnesses) {}

  Verdict operator()() {
    const auto before = touched_by_writers(path_);
    look();
    if (touched_by_writers(path_) != before) wrong("reading changed a file");
    open(before);
    return verdict_;
  }

 private:
  void wrong(const std::string& what) {
    if (!verdict_.wrong.empty()) verdict_.wrong += "; ";
    verdict_.wrong += what;
  }

  // False when it was refused properly.
  template <typename Call>
  bool accepted(const char* what, Call call) {
    try {
      call();
      return true;
    } catch (const DamagedFile& error) {
      check_message(error.what());
    } catch (const IoError& error) {
      check_message(error.what());
    } catch (const ModelConflict& error) {
      check_message(error.what());
    } catch (const std::exception& error) {
      wrong(std::string(what) + " threw something else: " + error.what());
    }
    return false;
  }
  void check_message(const std::string& text) {
    if (text.find('\n') != std::string::npos) wrong("more than one line: " + text);
    if (text.find("'" + path_) == std::string::npos) wrong("does not name the file: " + text);
  }

  template <typename Part>
  bool known(const Part& part) {
    return std::any_of(witnesses_.begin(), witnesses_.end(), part);
  }

  void look() {
    std::optional<ReleaseLog> log;
    if (!accepted("ReleaseLog", [&] { log.emplace(path_); })) return;
    bool all = true;
    const std::string request = request::stored_text(log->options()) + log->made_by();
    if (!known([&](const Witness& w) { return w.log.request == request; })) wrong("another promise");
    std::uint64_t last = 0;
    all &= accepted("last_step", [&] { last = log->last_step(); });
    if (all && !known([&](const Witness& w) { return w.log.releases.size() == last; })) wrong("another last step");
    const std::size_t most = witnesses_.back().log.releases.size();
    for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{2}, last / 2, last}) {
      if (!all || step < 1 || step > std::min<std::uint64_t>(last, most)) continue;
      all &= accepted("at", [&] {
        const std::string bits = bits_of(log->at(step));
        if (!known(
                [&](const Witness& w) { return step <= w.log.releases.size() && w.log.releases[step - 1] == bits; })) {
          wrong("another release of step " + std::to_string(step));
        }
      });
    }
    std::vector<std::string> releases;
    const bool whole = accepted("for_each", [&] {
      log->for_each(1, 1'000'000, [&](const Release& release) { releases.push_back(bits_of(release)); });
    });
    if (whole && !known([&](const Witness& w) { return w.log.releases == releases; })) wrong("other releases");
    std::vector<std::string> ledger;
    const bool entries = accepted("ledger", [&] {
      for (const LedgerEntry& entry : log->ledger()) ledger.push_back(text_of(entry));
    });
    if (entries && !known([&](const Witness& w) { return w.log.ledger == ledger; })) wrong("another ledger");
    verdict_.verified = accepted("verify", [&] { log->verify(); });
    if (verdict_.verified && !(all && whole && entries)) wrong("verify() accepts what cannot be read");
  }

  void open(const std::map<std::string, std::string>& before) {
    ModelContent content;
    verdict_.opened = accepted("open", [&] { content = model_content(path_); });
    if (!verdict_.opened) {
      if (touched_by_writers(path_) != before) wrong("a refused file was touched");
      return;
    }
    const auto found = std::find_if(witnesses_.begin(), witnesses_.end(),
                                    [&](const Witness& witness) { return witness.model == content; });
    if (found == witnesses_.end()) wrong("went on from another state");
    verdict_.witness = static_cast<std::size_t>(found - witnesses_.begin());
  }

  const std::string& path_;
  const std::vector<Witness>& witnesses_;
  Verdict verdict_;
};

}  // namespace

std::string bits_of(const Statistics& statistics) {
  ByteWriter writer;
  put(writer, statistics);
  return writer.take();
}

std::string bits_of(const Release& release) {
  ByteWriter writer;
  put(writer, release.statistics);
  writer.u64(release.model.step);
  writer.u64(release.model.rows);
  for (const Coefficient& coefficient : release.model.coefficients) {
    writer.text(coefficient.name);
    writer.f64(coefficient.value);
  }
  writer.f64(release.model.intercept);
  put(writer, release.model.noise);
  writer.all(release.model.theta);
  writer.u64(release.model.not_private ? 1 : 0);
  writer.text(release.chain);
  return writer.take();
}

LogContent log_content(const std::string& path) {
  const ReleaseLog log(path);
  log.verify();
  LogContent content;
  content.request = request::stored_text(log.options()) + log.made_by();
  log.for_each(1, 1'000'000, [&](const Release& release) { content.releases.push_back(bits_of(release)); });
  for (const LedgerEntry& entry : log.ledger()) content.ledger.push_back(text_of(entry));
  return content;
}

ModelContent model_content(const std::string& path) {
  DurableRegression regression = DurableRegression::open(path);
  ModelContent content{regression.source(), regression.delivered(), regression.waiting_rows(), {}, {}};
  for (const Release& release : regression.committed(1, 1'000'000)) content.releases.push_back(bits_of(release));
  const std::vector<Row> more = rows(50, regression.options().schema.row_width(), 99);
  for (std::size_t i = 0; i < more.size() && regression.waiting_releases() == 0; ++i) observe(regression, more[i], i);
  const std::vector<Release> next = regression.commit("after all");
  content.next = bits_of(next.at(0).statistics);
  return content;
}

void copy_model(const std::string& from, const std::string& to) {
  remove_model(to);
  std::filesystem::copy_file(from, to);
  if (std::filesystem::exists(from + "-wal")) std::filesystem::copy_file(from + "-wal", to + "-wal");
}

void remove_model(const std::string& path) {
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + ending);
}

Witness witness_of(const std::string& path) {
  const std::string copy = path + ".copy";
  copy_model(path, copy);
  Witness witness;
  witness.log = log_content(copy);
  witness.model = model_content(copy);
  remove_model(copy);
  return witness;
}

Verdict judge(const std::string& path, const std::vector<Witness>& witnesses) {
  return Judge(path, witnesses)();
}

}  // namespace rivulet::store_testing
