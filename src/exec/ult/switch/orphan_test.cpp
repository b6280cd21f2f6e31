#include "exec/ult/switch/orphan.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/platform/thread_pointer.h"

namespace heddle::ult {
namespace {

// In a process of its own: the layout is learnt once.
TEST(OrphanDeathTest, AWordThatIsTheThreadsIdByChanceIsNotTakenForIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        constexpr std::size_t kUnusedWord = 56;  // unused_vgetcpu_cache of glibc's tcbhead_t
        const int tid = static_cast<int>(syscall(SYS_gettid));
        std::memcpy(platform::thread_pointer() + kUnusedWord, &tid, sizeof tid);
        const char* reason = "";
        const bool learnt = Orphan::learn_layout(&reason);
        std::fputs(reason, stderr);
        std::_Exit(learnt ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heddle::ult
