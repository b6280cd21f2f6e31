// syscall(2) with the number of a call that names a path or a list of descriptors: libc's function
// of that name is called, which does for a rank what is to be done (spec/system.calls,
// as-function). No such call is a point of cancellation. The time that a call has left is not
// written.

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include <type_traits>
#include <utility>

#include "exec/process/descriptors/of_rank/descriptors.h"
#include "exec/process/program/of_rank/own_process.h"

namespace heddle::process::of_rank {

namespace {

// The kernel's set of signals, a word, as libc's.
class Mask {
 public:
  Mask(const unsigned long* word, size_t size) noexcept : given_(word != nullptr) {
    if (!given_) return;
    is_wrong_ = size != sizeof *word;
    sigemptyset(&set_);
    memcpy(&set_, word, sizeof *word);
  }
  const sigset_t* get() const noexcept { return given_ ? &set_ : nullptr; }
  bool is_wrong() const noexcept {
    if (is_wrong_) errno = EINVAL;
    return is_wrong_;
  }

 private:
  sigset_t set_;
  bool given_, is_wrong_ = false;
};

// What the kernel takes otherwise than libc's function of the name.

int ppoll(pollfd* descriptors, nfds_t count, const timespec* time, const unsigned long* word,
          size_t size) {
  const Mask mask(word, size);
  return mask.is_wrong() ? -1 : ::ppoll(descriptors, count, time, mask.get());
}

struct GivenMask {
  const unsigned long* word;
  size_t size;
};

int pselect6(int count, fd_set* reads, fd_set* writes, fd_set* errors, const timespec* time,
             const GivenMask* given) {
  const Mask mask(given != nullptr ? given->word : nullptr, given != nullptr ? given->size : 0);
  return mask.is_wrong() ? -1 : pselect(count, reads, writes, errors, time, mask.get());
}

int epoll_pwait(int poller, epoll_event* events, int most, int milliseconds,
                const unsigned long* word, size_t size) {
  const Mask mask(word, size);
  return mask.is_wrong() ? -1 : ::epoll_pwait(poller, events, most, milliseconds, mask.get());
}

int epoll_pwait2(int poller, epoll_event* events, int most, const timespec* time,
                 const unsigned long* word, size_t size) {
  const Mask mask(word, size);
  return mask.is_wrong() ? -1 : ::epoll_pwait2(poller, events, most, time, mask.get());
}

int open(const char* path, int flags, mode_t mode) {
  return ::open(path, flags, mode);
}

int openat(int folder, const char* path, int flags, mode_t mode) {
  return ::openat(folder, path, flags, mode);
}

// Names the file, and leaves the rest to the kernel: libc has no such function.
int openat2(int folder, const char* path, const open_how* how, size_t size) {
  open_how all = {};
  if (how == nullptr || size != sizeof all) {
    errno = how == nullptr ? EFAULT : size < sizeof all ? EINVAL : E2BIG;
    return -1;
  }
  all = *how;
  const int passes_on = (all.flags & O_CLOEXEC) == 0;
  all.flags |= static_cast<unsigned>(hidden(0));
  const OwnPath file(path, folder);
  return placed(static_cast<int>(libc().syscall(SYS_openat2, in_process(folder),
                                                static_cast<const char*>(file), &all, sizeof all)),
                passes_on);
}

// libc's takes no null for a path, which is the folder itself.
int utimensat(int folder, const char* path, const timespec* times, int flags) {
  return path == nullptr && flags == 0 ? futimens(folder, times)
                                       : ::utimensat(folder, path, times, flags);
}

int exit_group(int status) {
  _exit(status);
}

int newfstatat(int folder, const char* path, struct stat* status, int flags) {
  return fstatat(folder, path, status, flags);
}

int faccessat(int folder, const char* path, int mode) {
  return ::faccessat(folder, path, mode, 0);
}

int faccessat2(int folder, const char* path, int mode, int flags) {
  return ::faccessat(folder, path, mode, flags);
}

int fchmodat(int folder, const char* path, mode_t mode) {
  return ::fchmodat(folder, path, mode, 0);
}

template <class To>
To as(long value) noexcept {
  if constexpr (std::is_pointer_v<To>) {
    return reinterpret_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class Result, class... Parameters, size_t... kPlaces>
long call_with(Result (*function)(Parameters...), const long* arguments,
               std::index_sequence<kPlaces...>) {
  return function(as<Parameters>(arguments[kPlaces])...);
}

template <class Result, class... Parameters>
int call(Result (*function)(Parameters...), const long* arguments, long* result) {
  int before = PTHREAD_CANCEL_ENABLE, ignored = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  *result = call_with(function, arguments, std::index_sequence_for<Parameters...>());
  pthread_setcancelstate(before, &ignored);
  return 1;
}

}  // namespace

int call_by_number(long number, const long* arguments, long* result) {
  switch (number) {
#include "system_functions.inc"
    default:
      return 0;
  }
}

}  // namespace heddle::process::of_rank
