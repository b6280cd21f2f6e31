#include "exec/process/locks/conditions.h"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include "base/standing.h"
#include "exec/process/exports/libc.h"
#include "exec/process/locks/locks.h"
#include "exec/process/locks/own_looks.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/wait_notes.h"
#include "exec/process/locks/waiting.h"
#include "exec/process/signals/rank_signals.h"

namespace heddle::process {

namespace {

// In __wrefs; conditions_test.cpp compares them with what libc's attributes make.
constexpr unsigned kSharedCondition = 1;
constexpr unsigned kMonotonic = 2;

// A barrier or semaphore of ours: what libc has there is shorter.
constexpr std::uint32_t kMark = 0x6c746468;

struct Barrier {
  std::uint32_t count;
  std::uint32_t arrived;  // guarded by the lock of the bucket
  std::uint32_t unused[5];
  std::uint32_t mark;
};
static_assert(sizeof(Barrier) == sizeof(pthread_barrier_t));

struct MarkedSemaphore {
  unsigned char of_libc[28];
  std::uint32_t mark;
};
static_assert(sizeof(MarkedSemaphore) == sizeof(sem_t));

Barrier& ours(pthread_barrier_t* barrier) noexcept {
  return *reinterpret_cast<Barrier*>(barrier);
}
MarkedSemaphore& ours(sem_t* semaphore) noexcept {
  return *reinterpret_cast<MarkedSemaphore*>(semaphore);
}

// Where a barrier's strands wait. Not its first byte: a thread that unlocked a mutex or posted a
// semaphore that was there before may still be about to wake a waiter at that address, and a
// barrier's waiters do not look again when they are woken.
const void* key_of(pthread_barrier_t* barrier) noexcept {
  return reinterpret_cast<const char*>(barrier) + 1;
}

int libc_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                   const timespec* time) noexcept {
  if (time == nullptr) return libc().pthread_cond_wait(condition, mutex);
  return clock == kOwnClock ? libc().pthread_cond_timedwait(condition, mutex, time)
                            : libc().pthread_cond_clockwait(condition, mutex, clock, time);
}

int fail(int error) noexcept {
  errno = error;
  return -1;
}

}  // namespace

int cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
              const timespec* time) noexcept {
  const unsigned flags = condition->__data.__wrefs;
  if ((flags & kSharedCondition) != 0 && is_shared(*mutex)) {
    return wait_in_libc([=] { return libc_cond_wait(condition, mutex, clock, time); });
  }
  if (clock == kOwnClock) clock = (flags & kMonotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  std::int64_t deadline_ns = kNever;
  if (time != nullptr && !deadline_of(clock, time, &deadline_ns)) return EINVAL;

  Waiter waiter(condition);
  Bucket& bucket = Bucket::of(condition);
  {
    SpinGuard guard(bucket.lock);
    bucket.queue(waiter);
  }
  if (const int error = mutex_unlock(mutex)) {
    // The caller is not the mutex's owner: nothing happens, unless it was signalled already.
    if (wait_until(waiter, 0) != WaitEnd::kDone) return error;
    wake(condition, 1);
    return error;
  }
  WaitEnd waited;
  {
    const ult::NotedWait noted(note_condition(condition));
    waited = wait_until(waiter, deadline_ns, Cancels::kYes);
  }
  if (const int error = mutex_lock(mutex)) return error;  // the owner of a robust one has died
  switch (waited) {
    case WaitEnd::kCancelled:
      return ECANCELED;
    case WaitEnd::kTimedOut:
      return ETIMEDOUT;
    default:  // with kAlerted it may have missed a signal: POSIX allows a wake-up for nothing
      return 0;
  }
}

int cond_signal(pthread_cond_t* condition) noexcept {
  const bool shared = (condition->__data.__wrefs & kSharedCondition) != 0;
  return wake(condition, 1) == 0 && shared ? libc().pthread_cond_signal(condition) : 0;
}

int cond_broadcast(pthread_cond_t* condition) noexcept {
  const bool shared = (condition->__data.__wrefs & kSharedCondition) != 0;
  wake(condition, INT_MAX);
  return shared ? libc().pthread_cond_broadcast(condition) : 0;
}

int barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                 unsigned count) noexcept {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) pthread_barrierattr_getpshared(attributes, &shared);
  // libc checks the count.
  const int error = libc().pthread_barrier_init(barrier, attributes, count);
  if (error != 0) return error;
  ours(barrier).mark = 0;
  if (shared == PTHREAD_PROCESS_PRIVATE) ours(barrier) = {count, 0, {}, kMark};
  return 0;
}

int barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (ours(barrier).mark != kMark) return libc().pthread_barrier_destroy(barrier);
  ours(barrier).mark = 0;
  return 0;
}

int barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (ours(barrier).mark != kMark) {
    return wait_in_libc([barrier] { return libc().pthread_barrier_wait(barrier); });
  }
  for (;;) {
    Waiter waiter(key_of(barrier), &ours(barrier).arrived);
    Bucket& bucket = Bucket::of(waiter.key);
    Taken taken;  // outlives the guard
    bool last = false;
    {
      SpinGuard guard(bucket.lock);
      Barrier& it = ours(barrier);
      last = ++it.arrived == it.count;
      if (last) {
        it.arrived = 0;
        bucket.take(waiter.key, INT_MAX, &taken);
      } else {
        bucket.queue(waiter);
      }
    }
    if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
    // A strand in a handler has not arrived: POSIX lets the others wait for it meanwhile.
    const ult::NotedWait noted(note_barrier(barrier));
    if (wait_until(waiter, kNever) != WaitEnd::kAlerted) return 0;
  }
}

int semaphore_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  const int result = libc().sem_init(semaphore, shared, value);
  if (result == 0) ours(semaphore).mark = shared == 0 ? kMark : 0;
  return result;
}

namespace {
// Waits for the semaphore on a kernel thread.
int semaphore_wait_and_look(sem_t* semaphore) noexcept {
  int error = 0;
  pthread_cleanup_push([](void*) { ult::forget_own_wait(); }, nullptr);
  error = wait_and_look(
      note_semaphore(semaphore),
      [=](const timespec& until) {
        return libc().sem_clockwait(semaphore, CLOCK_MONOTONIC, &until) == 0 ? 0 : errno;
      },
      [=] { return libc().sem_trywait(semaphore) == 0 ? 0 : EBUSY; });
  pthread_cleanup_pop(0);
  return error == 0 ? 0 : fail(error);
}
}  // namespace

int semaphore_wait(sem_t* semaphore, clockid_t clock, const timespec* time) noexcept {
  const auto wait_there = [=] {
    return time != nullptr ? libc().sem_clockwait(semaphore, clock, time)
                           : libc().sem_wait(semaphore);
  };
  const auto try_now = [&] { return libc().sem_trywait(semaphore) == 0; };
  if (!may(Act::kPark)) {
    const bool looks = time == nullptr && ult::has_sleep_judge() && ours(semaphore).mark == kMark;
    if (!looks) return wait_there();
    return try_now() ? 0 : semaphore_wait_and_look(semaphore);
  }
  take_turns();
  if (try_now()) return 0;
  if (ours(semaphore).mark != kMark) {
    const int error = try_in_turns([&] { return try_now() ? 0 : EBUSY; });
    return error == 0 ? 0 : wait_in_libc(wait_there);
  }
  std::int64_t deadline_ns = kNever;
  if (time != nullptr && !deadline_of(clock, time, &deadline_ns)) return fail(EINVAL);
  const ult::NotedWait noted(note_semaphore(semaphore));
  for (bool in_front = false;; in_front = true) {
    const signals::HandlersSince handlers;
    const WaitEnd waited = wait_unless(semaphore, try_now, deadline_ns, in_front, Cancels::kYes);
    if (waited == WaitEnd::kCancelled) return fail(ECANCELED);
    if (handlers.end_call(time != nullptr)) return fail(EINTR);
    if (waited == WaitEnd::kNot || try_now()) return 0;
    if (waited == WaitEnd::kTimedOut) return fail(ETIMEDOUT);
  }
}

int semaphore_post(sem_t* semaphore) noexcept {
  const bool parkable = ours(semaphore).mark == kMark;  // it may be gone after the post
  const int result = libc().sem_post(semaphore);
  if (result == 0 && parkable) wake(semaphore, 1);
  return result;
}

}  // namespace heddle::process
