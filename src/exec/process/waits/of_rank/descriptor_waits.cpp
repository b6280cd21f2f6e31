#include "exec/process/waits/of_rank/descriptor_waits.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace heddle::process::of_rank {

namespace {

constexpr long long kSecond = 1'000'000'000;

long long now() noexcept {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

bool shows(const pollfd& wanted) noexcept {
  pollfd looked = wanted;
  const timespec at_once = {0, 0};
  return libc().ppoll(&looked, 1, &at_once, nullptr) != 0;
}

// How long a socket's own setting lets a call wait. Below 0: for ever.
long long own_time_of_socket(int descriptor, short events) noexcept {
  timeval time = {};
  socklen_t size = sizeof time;
  const int option = (events & POLLOUT) != 0 ? SO_SNDTIMEO : SO_RCVTIMEO;
  if (getsockopt(descriptor, SOL_SOCKET, option, &time, &size) != 0) return -1;
  const long long length = time.tv_sec * kSecond + time.tv_usec * 1000LL;
  return length != 0 ? length : -1;
}

bool is_nonblocking(int descriptor) noexcept {
  return (libc().fcntl(descriptor, F_GETFL) & O_NONBLOCK) != 0;
}

// What a descriptor is, for the first ones. If it is not true any more (libc has closed it for
// itself, or syscall() has made another), then a call keeps its worker until the call monitor sees
// it, looks once too often, or does not see a new socket's own time.
enum DescriptorKind : unsigned char {
  kUnknown = 0,
  kKnown = 1,
  kFile = 2,
  kSocket = 4,
  kTakesNoAttempt = 8
};
constexpr int kKinds = 1024;
unsigned char kinds[kKinds];

unsigned char asked_kind(int descriptor) noexcept {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return kUnknown;
  if (S_ISSOCK(status.st_mode)) return kKnown | kSocket;
  const bool is_file =
      S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode);
  return is_file ? kKnown | kFile : kKnown;
}

unsigned char kind_of(int descriptor) noexcept {
  if (descriptor < 0 || descriptor >= kKinds) return asked_kind(descriptor);
  unsigned char kind = __atomic_load_n(&kinds[descriptor], __ATOMIC_RELAXED);
  if (kind == kUnknown) {
    kind = asked_kind(descriptor);
    __atomic_store_n(&kinds[descriptor], kind, __ATOMIC_RELAXED);
  }
  return kind;
}

// The rank's last wait was short, as between strands that answer each other: what is on its way
// often comes while the others take their turns. After a long one a call parks at once.
bool waits_are_short;

}  // namespace

bool is_file(int descriptor) noexcept {
  return (kind_of(descriptor) & kFile) != 0;
}

bool takes_attempts(int descriptor) noexcept {
  return descriptor < 0 || descriptor >= kKinds ||
         (__atomic_load_n(&kinds[descriptor], __ATOMIC_RELAXED) & kTakesNoAttempt) == 0;
}

// A socket says the same of flags that it does not know.
void note_refused_attempt(int descriptor) noexcept {
  const unsigned char kind = kind_of(descriptor);
  if (descriptor >= kKinds || kind == kUnknown || (kind & kSocket) != 0) return;
  __atomic_store_n(&kinds[descriptor], kind | kTakesNoAttempt, __ATOMIC_RELAXED);
}

void forget_kind(int descriptor) noexcept {
  if (descriptor < 0 || descriptor >= kKinds) return;
  __atomic_store_n(&kinds[descriptor], kUnknown, __ATOMIC_RELAXED);
}

bool waits_for_other_end(int folder, const char* path, int flags) noexcept {
  constexpr int kNeverWaits = O_NONBLOCK | O_DIRECTORY | O_PATH, kMakes = O_CREAT | O_EXCL;
  if ((flags & kNeverWaits) != 0 || (flags & kMakes) == kMakes || (flags & O_ACCMODE) == O_RDWR ||
      !puts_off_waits()) {
    return false;
  }
  const int error = errno;
  struct statx status = {};
  const int looks = AT_STATX_DONT_SYNC | ((flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0);
  const bool found = statx(folder, path, looks, STATX_TYPE, &status) == 0;
  errno = error;
  return found && S_ISFIFO(status.stx_mode);
}

bool Interruption::cut_off_by_host(int descriptor) const noexcept {
  return rank_hooks() != nullptr && handlers_run() == handlers_ && !is_nonblocking(descriptor);
}

long long deadline_after(long long nanoseconds) noexcept {
  return nanoseconds < 0 ? kNoDeadline : now() + nanoseconds;
}

WaitEnd wait_until_ready(bool (*look)(void*), void* argument, const pollfd* wanted, nfds_t count,
                         long long deadline) {
  constexpr int kTurns = 16;
  constexpr long long kShort = 1'000'000;
  for (int i = 0; i < kTurns && __atomic_load_n(&waits_are_short, __ATOMIC_RELAXED); ++i) {
    sched_yield();
    if (look(argument)) return WaitEnd::kDone;
  }
  for (const long long begun = now();;) {
    const WaitEnd end = hooks()->waits.until_ready(wanted, count, deadline);
    if (end == WaitEnd::kNot) return end;
    __atomic_store_n(&waits_are_short, now() - begun < kShort, __ATOMIC_RELAXED);
    if (look(argument)) return WaitEnd::kDone;
    if (end == WaitEnd::kHandled || end == WaitEnd::kRestarts) return end;
    if (now() >= deadline) return WaitEnd::kTimedOut;
  }
}

bool await(int descriptor, short events, bool would_wait) {
  const pollfd wanted = {descriptor, events, 0};
  const int error = errno;
  if ((!would_wait && shows(wanted)) || is_nonblocking(descriptor)) {
    errno = error;
    return true;
  }
  const bool is_socket = (kind_of(descriptor) & kSocket) != 0;
  const long long time = is_socket ? own_time_of_socket(descriptor, events) : -1;
  const long long deadline = deadline_after(time);
  for (;;) {
    switch (wait_until_ready([&] { return shows(wanted); }, &wanted, 1, deadline)) {
      case WaitEnd::kRestarts:
        if (time < 0) continue;
        [[fallthrough]];
      case WaitEnd::kHandled:
        errno = EINTR;
        return false;
      case WaitEnd::kTimedOut:
        errno = EAGAIN;
        return false;
      default:
        errno = error;
        return true;
    }
  }
}

}  // namespace heddle::process::of_rank
