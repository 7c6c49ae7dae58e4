// Arbitrary bytes as a model file. Whatever they are, they are read or refused with Rivulet's own errors in one line; a
// refused file is left as it was; and nothing is accepted silently. That is:
//
//  - without new digests, every release that is read is one of a fixture's, bit for bit, a file that passes verify()
//  has
//    all of that fixture's releases and its ledger, and one that can be opened goes on exactly as the fixture does;
//  - with new digests (as someone would make them who wants to be believed), what passes is consistent: it is read
//  again
//    the same way, its numbers are finite, its mechanism is accounted for, and it goes on by one step at a time.
//
// The first byte chooses: S a whole file (they begin with it), E edits of a fixture's bytes, D edits of its fields with
// new digests, P the parsers alone.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "log/request_text.h"
#include "log/statistics_bytes.h"
#include "model_fuzzing.h"
#include "rivulet/error.h"

namespace rivulet::fuzzing {
namespace {

void check_error(const Error& error) {
  if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
}

// Calls it; false when it was refused as it should be. Anything else ends the program.
template <typename Call>
bool accepted(Call call) {
  try {
    call();
    return true;
  } catch (const Error& error) {
    check_error(error);
    return false;
  }
}

// Nobody made new digests: what comes back is a fixture's.
void read_as_fixture(const std::string& path, const Fixtures& fixtures) {
  std::string last_chain;
  accepted([&] {
    const ReleaseLog log(path);
    std::uint64_t last = 0;
    accepted([&] { last = log.last_step(); });
    for (const std::uint64_t step : {std::uint64_t{1}, last / 2, last}) {
      accepted([&] { fixtures.require_known(log.at(step)); });
    }
    std::vector<std::string> chains;
    const bool whole = accepted([&] {
      log.for_each(1, 1000, [&](const Release& release) {
        fixtures.require_known(release);
        chains.push_back(release.chain);
      });
    });
    std::vector<LedgerEntry> ledger;
    const bool entries = accepted([&] { ledger = log.ledger(); });
    if (accepted([&] { log.verify(); })) {
      if (!whole || !entries || chains.size() != last) std::abort();
      fixtures.require_end(last == 0 ? "" : chains.back(), ledger);
    }
  });
}

void go_on_as_fixture(const std::string& path, const Fixtures& fixtures) {
  const Bytes before = bytes_of_model(path);
  State state;
  if (accepted([&] { state = state_of(path); })) {
    fixtures.require_state(state);
  } else if (bytes_of_model(path) != before) {
    std::abort();
  }
}

// Whatever the file says, it must mean something.
void read_as_anything(const std::string& path) {
  std::string first;
  std::string second;
  const auto read = [&](std::string& all) {
    const ReleaseLog log(path);
    log.verify();
    const std::string request = log::request_text(log.options());
    if (log::request_text(log::parse_request(request, "x")) != request) std::abort();
    log.for_each(1, 1000, [&](const Release& release) {
      for (const double value : release.statistics.gram) {
        if (!std::isfinite(value)) std::abort();
      }
      all += bits_of(release);
    });
    all += request;
  };
  if (accepted([&] { read(first); }) && (!accepted([&] { read(second); }) || first != second)) std::abort();
  const Bytes before = bytes_of_model(path);
  bool opened = false;
  accepted([&] {
    DurableRegression regression = DurableRegression::open(path);
    opened = true;
    if (first.empty()) std::abort();  // the reader refused what the writer takes
    // The paper's solver may take minutes for a request that nobody would make.
    if (regression.options().solver == Solver::noisy_proj_grad) return;
    const std::uint64_t step = regression.committed_step();
    observe_until_release(regression);
    for (const Release& release : regression.close("x")) {
      if (release.model.step != step + 1) std::abort();
    }
  });
  if (!opened && bytes_of_model(path) != before) std::abort();
}

void parse(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes[0]);
  bytes.remove_prefix(1);
  accepted([&] {
    if (choice % 3 == 0) {
      const auto options = log::parse_request(bytes, "x");
      const std::string text = log::request_text(options);
      if (log::request_text(log::parse_request(text, "x")) != text) std::abort();
      if (!log::first_difference(options, options).empty()) std::abort();
    } else if (choice % 3 == 1) {
      StreamOptions request;
      if (bytes.size() == 32) request.erm.emplace();  // those of PrivIncERM are that long
      if (log::decisions_bytes(log::parse_decisions(bytes, request, "x")) != bytes) std::abort();
    } else {
      const bool has_target_square = choice % 2 == 0;
      const auto statistics = log::parse_statistics(bytes, choice / 6, has_target_square, "x");
      if (log::statistics_bytes(statistics) != bytes) std::abort();
    }
  });
}

void run(std::string_view bytes) {
  static const Fixtures fixtures;
  if (bytes.empty()) return;
  if (bytes[0] == 'P') return parse(bytes.substr(1));
  const TemporaryModel model;
  if (bytes[0] == 'D') {
    if (!edit_fields(model.path(), fixtures, bytes.substr(1))) return;
    return read_as_anything(model.path());
  }
  if (bytes[0] == 'E') {
    edit_bytes(model.path(), fixtures, bytes.substr(1));
  } else {
    write_file(model.path(), bytes);
  }
  read_as_fixture(model.path(), fixtures);
  go_on_as_fixture(model.path(), fixtures);
}

}  // namespace
}  // namespace rivulet::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rivulet::fuzzing::run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Whole files keep their length: changes inside pages, pages exchanged, and now and then the end cut off.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  constexpr std::size_t kPage = 4096;
  if (size <= kPage || data[0] != 'S') return LLVMFuzzerMutate(data, size, max_size);
  std::uint64_t random = seed * 0x9e3779b97f4a7c15ULL + 1;
  const auto next = [&](std::size_t limit) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<std::size_t>(random % limit);
  };
  const std::size_t a = next(size / kPage) * kPage;
  const std::size_t b = next(size / kPage) * kPage;
  switch (next(8)) {
    case 0:
      for (std::size_t i = 0; i < kPage; ++i) std::swap(data[a + i], data[b + i]);
      return size;
    case 1:
      return next(8) == 0 ? size - next(kPage) : size;
    case 2:  // the header of a page
      data[a + next(12)] ^= static_cast<std::uint8_t>(1 + next(255));
      return size;
    case 3:  // its cell pointers
      data[a + 8 + next(60)] = data[b + 8 + next(60)];
      return size;
    default: {
      const std::size_t at = a + next(kPage - 64);
      LLVMFuzzerMutate(data + at, 1 + next(64), 64);
      return size;
    }
  }
}
