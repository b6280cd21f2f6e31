#include "exec/process/locks/waiting.h"

#include "base/platform/clock.h"
#include "base/standing.h"
#include "exec/process/exit/rank_over.h"
#include "exec/ult/outside.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr unsigned kCallsATurn = 128;
thread_local constinit unsigned calls_since_turn = 0;
}  // namespace

void take_turns() noexcept {
  if (++calls_since_turn < kCallsATurn) return;
  calls_since_turn = 0;
  stand_still_if_over();
  if (may(Act::kWait)) ult::yield();
}

bool deadline_of(clockid_t clock, const timespec* time, std::int64_t* deadline_ns) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return false;
  if (time->tv_nsec < 0 || time->tv_nsec >= kSecond) return false;
  constexpr std::int64_t kLatest = std::int64_t{1} << 33;  // seconds; some 270 years
  const std::int64_t seconds = time->tv_sec < kLatest ? time->tv_sec : kLatest;
  *deadline_ns = seconds * kSecond + time->tv_nsec;
  if (clock == CLOCK_REALTIME) {
    timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    *deadline_ns += platform::now_ns() - (std::int64_t{real.tv_sec} * kSecond + real.tv_nsec);
  }
  return true;
}

void call_libc(void (*function)(void*), void* argument) noexcept {
  if (!ult::call_outside(function, argument)) function(argument);
  stand_still_if_over();
}

}  // namespace heddle::process
