// The library's own kernel threads take nothing from their creator and from the limits for programs.

#include "base/platform/own_thread.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

namespace heddle::platform {
namespace {

struct Seen {
  sigset_t blocked;
  cpu_set_t cpus;
  int policy;
  int niceness;
  char name[16];
};

void* look(void* argument) {
  auto& seen = *static_cast<Seen*>(argument);
  pthread_sigmask(SIG_BLOCK, nullptr, &seen.blocked);
  sched_getaffinity(0, sizeof seen.cpus, &seen.cpus);
  seen.policy = sched_getscheduler(0);
  seen.niceness = getpriority(PRIO_PROCESS, 0);
  prctl(PR_GET_NAME, seen.name);
  return nullptr;
}

Seen of_own_thread(const char* name) {
  Seen seen{};
  pthread_t thread;
  EXPECT_EQ(start_own_thread({name, look, &seen}, &thread), 0);
  pthread_join(thread, nullptr);
  return seen;
}

TEST(OwnThread, BlocksAllSignals) {
  const Seen seen = of_own_thread("heddle-test");
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGRTMIN, SIGRTMAX})
    EXPECT_EQ(sigismember(&seen.blocked, signal), 1) << signal;
}

TEST(OwnThread, RunsAsTheProcessBeganAndNotAsItsCreator) {
  Seen first{};
  look(&first);
  Seen seen{};
  std::thread([&seen, &first] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_COUNT(&one) == 0 && CPU_ISSET(cpu, &first.cpus)) CPU_SET(cpu, &one);
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const sched_param none{};
    EXPECT_EQ(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    if (geteuid() == 0) setpriority(PRIO_PROCESS, 0, first.niceness + 3);
    seen = of_own_thread("heddle-test");
  }).join();
  EXPECT_TRUE(CPU_EQUAL(&seen.cpus, &first.cpus));
  EXPECT_EQ(seen.policy, first.policy);
  EXPECT_EQ(seen.niceness, first.niceness);
}

TEST(OwnThread, HasTheNameThatItIsGiven) {
  EXPECT_EQ(std::string(of_own_thread("heddle-test").name), "heddle-test");
}

void* fill_stack(void* filled) {
  volatile char bytes[kOwnStackBytes / 2];
  for (std::size_t i = 0; i < sizeof bytes; i += 512) bytes[i] = 1;
  *static_cast<bool*>(filled) = bytes[0] == 1;
  return nullptr;
}

// What libc takes for its default from RLIMIT_STACK when a process begins.
TEST(OwnThread, HasItsStackWhateverTheUsersLimitIs) {
  pthread_attr_t usual, small;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, std::size_t{64} << 10);
  ASSERT_EQ(pthread_setattr_default_np(&small), 0);
  bool filled = false;
  pthread_t thread;
  ASSERT_EQ(start_own_thread({"heddle-test", fill_stack, &filled}, &thread), 0);
  pthread_join(thread, nullptr);
  EXPECT_TRUE(filled);
  EXPECT_EQ(pthread_setattr_default_np(&usual), 0);
  pthread_attr_destroy(&small);
  pthread_attr_destroy(&usual);
}

TEST(OwnThread, StaticTlsIsWhatAThreadsStackLacksAtItsTop) {
  const auto frame_below_top = [](void* out) -> void* {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void* low = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    *static_cast<std::size_t*>(out) = static_cast<std::size_t>(
        static_cast<char*>(low) + bytes - static_cast<char*>(__builtin_frame_address(0)));
    return nullptr;
  };
  std::size_t used = 0;
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, frame_below_top, &used), 0);
  pthread_join(thread, nullptr);
  EXPECT_GE(static_tls_bytes() + (std::size_t{32} << 10), used);
}

}  // namespace
}  // namespace heddle::platform
