#include "exec/ult/strand.h"

#include <sched.h>

#include "base/platform/futex.h"
#include "base/schedule_point.h"
#include "exec/ult/impl/kernel_strand.h"
#include "exec/ult/impl/pollers.h"
#include "exec/ult/impl/worker.h"

namespace heddle::ult {

Strand& Strand::current() noexcept {
  if (Ult* self = Ult::current_) return *self;
  return KernelStrand::mine();
}

void Strand::park() noexcept {
  schedule_point();
  if (Ult* self = Ult::current_) {
    self->worker->park(*self);
  } else {
    KernelStrand::mine().park_self_until(platform::kNever);
  }
}

bool Strand::park_until(std::int64_t deadline_ns) noexcept {
  schedule_point();
  if (Ult* self = Ult::current_) return self->worker->park_until(*self, deadline_ns);
  return KernelStrand::mine().park_self_until(deadline_ns);
}

void yield() noexcept {
  if (Ult* self = Ult::current_) {
    self->worker->yield(*self);
  } else {
    sched_yield();
  }
}

void yield_to_ready() noexcept {
  // The kernel shares out its threads by itself.
  if (Ult* self = Ult::current_) self->worker->yield_to_ready(*self);
}

void sleep_until(std::int64_t deadline_ns) noexcept {
  if (Ult* self = Ult::current_) {
    self->worker->sleep_until(*self, deadline_ns);
    return;
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec deadline{.tv_sec = deadline_ns / kSecond, .tv_nsec = deadline_ns % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) != 0) {
  }
}

void relax() noexcept {
  if (Ult* self = Ult::current_) {
    self->worker->yield(*self);  // cheap when nothing else can run
  } else {
    if (!poll_all(-1, Look::kIdle)) sched_yield();
  }
}

}  // namespace heddle::ult
