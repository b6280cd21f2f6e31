// own_looks.h — how a kernel thread waits in libc for other threads where it looks by itself
// whether all wait for each other (exec/ult/own_sleep.h): with a time limit, until its next look.
//
// Where no thread looks, and where the wait is for what processes share, it waits in libc without a
// limit.
//
// Thread safety: any kernel thread.

#pragma once

#include <time.h>

#include <cerrno>
#include <cstdint>

#include "base/platform/clock.h"
#include "exec/ult/own_sleep.h"
#include "exec/ult/stillness.h"

namespace heddle::process {

// `wait(until)` is libc's: it returns an errno, ETIMEDOUT at `until` on CLOCK_MONOTONIC. `take()`
// is its try: 0 if it has taken what the wait is for. Returns the error of the one that ends the
// wait.
template <class Wait, class Take>
int wait_and_look(const ult::WaitNote& note, Wait wait, Take take) {
  struct Sleep {
    Take& take;
    bool taken = false;
  } sleep{take};
  const auto has_ended = [](void* of) {
    auto& it = *static_cast<Sleep*>(of);
    it.taken = it.taken || it.take() == 0;
    return it.taken;
  };
  const ult::NotedWait noted(note);
  const ult::SleepForGood asleep;
  for (ult::Looks looks;;) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec until = {.tv_sec = looks.next_ns() / kSecond,
                            .tv_nsec = looks.next_ns() % kSecond};
    const int error = wait(until);
    if (error != ETIMEDOUT) return error;
    if (has_ended(&sleep)) return 0;
    ult::judge_own_sleep(has_ended, &sleep);
    if (sleep.taken) return 0;
    looks.go_on_for_ever(platform::now_ns());
  }
}

}  // namespace heddle::process
