#include "exec/process/locks/futex_calls.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/platform/clock.h"
#include "exec/process/exports/libc.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/waiting.h"
#include "exec/process/signals/rank_signals.h"

namespace heddle::posix {

namespace {

constexpr std::int64_t kLookAgainNs = 1'000'000;

struct Call {
  int* word;
  int command;
  bool is_private;
  clockid_t clock;
  int value;
  const timespec* time;
  std::uint32_t bits;
};

Call read_call(const long (&arguments)[6]) noexcept {
  const int operation = static_cast<int>(arguments[1]);
  return {reinterpret_cast<int*>(arguments[0]),
          operation & FUTEX_CMD_MASK,
          (operation & FUTEX_PRIVATE_FLAG) != 0,
          (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC,
          static_cast<int>(arguments[2]),
          reinterpret_cast<const timespec*>(arguments[3]),
          static_cast<std::uint32_t>(arguments[5])};
}

long fail_call(int error) noexcept {
  errno = error;
  return -1;
}

// FUTEX_WAIT has a duration, FUTEX_WAIT_BITSET a time.
bool find_deadline(const Call& call, std::int64_t* deadline_ns) noexcept {
  if (call.time == nullptr) return true;
  if (call.command != FUTEX_WAIT) return deadline_of(call.clock, call.time, deadline_ns);
  if (!deadline_of(CLOCK_MONOTONIC, call.time, deadline_ns)) return false;
  *deadline_ns += platform::now_ns();
  return true;
}

long wait(const Call& call) noexcept {
  std::int64_t deadline_ns = kNever;
  if (!find_deadline(call, &deadline_ns)) return fail_call(EINVAL);
  const std::int64_t look_again =
      call.is_private ? kNever : std::min(deadline_ns, platform::now_ns() + kLookAgainNs);
  const auto changed = [&] { return __atomic_load_n(call.word, __ATOMIC_ACQUIRE) != call.value; };
  const signals::HandlersSince handlers;
  Waited waited = Waited::kAlerted;
  while (waited == Waited::kAlerted) {
    waited = wait_unless(call.word, changed, std::min(deadline_ns, look_again));
    if (waited != Waited::kWoken && handlers.end_call(call.time != nullptr))
      return fail_call(EINTR);
  }
  switch (waited) {
    case Waited::kCameTrue:
      return fail_call(EAGAIN);
    case Waited::kTimedOut:
      return look_again < deadline_ns ? 0 : fail_call(ETIMEDOUT);
    case Waited::kWoken:
    case Waited::kCancelled:  // libc's syscall() is no cancellation point
    case Waited::kAlerted:
      break;
  }
  return 0;
}

// The kernel's sleepers get what the parking lot leaves over.
long wake_both(const Call& call) noexcept {
  const int here = wake(call.word, call.value);
  if (here >= call.value) return here;
  const int flags = call.is_private ? FUTEX_PRIVATE_FLAG : 0;
  const long there = libc().syscall(SYS_futex, call.word, FUTEX_WAKE | flags, call.value - here);
  return there < 0 ? there : here + there;
}

}  // namespace

bool futex_call(const long (&arguments)[6], long* result) noexcept {
  const Call call = read_call(arguments);
  const bool any_bits = call.bits == FUTEX_BITSET_MATCH_ANY;
  if (call.command == FUTEX_WAIT || (call.command == FUTEX_WAIT_BITSET && any_bits)) {
    if (!must_park()) return false;
    *result = wait(call);
    return true;
  }
  if (call.command == FUTEX_WAKE || (call.command == FUTEX_WAKE_BITSET && any_bits)) {
    *result = wake_both(call);
    return true;
  }
  return false;
}

}  // namespace heddle::posix
