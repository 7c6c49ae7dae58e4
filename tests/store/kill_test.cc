// A process that is killed again and again, at any moment, and started again: what it ever handed out is in the log,
// and the whole is what an uninterrupted process would have published.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "rivulet/priv_inc_reg1.h"
#include "store/child.h"
#include "store/content.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

constexpr std::size_t kRows = 12000;

class KillTest : public ModelFolder {
 protected:
  // Goes on from wherever the model is, to the end of the stream. Each release that commit() hands out goes to the file
  // "published" in one write; what a kill in the middle of one left of a line is cut off.
  void go_on(const StreamOptions& wanted) const {
    if (std::filesystem::exists(path("published"))) {
      std::filesystem::resize_file(path("published"), bytes_of(path("published")).rfind('\n') + 1);
    }
    const int published = ::open(path("published").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    DurableRegression regression = std::filesystem::exists(path("m")) ? DurableRegression::open(path("m"))
                                                                      : DurableRegression::create(path("m"), wanted);
    std::mt19937_64 random(std::random_device{}());
    std::size_t next = regression.source().empty() ? 0 : std::stoul(regression.source());
    while (next < kRows) {
      const std::size_t until = std::min(kRows, next + 1 + random() % 40);
      for (; next < until; ++next) observe(regression, stream_[next], next);
      const auto releases =
          next == kRows ? regression.close(std::to_string(next)) : regression.commit(std::to_string(next));
      std::string line;
      for (const Release& release : releases) line += std::to_string(release.model.step) + " " + release.chain + "\n";
      if (::write(published, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(98);
    }
  }

  void run(const StreamOptions& wanted) {
    std::mt19937_64 random(7);
    int kills = 0;
    for (int code = -1; code != 0;) {
      Child child([&] { go_on(wanted); });
      if (kills < 100) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 9'000));
        code = child.kill();
      } else {
        code = child.wait();
      }
      ASSERT_TRUE(code == 0 || code == -SIGKILL) << code;
      kills += code == 0 ? 0 : 1;
      if (kills % 10 == 0 && std::filesystem::exists(path("m"))) ReleaseLog(path("m")).verify();
    }
    EXPECT_GE(kills, 50);

    const ReleaseLog log(path("m"));
    log.verify();
    std::vector<std::string> chains;
    IncrementalRegression uninterrupted(wanted);
    std::size_t row = 0;
    log.for_each(1, 1'000'000, [&](const Release& release) {
      chains.push_back(release.chain);
      ASSERT_EQ(release.statistics.step, chains.size());
      bool released = false;
      while (!released) {
        const Row& next = stream_.at(row);
        released = wanted.unit ? uninterrupted.observe(next.values, next.target, "person " + std::to_string(row % 7))
                               : uninterrupted.observe(next.values, next.target);
        ++row;
      }
      ASSERT_EQ(bits_of(release.statistics), bits_of(uninterrupted.statistics())) << release.statistics.step;
      ASSERT_EQ(release.model.theta, uninterrupted.model().theta) << release.statistics.step;
    });
    EXPECT_EQ(chains.size(), kRows / wanted.release_every);

    std::ifstream published(path("published"));
    std::uint64_t step = 0;
    std::uint64_t last = 0;
    for (std::string chain; published >> step >> chain;) {
      ASSERT_LE(step, chains.size());
      EXPECT_EQ(chains[step - 1], chain) << step;
      EXPECT_GT(step, last) << "published twice";
      last = step;
    }
    EXPECT_EQ(last, chains.size());
    const auto ledger = log.ledger();
    EXPECT_EQ(ledger.back().event, "closed");
  }

  const std::vector<Row> stream_ = rows(kRows);
};

TEST_F(KillTest, ABltStreamThatIsKilledAHundredTimesPublishesWhatAnUninterruptedOneWould) {
  run(options(4));
}

TEST_F(KillTest, ATreeOfUnitsThatIsKilledAHundredTimesPublishesWhatAnUninterruptedOneWould) {
  StreamOptions wanted = with_units(4);
  wanted.unit->max_rows = 700;
  wanted.strategy = StrategyKind::tree;
  wanted.horizon = Horizon::known(4000);
  run(wanted);
}

TEST_F(KillTest, PrivIncErmKilledAHundredTimesPublishesWhatAnUninterruptedOneWould) {
  StreamOptions wanted = with_erm(4);
  wanted.erm->tau = 50;
  run(wanted);
}

}  // namespace
}  // namespace rivulet::store_testing
