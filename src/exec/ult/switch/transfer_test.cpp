// A call that the kernel has ended with a part of its bytes moves the rest.

#include "exec/ult/switch/transfer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace heddle::ult {
namespace {

int bytes_in(int pipe) {
  int bytes = 0;
  ioctl(pipe, FIONREAD, &bytes);
  return bytes;
}

// A child ends whose parent, a thread, blocks SIGCHLD: the kernel wakes another thread for the
// signal, which leaves its call, and then drops the signal. No handler runs.
TEST(Transfer, GoesOnThoughNoHandlerHasRun) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  long written = 0;
  std::vector<char> bytes(1 << 20, 'x');
  const auto size = static_cast<long>(bytes.size());
  std::thread writer([&] {
    written = make_whole(
        {.number = SYS_write, .arguments = {ends[1], reinterpret_cast<long>(bytes.data()), size}});
    close(ends[1]);
  });
  pthread_sigmask(SIG_BLOCK, &child, &before);
  int last = 0;
  while (last == 0 || bytes_in(ends[0]) != last) {  // until the pipe is full, and the writer waits
    last = bytes_in(ends[0]);
    usleep(1000);
  }
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  EXPECT_EQ(waitpid(ended, nullptr, 0), ended);
  long arrived = 0;
  for (std::vector<char> part(4096); ssize_t now = read(ends[0], part.data(), part.size());) {
    ASSERT_GT(now, 0);
    arrived += now;
  }
  writer.join();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ends[0]);
  EXPECT_EQ(written, size);
  EXPECT_EQ(arrived, size);
}

// The other end is gone: the call is not made once more, so SIGPIPE comes with the program's next.
TEST(Transfer, EndsWhereTheDescriptorTakesNoMore) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  std::vector<char> bytes(1 << 20, 'x');
  const auto size = static_cast<long>(bytes.size());
  std::thread reader([&] {
    char part[4096];
    EXPECT_GT(read(ends[0], part, sizeof part), 0);
    while (bytes_in(ends[0]) < (1 << 15)) usleep(1000);
    close(ends[0]);
  });
  const SystemCall call{.number = SYS_write,
                        .arguments = {ends[1], reinterpret_cast<long>(bytes.data()), size}};
  const long written = make_whole(call);
  reader.join();
  EXPECT_GT(written, 0);
  EXPECT_LT(written, size);
  close(ends[1]);
}

}  // namespace
}  // namespace heddle::ult
