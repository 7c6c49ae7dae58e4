// What a killed writer leaves: a model and its write-ahead log. The two belong together; each of them damaged, lost or
// replaced, they are read as one of the commits, or refused.
#include <gtest/gtest.h>

#include <random>

#include "rivulet/error.h"
#include "store/child.h"
#include "store/content.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLogHeader = 32;
constexpr std::size_t kFrame = 24 + kPage;

class DamagedLogTest : public ModelFolder {
 protected:
  // A closed run of 15 releases, then a run that is killed after three commits of five each. Copies of the files as
  // they were before that run and after each of its commits are named after0 to after3.
  void make_killed(const std::string& file, StreamOptions wanted, std::uint64_t seed = 5) {
    wanted.insecure_seed = seed;
    const auto stream = rows(90, 2, static_cast<unsigned>(seed));
    Child writer([&] {
      std::size_t next = 0;
      {
        DurableRegression first = DurableRegression::create(file, wanted);
        for (; next < 45; ++next) observe(first, stream[next], next);
        first.close("row 45");
      }
      copy_model(file, path("after0"));
      DurableRegression second = DurableRegression::open(file);
      for (int commit = 1; commit <= 3; ++commit) {
        for (int i = 0; i < 15; ++i, ++next) observe(second, stream[next], next);
        second.commit("row " + std::to_string(next));
        copy_model(file, path("after" + std::to_string(commit)));
      }
      ::kill(::getpid(), SIGKILL);
    });
    ASSERT_EQ(writer.wait(), -SIGKILL);
    ASSERT_TRUE(std::filesystem::exists(file + "-wal"));
  }

  void make_witnesses(const StreamOptions& wanted) {
    make_killed(path("killed"), wanted);
    for (int commits = 0; commits <= 3; ++commits) {
      const std::string file = path("after" + std::to_string(commits));
      witnesses_.push_back(witness_of(file));
      log_lengths_.push_back(commits == 0 ? 0 : std::filesystem::file_size(file + "-wal"));
    }
    closed_ = bytes_of(path("after0"));
    file_ = bytes_of(path("killed"));
    log_ = bytes_of(path("killed-wal"));
  }

  Verdict judge_pair(const std::string& file, const std::string& log, const std::vector<Witness>& accepted) {
    remove_model(path("damaged"));
    write_bytes(path("damaged"), file);
    write_bytes(path("damaged-wal"), log);
    return judge(path("damaged"), accepted);
  }

  std::vector<Witness> witnesses_;
  std::vector<std::size_t> log_lengths_;
  std::string closed_;
  std::string file_;
  std::string log_;
};

TEST_F(DamagedLogTest, AKilledWritersCommitsAreAllThere) {
  make_witnesses(with_units());
  EXPECT_EQ(witnesses_[3].log.releases.size(), 30U);
  EXPECT_EQ(witnesses_[3].model.source, "row 90");
  const Verdict verdict = judge_pair(file_, log_, {witnesses_[3]});
  EXPECT_EQ(verdict.wrong, "");
  EXPECT_TRUE(verdict.opened);
}

TEST_F(DamagedLogTest, AModelThatLostItsLogIsRefusedByReaderAndWriter) {
  make_witnesses(options());
  for (const bool empty : {false, true}) {
    remove_model(path("damaged"));
    write_bytes(path("damaged"), file_);
    if (empty) write_bytes(path("damaged-wal"), "");
    const Verdict verdict = judge(path("damaged"), {witnesses_[3]});
    EXPECT_EQ(verdict.wrong, "");
    EXPECT_FALSE(verdict.opened || verdict.verified);
    try {
      const ReleaseLog log(path("damaged"));
      ADD_FAILURE();
    } catch (const DamagedFile& error) {
      EXPECT_NE(std::string(error.what()).find("damaged-wal'"), std::string::npos) << error.what();
    }
  }
}

// What the log holds beyond the cut cannot be known: the model is at an earlier commit, exactly, as an older copy is.
TEST_F(DamagedLogTest, ALogCutShortGivesTheLastCommitThatIsWhole) {
  make_witnesses(with_units());
  std::vector<std::size_t> lengths = {1, kLogHeader - 1, kLogHeader, kLogHeader + 1};
  for (std::size_t frame = kLogHeader + kFrame; frame < log_.size(); frame += kFrame) {
    for (const std::size_t length : {frame - kPage / 2, frame - 1, frame, frame + 1}) lengths.push_back(length);
  }
  std::size_t previous = 0;
  for (const std::size_t length : lengths) {
    const Verdict verdict = judge_pair(file_, log_.substr(0, length), witnesses_);
    EXPECT_EQ(verdict.wrong, "") << length;
    if (!verdict.opened) continue;
    EXPECT_GE(verdict.witness, previous) << length;
    previous = verdict.witness;
    for (std::size_t commit = 1; commit <= 3; ++commit) {
      EXPECT_TRUE(length < log_lengths_[commit] || verdict.witness >= commit) << length;
    }
  }
  // The first transaction of the last commit is enough: its releases are made again of what it drew.
  EXPECT_EQ(previous, 3U);
}

TEST_F(DamagedLogTest, AFlippedByteInTheLogEndsItThere) {
  make_witnesses(options());
  std::mt19937_64 random(3);
  const auto flip = [&](std::size_t at) {
    std::string log = log_;
    log[at] = static_cast<char>(static_cast<unsigned char>(log[at]) ^ (1 + random() % 255));
    EXPECT_EQ(judge_pair(file_, log, witnesses_).wrong, "") << at;
  };
  for (std::size_t at = 0; at < kLogHeader; ++at) flip(at);
  for (std::size_t frame = kLogHeader; frame < log_.size(); frame += kFrame) {
    for (std::size_t at = frame; at < frame + 24; at += 1 + random() % 5) flip(at);
    flip(frame + 24 + random() % kPage);
  }
}

TEST_F(DamagedLogTest, AFlippedByteInAModelThatHasALogIsRefusedOrMeansNothing) {
  make_witnesses(with_strategy(StrategyKind::tree));
  std::mt19937_64 random(4);
  for (std::size_t at = random() % 50; at < file_.size(); at += 1 + random() % 199) {
    std::string file = file_;
    file[at] = static_cast<char>(static_cast<unsigned char>(file[at]) ^ (1 + random() % 255));
    EXPECT_EQ(judge_pair(file, log_, {witnesses_[3]}).wrong, "") << at;
  }
}

TEST_F(DamagedLogTest, TheLogOfAnotherModelIsRefused) {
  make_witnesses(options());
  make_killed(path("other"), options(), 6);
  make_killed(path("tree"), with_strategy(StrategyKind::tree));
  for (const char* other : {"other", "tree"}) {
    Verdict verdict = judge_pair(file_, bytes_of(path(other) + "-wal"), {witnesses_[3]});
    EXPECT_EQ(verdict.wrong, "") << other;
    EXPECT_FALSE(verdict.opened) << other;
    // Also when the model was closed properly and needs no log.
    verdict = judge_pair(closed_, bytes_of(path(other) + "-wal"), {witnesses_[0]});
    EXPECT_EQ(verdict.wrong, "") << other;
    EXPECT_FALSE(verdict.opened) << other;
  }
}

TEST_F(DamagedLogTest, TheLogOfAModelThatIsGoneIsNotTakenForThatOfANewOne) {
  make_killed(path("m"), options());
  std::filesystem::remove(path("m"));
  const auto before = everything();
  EXPECT_THROW(DurableRegression::create(path("m"), options()), IoError);
  EXPECT_EQ(everything(), before);
}

TEST_F(DamagedLogTest, AnIndexOfGarbageMeansNothing) {
  make_witnesses(options());
  std::mt19937_64 random(5);
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{136}, std::size_t{32768}}) {
    remove_model(path("damaged"));
    write_bytes(path("damaged"), file_);
    write_bytes(path("damaged-wal"), log_);
    std::string garbage(length, '\0');
    for (char& byte : garbage) byte = static_cast<char>(random());
    write_bytes(path("damaged-shm"), garbage);
    const Verdict verdict = judge(path("damaged"), {witnesses_[3]});
    EXPECT_EQ(verdict.wrong, "");
    EXPECT_TRUE(verdict.opened);
  }
}

TEST_F(DamagedLogTest, AJournalOfAnotherProgramIsNotAppliedToAModel) {
  { DurableRegression::create(path("m"), options()).close(""); }
  const std::string sound = bytes_of(path("m"));
  write_bytes(path("m-journal"), std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) + std::string(504, '\1'));
  EXPECT_THROW(DurableRegression::open(path("m")), DamagedFile);
  EXPECT_THROW(ReleaseLog(path("m")), DamagedFile);
  EXPECT_EQ(bytes_of(path("m")), sound);
}

}  // namespace
}  // namespace rivulet::store_testing
