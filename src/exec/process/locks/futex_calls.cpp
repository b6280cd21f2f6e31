#include "exec/process/locks/futex_calls.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/platform/clock.h"
#include "base/platform/memory.h"
#include "base/standing.h"
#include "exec/process/exports/libc.h"
#include "exec/process/locks/own_looks.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/wait_notes.h"
#include "exec/process/locks/waiting.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/stillness.h"

namespace heddle::process {

namespace {

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

// A ult that waits for one word.
class WordWait {
 public:
  WordWait(const Call& call, std::int64_t deadline_ns) noexcept
      : call_(call), deadline_ns_(deadline_ns) {}

  long until_deadline() noexcept {
    const ult::NotedWait noted(note_futex(call_.word));
    return result(wait(deadline_ns_));
  }

  long for_a_moment() noexcept {
    const std::int64_t until = std::min(deadline_ns_, platform::now_ns() + kMomentNs);
    const WaitEnd waited = wait(until);
    if (is_interrupted_ || waited != WaitEnd::kTimedOut || until == deadline_ns_)
      return result(waited);
    return call_.time == nullptr && platform::is_own_page(call_.word) ? look_now_and_then() : 0;
  }

 private:
  static constexpr std::int64_t kMomentNs = 1'000'000;
  static constexpr std::int64_t kLongestPauseNs = 64 * kMomentNs;

  // The word may change without a wake-up here. Its value is the only thing that the timer asks
  // for.
  long look_now_and_then() noexcept {
    ult::AskingWait noted(note_futex(call_.word));
    for (std::int64_t pause = kMomentNs;; pause = std::min(2 * pause, kLongestPauseNs)) {
      const std::uint64_t question = ult::AskingWait::question();
      if (has_changed()) return 0;
      noted.note_answer(question);
      const WaitEnd waited = wait(platform::now_ns() + pause);
      if (is_interrupted_ || waited != WaitEnd::kTimedOut) return result(waited);
    }
  }

  bool has_changed() const noexcept {
    return __atomic_load_n(call_.word, __ATOMIC_ACQUIRE) != call_.value;
  }

  WaitEnd wait(std::int64_t until_ns) noexcept {
    for (;;) {
      const WaitEnd waited = wait_unless(
          call_.word, [this] { return has_changed(); }, until_ns);
      is_interrupted_ = waited != WaitEnd::kDone && handlers_.end_call(call_.time != nullptr);
      if (is_interrupted_ || waited != WaitEnd::kAlerted) return waited;
    }
  }

  long result(WaitEnd waited) const noexcept {
    if (is_interrupted_) return fail_call(EINTR);
    if (waited == WaitEnd::kNot) return fail_call(EAGAIN);
    if (waited == WaitEnd::kTimedOut) return fail_call(ETIMEDOUT);
    return 0;  // libc's syscall() is no cancellation point
  }

  const Call& call_;
  const std::int64_t deadline_ns_;
  const signals::HandlersSince handlers_;
  bool is_interrupted_ = false;
};

long wait(const Call& call) noexcept {
  std::int64_t deadline_ns = kNever;
  if (!find_deadline(call, &deadline_ns)) return fail_call(EINVAL);
  WordWait it(call, deadline_ns);
  return call.is_private ? it.until_deadline() : it.for_a_moment();
}

// Waits on a kernel thread that looks at the word now and then. Until the first look it does not
// ask what memory the word is in.
long wait_in_kernel(const Call& call, const long (&arguments)[6]) noexcept {
  const auto wait_for = [&](const timespec& duration) {
    const long flags = arguments[1] & FUTEX_PRIVATE_FLAG;
    return libc().syscall(SYS_futex, call.word, FUTEX_WAIT | flags, call.value, &duration) == 0
               ? 0
               : errno;
  };
  constexpr timespec kUntilFirstLook = {.tv_sec = 0, .tv_nsec = 30'000'000};
  int error = wait_for(kUntilFirstLook);
  if (error == ETIMEDOUT && !call.is_private && !platform::is_own_page(call.word))
    return libc().syscall(SYS_futex, arguments[0], arguments[1], arguments[2], nullptr,
                          arguments[4], arguments[5]);
  if (error == ETIMEDOUT) {
    error = wait_and_look(
        note_futex(call.word),
        [&](const timespec& until) {
          const std::int64_t left =
              until.tv_sec * 1'000'000'000 + until.tv_nsec - platform::now_ns();
          return left <= 0
                     ? ETIMEDOUT
                     : wait_for({.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000});
        },
        [&] { return __atomic_load_n(call.word, __ATOMIC_ACQUIRE) != call.value ? 0 : EBUSY; });
  }
  return error == 0 ? 0 : fail_call(error);
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
    if (!may(Act::kPark)) {
      if (call.time != nullptr || !ult::has_sleep_judge()) return false;
      *result = wait_in_kernel(call, arguments);
      return true;
    }
    *result = wait(call);
    return true;
  }
  if (call.command == FUTEX_WAKE || (call.command == FUTEX_WAKE_BITSET && any_bits)) {
    *result = wake_both(call);
    return true;
  }
  return false;
}

}  // namespace heddle::process
