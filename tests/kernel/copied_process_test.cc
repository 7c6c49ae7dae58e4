// Copies of a process, by fork and by the bare system call, which no fork handler sees. The same tests run where the
// kernel does not wipe pages (RIVULET_NO_WIPING: madvise is replaced by one that refuses).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <vector>

#include "kernel/random_bits.h"
#include "rivulet/process_mark.h"
#include "support/memory_scan.h"

#ifdef RIVULET_NO_WIPING
extern "C" int __real_madvise(void* address, std::size_t length, int advice);
extern "C" int __wrap_madvise(void* address, std::size_t length, int advice) {
  if (advice != MADV_WIPEONFORK) return __real_madvise(address, length, advice);
  errno = EINVAL;
  return -1;
}
#endif

namespace rivulet::kernel {
namespace {

enum class By { fork, clone };

pid_t copy(By by) {
  return by == By::fork ? fork() : static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

// Whether `holds` in a copy of this process.
bool in_a_copy(By by, const std::function<bool()>& holds) {
  const pid_t child = copy(by);
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return child > 0 && status == 0;
}

class CopiedProcess : public ::testing::TestWithParam<By> {};

TEST_P(CopiedProcess, IsToldFromTheOneThatMadeTheMark) {
  const ProcessMark mark;
  EXPECT_TRUE(mark.is_of_this_process());
  EXPECT_TRUE(in_a_copy(GetParam(), [&] { return !mark.is_of_this_process(); }));
  EXPECT_TRUE(mark.is_of_this_process());
}

TEST_P(CopiedProcess, HasMarksOfItsOwnThatItsCopiesAreToldFrom) {
  const ProcessMark mark;
  EXPECT_TRUE(in_a_copy(GetParam(), [&] {
    const ProcessMark own;
    return own.is_of_this_process() && !mark.is_of_this_process() && in_a_copy(GetParam(), [&] {
             // A copy that asks for a mark of its own before it looks at the others.
             const ProcessMark last;
             return last.is_of_this_process() && !own.is_of_this_process() && !mark.is_of_this_process();
           });
  }));
}

TEST_P(CopiedProcess, DoesNotDrawItsParentsBits) {
  RandomBits bits = RandomBits::secure();
  for (int i = 0; i < 10; ++i) bits.next64();  // leave a half-used buffer behind
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  ASSERT_TRUE(in_a_copy(GetParam(), [&] {
    const std::uint64_t words[2] = {bits.next64(), bits.next64()};
    return write(channel[1], words, 16) == 16;
  }));
  std::uint64_t words[2] = {};
  ASSERT_EQ(read(channel[0], words, 16), 16);
  close(channel[0]);
  close(channel[1]);
  const std::uint64_t first = bits.next64();
  EXPECT_NE(first, words[0]);
  EXPECT_NE(bits.next64(), words[1]);
  EXPECT_NE(words[0], 0U);  // a wiped buffer is not handed out
  EXPECT_NE(words[0], words[1]);
}

TEST_P(CopiedProcess, TwoCopiesDrawDifferentBits) {
  RandomBits bits = RandomBits::secure();
  bits.next64();
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(in_a_copy(GetParam(), [&] {
      const std::uint64_t word = bits.next64();
      return write(channel[1], &word, 8) == 8;
    }));
  }
  std::uint64_t words[2] = {};
  ASSERT_EQ(read(channel[0], words, 16), 16);
  close(channel[0]);
  close(channel[1]);
  EXPECT_NE(words[0], words[1]);
}

TEST_P(CopiedProcess, GoesOnWithSeededBitsAsTheOriginalDoes) {
  RandomBits bits = RandomBits::insecure(5);
  bits.next64();
  RandomBits expected = RandomBits::insecure(5);
  expected.next64();
  const std::uint64_t next = expected.next64();
  EXPECT_TRUE(in_a_copy(GetParam(), [&] { return bits.next64() == next; }));
  EXPECT_EQ(bits.next64(), next);
}

TEST_P(CopiedProcess, NeverHasTheBitsThatItsParentIsGoingToDraw) {
#ifdef RIVULET_NO_WIPING
  GTEST_SKIP() << "needs a kernel that wipes pages";
#endif
  RandomBits bits = RandomBits::secure();
  bits.next64();
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = copy(GetParam());
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<std::uint64_t> complements(4);
    if (read(channel[0], complements.data(), 32) != 32) _exit(1);
    _exit(testing::secrets_in_memory(complements) == 0 ? 0 : 2);
  }
  std::vector<std::uint64_t> complements(4);
  for (std::uint64_t& word : complements) word = ~bits.next64();
  ASSERT_EQ(write(channel[1], complements.data(), 32), 32);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(channel[0]);
  close(channel[1]);
}

INSTANTIATE_TEST_SUITE_P(ByForkAndByBareClone, CopiedProcess, ::testing::Values(By::fork, By::clone),
                         [](const auto& by) { return by.param == By::fork ? "Fork" : "Clone"; });

}  // namespace
}  // namespace rivulet::kernel
