// Calls that make descriptors, beside those of files (own_paths.cpp, files.cpp) and dup and fcntl
// (descriptors.cpp, locks.cpp): the new descriptor is the rank's. And calls that close many.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "exec/process/descriptors/of_rank/descriptors.h"
#include "exec/process/waits/of_rank/named_sets.h"

using namespace heddle::process::of_rank;

static_assert(SOCK_CLOEXEC == O_CLOEXEC && EPOLL_CLOEXEC == O_CLOEXEC && EFD_CLOEXEC == O_CLOEXEC &&
              SFD_CLOEXEC == O_CLOEXEC && TFD_CLOEXEC == O_CLOEXEC && IN_CLOEXEC == O_CLOEXEC);

namespace heddle::process::of_rank {

void hide(int made, bool passes_on) noexcept {
  owned(made, passes_on);
  libc().fcntl(made, F_SETFD, FD_CLOEXEC);
}

}  // namespace heddle::process::of_rank

namespace {

// The two ends of a pipe or a pair, made close-on-exec.
int own_pair(int failed, int (&ends)[2], bool passes_on) noexcept {
  if (failed != 0) return failed;
  // Both are the rank's before either gets another number.
  for (const int end : ends) owned(end, passes_on);
  for (int& end : ends) end = placed(end, passes_on);
  return 0;
}

// The descriptors that came in a message, made close-on-exec.
void own_received(msghdr& message, bool passes_on) noexcept {
  for_each_right(message, [=](int descriptor) { owned(descriptor, passes_on); });
}

int close_owned(unsigned first, unsigned last) noexcept {
  const auto* const host = rank_hooks();
  for (unsigned i = first; i <= 2 && i <= last; ++i) close(static_cast<int>(i));
  if (first > INT32_MAX) return 0;
  for (int i = host->descriptors.next(static_cast<int>(first));
       i >= 0 && static_cast<unsigned>(i) <= last; i = host->descriptors.next(i + 1)) {
    close(i);
  }
  return 0;
}

}  // namespace

HEDDLE_EXPORT int pipe2(int* ends, int flags) noexcept {
  int made[2];
  if (libc().pipe2(made, hidden(flags)) != 0) return -1;
  own_pair(0, made, (flags & O_CLOEXEC) == 0);
  memcpy(ends, made, sizeof made);
  return 0;
}

HEDDLE_EXPORT int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  int made[2];
  if (libc().socketpair(domain, hidden(type), protocol, made) != 0) return -1;
  own_pair(0, made, (type & SOCK_CLOEXEC) == 0);
  memcpy(ends, made, sizeof made);
  return 0;
}

HEDDLE_EXPORT int socket(int domain, int type, int protocol) noexcept {
  return make_descriptor(type, [&](int all) { return libc().socket(domain, all, protocol); });
}

HEDDLE_EXPORT int accept4(int listener, sockaddr* address, socklen_t* length, int flags) {
  listener = in_process(listener);
  if (!await_if_shared(listener, POLLIN)) return -1;
  return make_descriptor(flags,
                         [&](int all) { return libc().accept4(listener, address, length, all); });
}

HEDDLE_EXPORT ssize_t recvmsg(int socket, msghdr* message, int flags) {
  socket = in_process(socket);
  const ssize_t size = (flags & MSG_DONTWAIT) != 0 || await_if_shared(socket, POLLIN)
                           ? libc().recvmsg(socket, message, hidden(flags, MSG_CMSG_CLOEXEC))
                           : -1;
  if (size >= 0) own_received(*message, (flags & MSG_CMSG_CLOEXEC) == 0);
  return size;
}

HEDDLE_EXPORT int recvmmsg(int socket, mmsghdr* messages, unsigned count, int flags,
                           timespec* timeout) {
  socket = in_process(socket);
  if ((flags & MSG_DONTWAIT) == 0 && timeout == nullptr && !await_if_shared(socket, POLLIN))
    return -1;
  const int received =
      libc().recvmmsg(socket, messages, count, hidden(flags, MSG_CMSG_CLOEXEC), timeout);
  for (int i = 0; i < received; ++i) {
    own_received(messages[i].msg_hdr, (flags & MSG_CMSG_CLOEXEC) == 0);
  }
  return received;
}

HEDDLE_EXPORT int epoll_create(int size) noexcept {
  if (size <= 0) {
    errno = EINVAL;
    return -1;
  }
  return epoll_create1(0);
}

HEDDLE_EXPORT int eventfd(unsigned count, int flags) noexcept {
  return make_descriptor(flags, [&](int all) { return libc().eventfd(count, all); });
}

HEDDLE_EXPORT int signalfd(int descriptor, const sigset_t* mask, int flags) noexcept {
  if (descriptor >= 0)
    return libc().signalfd(descriptor, mask, flags);  // a new mask for an old one
  return make_descriptor(flags, [&](int all) { return libc().signalfd(descriptor, mask, all); });
}

HEDDLE_EXPORT int timerfd_create(clockid_t clock, int flags) noexcept {
  return make_descriptor(flags, [&](int all) { return libc().timerfd_create(clock, all); });
}

HEDDLE_EXPORT int memfd_create(const char* name, unsigned flags) noexcept {
  const int all = hidden(static_cast<int>(flags), MFD_CLOEXEC);
  return placed(libc().memfd_create(name, static_cast<unsigned>(all)), (flags & MFD_CLOEXEC) == 0);
}

HEDDLE_EXPORT int pidfd_open(pid_t process, unsigned flags) noexcept {
  return placed(libc().pidfd_open(process, flags), false);  // the kernel makes it close-on-exec
}

HEDDLE_EXPORT int shm_open(const char* name, int flags, mode_t mode) {
  return placed(libc().shm_open(name, flags, mode), false);  // libc makes it close-on-exec
}

HEDDLE_EXPORT int openpty(int* master, int* slave, char* name, const termios* settings,
                          const winsize* window) noexcept {
  const int failed = libc().openpty(master, slave, name, settings, window);
  if (failed != 0 || rank_hooks() == nullptr) return failed;
  hide(*master, true);
  hide(*slave, true);
  return 0;
}

HEDDLE_EXPORT int mkostemps(char* path, int suffix, int flags) {
  return make_descriptor(flags, [&](int all) { return libc().mkostemps(path, suffix, all); });
}

extern "C" {
#define HEDDLE_ALIAS(name) __attribute__((visibility("default"), alias(name)))
HEDDLE_ALIAS("mkostemps") int mkostemps64(char* path, int suffix, int flags);
HEDDLE_ALIAS("mkostemp") int mkostemp64(char* path, int flags);
HEDDLE_ALIAS("mkstemps") int mkstemps64(char* path, int suffix);
HEDDLE_ALIAS("mkstemp") int mkstemp64(char* path);
#undef HEDDLE_ALIAS
}

HEDDLE_EXPORT DIR* opendir(const char* path) {
  DIR* const folder = libc().opendir(path);
  if (folder != nullptr) owned(dirfd(folder), false);
  return folder;
}

HEDDLE_EXPORT int closedir(DIR* folder) {
  if (const auto* const host = rank_hooks()) host->descriptors.give_up(dirfd(folder));
  return libc().closedir(folder);
}

HEDDLE_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  const auto* const host = rank_hooks();
  if (host == nullptr) return libc().close_range(first, last, flags);
  const auto known = static_cast<int>(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC);
  if (first > last || (flags & ~known) != 0) {
    errno = EINVAL;
    return -1;
  }
  if ((flags & static_cast<int>(CLOSE_RANGE_CLOEXEC)) == 0) return close_owned(first, last);
  if (first > INT32_MAX) return 0;
  for (int i = host->descriptors.next(static_cast<int>(first));
       i >= 0 && static_cast<unsigned>(i) <= last; i = host->descriptors.next(i + 1)) {
    owned(i, false);
  }
  return 0;
}

HEDDLE_EXPORT void closefrom(int first) noexcept {
  if (rank_hooks() == nullptr) return libc().closefrom(first);
  close_owned(first > 0 ? static_cast<unsigned>(first) : 0, ~0U);
}

#include "makers.inc"
