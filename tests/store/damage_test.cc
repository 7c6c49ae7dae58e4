// A model file that was damaged where it lay: cut short, flipped bits, lost, exchanged and foreign pages. Whatever
// happened to it, it is read as it was or refused; nothing in between.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "store/content.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

constexpr std::size_t kPage = 4096;

class DamageTest : public ModelFolder {
 protected:
  // 30 releases in 6 commits by two runs, with a row that waits for the next release.
  std::string make(const StreamOptions& wanted) {
    const std::string file = path("sound");
    remove_model(file);
    const auto stream = rows(91);
    std::size_t next = 0;
    for (int run = 0; run < 2; ++run) {
      DurableRegression regression = run == 0 ? DurableRegression::create(file, wanted) : DurableRegression::open(file);
      for (int commit = 0; commit < 3; ++commit) {
        const std::size_t until = std::min<std::size_t>(stream.size(), next + (commit == 2 ? 16 : 15));
        for (; next < until; ++next) observe(regression, stream[next], next);
        if (commit == 2) {
          regression.set_delivered(regression.committed_step());
          regression.close("row " + std::to_string(next));
        } else {
          regression.commit("row " + std::to_string(next));
        }
      }
    }
    EXPECT_FALSE(std::filesystem::exists(file + "-wal"));
    return bytes_of(file);
  }

  void expect_refused_or_same(const std::string& bytes, const std::string& how) {
    const std::string file = path("damaged");
    remove_model(file);
    write_bytes(file, bytes);
    const Verdict verdict = judge(file, witnesses_);
    EXPECT_EQ(verdict.wrong, "") << how;
    ++(verdict.opened ? accepted_ : refused_);
  }

  void for_each_kind(const std::function<void(const std::string&)>& damage) {
    for (const auto& wanted : {with_units(), with_strategy(StrategyKind::tree), with_erm()}) {
      const std::string sound = make(wanted);
      witnesses_ = {witness_of(path("sound"))};
      ASSERT_EQ(witnesses_[0].model.releases.size(), 30U);
      ASSERT_EQ(witnesses_[0].model.waiting_rows, 1U);
      damage(sound);
      if (HasFailure()) return;
    }
  }

  std::vector<Witness> witnesses_;
  int accepted_ = 0;
  int refused_ = 0;
};

TEST_F(DamageTest, AFileCutShortAnywhereIsRefused) {
  for_each_kind([&](const std::string& sound) {
    std::vector<std::size_t> lengths;
    for (std::size_t length = 0; length <= 100; ++length) lengths.push_back(length);
    for (std::size_t page = kPage; page <= sound.size(); page += kPage) {
      for (const std::size_t length : {page - kPage / 2, page - 1, page, page + 1}) lengths.push_back(length);
    }
    for (const std::size_t length : lengths) {
      if (length < sound.size()) expect_refused_or_same(sound.substr(0, length), "cut to " + std::to_string(length));
    }
  });
  EXPECT_EQ(accepted_, 0);
}

TEST_F(DamageTest, AFlippedByteIsRefusedOrMeansNothing) {
  std::mt19937_64 random(1);
  for_each_kind([&](const std::string& sound) {
    const auto flip = [&](std::size_t at) {
      std::string bytes = sound;
      const auto change = static_cast<unsigned char>(1 + random() % 255);
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ change);
      expect_refused_or_same(bytes, "byte " + std::to_string(at) + " ^ " + std::to_string(change));
    };
    // The first page, with the header and the definitions of all tables, byte by byte once; of the rest, a few hundred.
    const bool first = refused_ == 0;
    for (std::size_t at = 0; first && at < kPage; ++at) flip(at);
    for (std::size_t at = kPage + random() % 31; at < sound.size(); at += 1 + random() % 299) flip(at);
  });
  // Most of a small file is padding, but far from all of it.
  EXPECT_GT(refused_, accepted_ / 4);
}

TEST_F(DamageTest, AZeroedAnExchangedAndAForeignPageAreRefused) {
  for_each_kind([&](const std::string& sound) {
    for (std::size_t a = 0; a < sound.size(); a += kPage) {
      std::string zeroed = sound;
      zeroed.replace(a, kPage, kPage, '\0');
      expect_refused_or_same(zeroed, "zeroed page at " + std::to_string(a));
      for (std::size_t b = a + kPage; b < sound.size(); b += kPage) {
        std::string swapped = sound;
        swapped.replace(a, kPage, sound, b, kPage).replace(b, kPage, sound, a, kPage);
        expect_refused_or_same(swapped, "swapped " + std::to_string(a) + " " + std::to_string(b));
        std::string twice = sound;
        twice.replace(b, kPage, sound, a, kPage);
        expect_refused_or_same(twice, "page " + std::to_string(a) + " also at " + std::to_string(b));
      }
    }
  });
  EXPECT_EQ(accepted_, 0);
}

TEST_F(DamageTest, BytesBehindTheEndMeanNothing) {
  std::mt19937_64 random(2);
  for_each_kind([&](const std::string& sound) {
    for (const std::size_t length : {std::size_t{1}, std::size_t{100}, kPage, 3 * kPage + 7}) {
      std::string garbage(length, '\0');
      for (char& byte : garbage) byte = static_cast<char>(random());
      expect_refused_or_same(sound + garbage, "garbage behind the end");
      expect_refused_or_same(sound + sound.substr(0, std::min(length, sound.size())), "itself behind the end");
    }
  });
}

// A disk that says it wrote a page and did not leaves the page as it was before.
TEST_F(DamageTest, AnyPageAsItWasBeforeTheLastCommitIsRefused) {
  for_each_kind([&](const std::string&) {
    const std::string file = path("sound");
    const std::string before = bytes_of(file);
    const auto stream = rows(10, 2, 7);
    {
      DurableRegression regression = DurableRegression::open(file);
      for (std::size_t i = 0; i < 1; ++i) observe(regression, stream[i], i);  // no release: state alone
      regression.commit("after one");
    }
    const std::string between = bytes_of(file);
    {
      DurableRegression regression = DurableRegression::open(file);
      for (std::size_t i = 1; i < 9; ++i) observe(regression, stream[i], i);
      regression.commit("after nine");
    }
    const std::string after = bytes_of(file);
    int lost = 0;
    for (const auto& [older, newer] :
         {std::pair(before, between), std::pair(between, after), std::pair(before, after)}) {
      write_bytes(file, newer);
      witnesses_ = {witness_of(file)};
      for (std::size_t at = 0; at < std::min(older.size(), newer.size()); at += kPage) {
        if (older.compare(at, kPage, newer, at, kPage) == 0) continue;
        ++lost;
        std::string mixed = newer;
        mixed.replace(at, kPage, older, at, kPage);
        expect_refused_or_same(mixed, "page at " + std::to_string(at) + " lost");
      }
    }
    EXPECT_GE(lost, 10);
  });
}

}  // namespace
}  // namespace rivulet::store_testing
