// A child that was made without `hold` (_Fork) finds a Directory as another thread has left it.

#include "exec/process/files/directory.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/fork.h"
#include "exec/process/own/own.h"
#include "exec/rank/rank.h"

namespace heddle::process {
namespace {

constexpr unsigned kLimit = 60;  // seconds, of a child that waits for ever

TEST(Directory, OfAChildIsNotLocked) {
  ASSERT_FALSE(become_host());
  Rank rank(0);
  Rank::enter(&rank);
  const Directory& mine = own().directory.get();
  mine.hold();
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (child == 0) {
    alarm(kLimit);
    become_child();
    _exit(own().directory.get().change("/"));
  }
  mine.release();
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  Rank::enter(nullptr);
}

}  // namespace
}  // namespace heddle::process
