#include "exec/libc/sleep.h"

#include <pthread.h>

#include "exec/libc/cancellation.h"
#include "exec/libc/run_main.h"
#include "exec/ult/ult.h"

namespace heddle::libc {

namespace {

bool may_switch() noexcept {
  stand_still_if_over();
  return ult::current() != nullptr && !is_loading();
}

}  // namespace

bool sleep_until(std::int64_t deadline_ns) {
  if (!may_switch()) return false;
  pthread_testcancel();
  ult::Completion never;
  for (;;) {
    const ult::WaitEnd end = ult::wait(never, deadline_ns, cancellation_point());
    stand_still_if_over();
    if (end != ult::WaitEnd::kInterrupted) return true;
    act_on_cancellation();
  }
}

bool let_others_run() noexcept {
  if (!may_switch()) return false;
  ult::yield();
  stand_still_if_over();
  return true;
}

}  // namespace heddle::libc
