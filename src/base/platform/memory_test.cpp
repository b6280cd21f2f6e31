#include "base/platform/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::platform {
namespace {

TEST(Memory, MapsWholeZeroedPagesThatCanBeWritten) {
  const Mapping pages = map_pages(page_size() + 1);
  ASSERT_NE(pages.low, nullptr);
  EXPECT_EQ(pages.bytes, 2 * page_size());
  char* bytes = static_cast<char*>(pages.low);
  EXPECT_EQ(bytes[pages.bytes - 1], 0);
  bytes[pages.bytes - 1] = 1;
  unmap(pages);
}

TEST(Memory, PutsAnInaccessibleAreaBelowAStack) {
  const Mapping stack = map_stack(3 * page_size());
  ASSERT_NE(stack.low, nullptr);
  // write() of the guard to a pipe fails without a signal.
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  for (const std::size_t below : {std::size_t{1}, kStackGuard / 2, kStackGuard}) {
    EXPECT_EQ(write(pipes[1], static_cast<char*>(stack.low) - below, 1), -1);
    EXPECT_EQ(errno, EFAULT);
  }
  EXPECT_EQ(write(pipes[1], stack.low, 1), 1);
  close(pipes[0]);
  close(pipes[1]);
  unmap(stack);
}

TEST(Memory, SaysSoWhenTheKernelRefuses) {
  EXPECT_EQ(map_stack(std::size_t{1} << 60).low, nullptr);
  EXPECT_EQ(map_pages(std::size_t{1} << 60).low, nullptr);
}

}  // namespace
}  // namespace heddle::platform
