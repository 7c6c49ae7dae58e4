#include "input/byte_source.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "rivulet/error.h"
#include "support/gzipped.h"

namespace rivulet::input {
namespace {

namespace fs = std::filesystem;

class FileSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "rivulet_byte_source_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& bytes) const {
    const std::string path = folder_ / "input";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  fs::path folder_;
};

using rivulet::testing::gzipped;

std::string digits(std::size_t length) {
  std::mt19937 random(3);
  std::string text;
  while (text.size() < length) text += std::to_string(random()) + "\n";
  return text.substr(0, length);
}

struct Reading {
  std::string bytes;
  std::string fault;  // empty when the input was read to its end
};

Reading read_all(FileSource& source, std::size_t block = 1 << 16) {
  Reading reading;
  std::string buffer(block, '\0');
  try {
    while (const std::size_t length = source.read(buffer)) reading.bytes.append(buffer, 0, length);
  } catch (const IoError& error) {
    reading.fault = error.what();
  }
  return reading;
}

TEST_F(FileSourceTest, APlainFileComesBackByteForByteWhateverTheBlock) {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 1000u, 1000000u}) {
    const std::string text = digits(size);
    for (const std::size_t block : {1u, 7u, 65536u}) {
      if (size > 1000 && block < 1000) continue;
      FileSource source(write(text));
      const Reading reading = read_all(source, block);
      EXPECT_EQ(reading.bytes, text);
      EXPECT_EQ(reading.fault, "");
    }
  }
}

TEST_F(FileSourceTest, GzipIsRecognisedByItsMagicAndDecompressed) {
  for (const std::size_t size : {0u, 1u, 1000u, 3000000u}) {
    const std::string text = digits(size);
    FileSource source(write(gzipped(text)));
    const Reading reading = read_all(source, size > 1000 ? 50000 : 3);
    EXPECT_EQ(reading.bytes, text);
    EXPECT_EQ(reading.fault, "");
  }
}

TEST_F(FileSourceTest, GzipMembersInARowAreOneStreamAndZeroPaddingIsSkipped) {
  FileSource source(write(gzipped("a,b\n") + gzipped("") + gzipped(digits(400000)) + std::string(512, '\0')));
  const Reading reading = read_all(source);
  EXPECT_EQ(reading.bytes, "a,b\n" + digits(400000));
  EXPECT_EQ(reading.fault, "");
}

TEST_F(FileSourceTest, TruncatedGzipDeliversWhatWasReadableThenNamesTheOffset) {
  const std::string text = digits(200000);
  const std::string compressed = gzipped(text);
  for (const std::size_t kept : {std::size_t{2}, std::size_t{9}, std::size_t{5000}, compressed.size() - 1}) {
    const std::string path = write(compressed.substr(0, kept));
    FileSource source(path);
    const Reading reading = read_all(source);
    EXPECT_TRUE(text.starts_with(reading.bytes));
    EXPECT_EQ(reading.fault, path + ": gzip data ends too early at compressed byte " + std::to_string(kept));
    char byte = 0;
    EXPECT_THROW(source.read({&byte, 1}), IoError) << "the fault must stay";
    EXPECT_EQ(reading.bytes == text, kept == compressed.size() - 1) << "only the check sum was cut off";
  }
}

TEST_F(FileSourceTest, CorruptGzipIsAFaultWithAnOffsetWhereverTheDamageIs) {
  const std::string text = digits(20000);
  const std::string compressed = gzipped(text);
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = compressed;
    // Past the header: some of its fields (time stamp, system) carry no meaning for the content.
    const std::size_t place = 10 + random() % (damaged.size() - 10);
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
    FileSource source(write(damaged));
    const Reading reading = read_all(source);
    EXPECT_NE(reading.fault.find("at compressed byte "), std::string::npos) << "byte " << place;
  }
}

TEST_F(FileSourceTest, OtherBytesAfterAGzipMemberAreAFault) {
  FileSource source(write(gzipped("a\n") + "plain"));
  const Reading reading = read_all(source);
  EXPECT_EQ(reading.bytes, "a\n");
  EXPECT_NE(reading.fault.find("not gzip data after a complete gzip member"), std::string::npos);
}

TEST_F(FileSourceTest, APathThatCannotBeReadIsNamedWithTheReason) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      FileSource source(path);
    } catch (const IoError& error) {
      return error.what();
    }
    return "opened";
  };
  const std::string absent = folder_ / "absent.csv";
  EXPECT_EQ(message(absent), absent + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message(folder_), folder_.string() + ": cannot be read: Is a directory");
  if (::geteuid() != 0) {
    const std::string closed = write("a\n");
    ::chmod(closed.c_str(), 0);
    EXPECT_EQ(message(closed), closed + ": cannot be opened: Permission denied");
  }
}

TEST_F(FileSourceTest, ProgressCountsStoredBytesUpToTheSizeOnDisk) {
  const std::string compressed = gzipped(digits(3000000));
  FileSource source(write(compressed));
  ASSERT_TRUE(source.total_bytes().has_value());
  EXPECT_EQ(*source.total_bytes(), compressed.size());
  std::string block(10000, '\0');
  std::uint64_t before = source.position();
  EXPECT_EQ(before, 0u);
  while (source.read(block) > 0) {
    EXPECT_GE(source.position(), before);
    before = source.position();
  }
  EXPECT_EQ(before, compressed.size());
}

// A named pipe: opening it for both directions keeps it from ever reaching its end.
class PipeSourceTest : public FileSourceTest {
 protected:
  void SetUp() override {
    FileSourceTest::SetUp();
    path_ = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    writer_ = std::make_unique<std::fstream>(path_, std::ios::in | std::ios::out | std::ios::binary);
  }

  std::string path_;
  std::unique_ptr<std::fstream> writer_;
};

TEST_F(PipeSourceTest, ASilentPipeGivesWayToTheStopFlagPromptly) {
  std::atomic<bool> stop{false};
  FileSource source(path_, &stop);
  EXPECT_FALSE(source.total_bytes().has_value());
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  char byte = 0;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(source.read({&byte, 1}), 0u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_TRUE(source.stopped());
  stopper.join();
}

TEST_F(PipeSourceTest, ReadingGoesOnAfterAStopThatWasTakenBack) {
  std::atomic<bool> stop{true};
  FileSource source(path_, &stop);
  char bytes[8] = {};
  EXPECT_EQ(source.read(bytes), 0u);
  EXPECT_TRUE(source.stopped());
  stop = false;
  *writer_ << "7" << std::flush;
  EXPECT_EQ(source.read(bytes), 1u);
  EXPECT_EQ(bytes[0], '7');
  EXPECT_FALSE(source.stopped());
}

TEST_F(PipeSourceTest, ASignalWithoutTheStopFlagDoesNotEndTheReading) {
  struct sigaction action {};
  struct sigaction previous {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &previous), 0);  // no SA_RESTART: system calls return EINTR
  std::atomic<bool> stop{false};
  FileSource source(path_, &stop);
  const pthread_t reader = ::pthread_self();
  std::thread other([&] {
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ::pthread_kill(reader, SIGUSR1);
    }
    *writer_ << "ok" << std::flush;
  });
  char bytes[8] = {};
  EXPECT_GT(source.read(bytes), 0u);
  EXPECT_EQ(bytes[0], 'o');
  other.join();
  ::sigaction(SIGUSR1, &previous, nullptr);
}

TEST_F(PipeSourceTest, GzipThroughAPipeInSingleBytesIsDecompressed) {
  const std::string text = "a,b\n1,2\n";
  const std::string compressed = gzipped(text);
  std::atomic<bool> stop{false};
  FileSource source(path_, &stop);
  std::string received;
  char bytes[4];
  std::thread writing([&] {
    for (const char byte : compressed) *writer_ << byte << std::flush;
  });
  while (received.size() < text.size()) received.append(bytes, source.read(bytes));
  writing.join();
  EXPECT_EQ(received, text);
}

std::atomic<bool> stop_requested{false};

TEST(StandardInput, IsReadForADashAndASignalThatSetsTheStopFlagEndsTheWait) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  struct sigaction action {};
  struct sigaction previous {};
  action.sa_handler = [](int) { stop_requested = true; };
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &previous), 0);

  FileSource source("-", &stop_requested);
  EXPECT_EQ(source.name(), "standard input");
  ASSERT_EQ(::write(ends[1], "a,b\n", 4), 4);
  char bytes[16] = {};
  std::size_t length = 0;
  while (length < 4) length += source.read(std::span<char>(bytes).subspan(length));
  EXPECT_EQ(std::string(bytes), "a,b\n");

  const pthread_t reader = ::pthread_self();
  std::thread interrupting([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::pthread_kill(reader, SIGUSR1);
  });
  EXPECT_EQ(source.read(bytes), 0u);
  EXPECT_TRUE(source.stopped());
  interrupting.join();

  ::sigaction(SIGUSR1, &previous, nullptr);
  ::dup2(saved, STDIN_FILENO);
  for (const int descriptor : {saved, ends[0], ends[1]}) ::close(descriptor);
}

}  // namespace
}  // namespace rivulet::input
