#include "exec/process/locks/locks.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/platform/clock.h"
#include "base/platform/cpu.h"
#include "base/standing.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/exports/libc.h"
#include "exec/process/locks/own_looks.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/wait_notes.h"
#include "exec/process/locks/waiting.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/wait.h"

namespace heddle::process {

namespace {

// These bits stand in __kind beside the types of PTHREAD_MUTEX_. locks_test.cpp compares them with
// what libc's attributes make.
constexpr int kPriorities = 32 | 64;
constexpr int kSharedMutex = 128;
constexpr int kTypes = 3;

bool is_shared_rwlock(const pthread_rwlock_t& lock) noexcept {
  return lock.__data.__shared != 0;
}

// An error-checking mutex refuses its own owner, which its try function does not tell from others.
bool is_refused(const pthread_mutex_t& mutex) noexcept {
  return (mutex.__data.__kind & kTypes) == PTHREAD_MUTEX_ERRORCHECK &&
         __atomic_load_n(&mutex.__data.__owner, __ATOMIC_RELAXED) == own_number();
}

// Repeats `attempt` until it is not EBUSY, waiting at `key` in between.
template <class Attempt>
int park_until_taken(const char* call, const void* key, Attempt attempt,
                     std::int64_t deadline_ns) noexcept {
  const ult::NotedWait noted(note_lock(call, key));
  bool in_front = false;
  for (;;) {
    int error = EBUSY;
    const auto try_now = [&] {
      error = attempt();
      return error != EBUSY;
    };
    const WaitEnd waited = wait_unless(key, try_now, deadline_ns, in_front);
    if (waited == WaitEnd::kNot || try_now()) return error;
    if (waited == WaitEnd::kTimedOut) return ETIMEDOUT;
    in_front = true;
  }
}

// For shared mutexes with priorities: the kernel would ask for their owner, which may be a ult.
template <class Attempt>
int poll_until_taken(Attempt attempt, std::int64_t deadline_ns) noexcept {
  constexpr std::int64_t kLongest = 10'000'000;
  for (std::int64_t pause = 50'000;; pause = std::min(2 * pause, kLongest)) {
    const int error = try_in_turns(attempt);
    if (error != EBUSY) return error;
    const std::int64_t now = platform::now_ns();
    if (now >= deadline_ns) return ETIMEDOUT;
    ult::Completion never;
    ult::wait(never, {.deadline_ns = std::min(now + pause, deadline_ns)});
  }
}

// A null time means no deadline.
int lock_outside(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  const int error = try_in_turns([=] { return libc().pthread_mutex_trylock(mutex); });
  if (error != EBUSY) return error;
  return wait_in_libc([=] {
    return time != nullptr ? libc().pthread_mutex_clocklock(mutex, clock, time)
                           : libc().pthread_mutex_lock(mutex);
  });
}

int lock_slow(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  if (is_refused(*mutex)) return EDEADLK;
  const bool polls =
      (mutex->__data.__kind & kPriorities) != 0 && !Standing::is_in(Standing::kLoading);
  if (is_shared(*mutex) && !polls) return lock_outside(mutex, clock, time);
  std::int64_t deadline_ns = kNever;
  if (time != nullptr && !deadline_of(clock, time, &deadline_ns)) return EINVAL;
  const auto attempt = [mutex] { return libc().pthread_mutex_trylock(mutex); };
  return is_shared(*mutex) ? poll_until_taken(attempt, deadline_ns)
                           : park_until_taken("pthread_mutex_lock", mutex, attempt, deadline_ns);
}

// The error of `attempt`, EBUSY if that was its answer each time. A lock that is held for a short
// time on another worker is then free before this ult has parked. The first pause is longer than
// most holders need, so that the holder keeps the lock's cache line meanwhile.
template <class Attempt>
int try_in_pauses(Attempt attempt) noexcept {
  constexpr int kFirst = 8, kLast = 32;
  int error = attempt();
  if (error != EBUSY || ult::worker_count() == 1) return error;
  for (int pauses = kFirst; error == EBUSY && pauses <= kLast; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) platform::cpu_relax();
    error = attempt();
  }
  return error;
}

int lock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  take_turns();
  const int error = try_in_pauses([=] { return libc().pthread_mutex_trylock(mutex); });
  return error != EBUSY ? error : lock_slow(mutex, clock, time);
}

// Locks the mutex on a kernel thread.
int lock_in_libc(pthread_mutex_t* mutex) noexcept {
  // The kernel knows no limit on CLOCK_MONOTONIC for mutexes with priorities.
  const bool waits_there = is_shared(*mutex) || (mutex->__data.__kind & kPriorities) != 0;
  if (!ult::has_sleep_judge() || waits_there) return libc().pthread_mutex_lock(mutex);
  const auto take = [=] { return libc().pthread_mutex_trylock(mutex); };
  const int error = take();
  if (error != EBUSY) return error;
  return wait_and_look(
      note_lock("pthread_mutex_lock", mutex),
      [=](const timespec& until) {
        return libc().pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
      },
      take);
}

using TryRwlock = int (*)(pthread_rwlock_t*);

using WaitForRwlock = int (*)(pthread_rwlock_t*, clockid_t, const timespec*);

int rwlock_until(const char* call, pthread_rwlock_t* lock, TryRwlock attempt, WaitForRwlock wait,
                 clockid_t clock, const timespec* time) noexcept {
  take_turns();
  const auto again = [=] { return attempt(lock); };
  int error = try_in_pauses(again);
  if (error != EBUSY) return error;
  if (is_shared_rwlock(*lock)) {
    error = try_in_turns(again);
    return error != EBUSY ? error : wait_in_libc([=] { return wait(lock, clock, time); });
  }
  std::int64_t deadline_ns = kNever;
  if (time != nullptr && !deadline_of(clock, time, &deadline_ns)) return EINVAL;
  return park_until_taken(call, lock, again, deadline_ns);
}

// Locks the rwlock on a kernel thread, without a deadline. EDEADLK: the thread owns it.
int rwlock_and_look(const char* call, pthread_rwlock_t* lock, TryRwlock attempt,
                    WaitForRwlock wait) noexcept {
  const auto take = [=] { return attempt(lock); };
  const int error = take();
  if (error != EBUSY) return error;
  return wait_and_look(
      note_lock(call, lock),
      [=](const timespec& until) { return wait(lock, CLOCK_MONOTONIC, &until); }, take);
}

bool looks(const pthread_rwlock_t& lock, const timespec* time) noexcept {
  return time == nullptr && ult::has_sleep_judge() && !may(Act::kPark) && !is_shared_rwlock(lock);
}

int read_lock_in_libc(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  if (looks(*lock, time)) {
    return rwlock_and_look("pthread_rwlock_rdlock", lock, libc().pthread_rwlock_tryrdlock,
                           libc().pthread_rwlock_clockrdlock);
  }
  return time != nullptr ? libc().pthread_rwlock_clockrdlock(lock, clock, time)
                         : libc().pthread_rwlock_rdlock(lock);
}

int write_lock_in_libc(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  if (looks(*lock, time)) {
    return rwlock_and_look("pthread_rwlock_wrlock", lock, libc().pthread_rwlock_trywrlock,
                           libc().pthread_rwlock_clockwrlock);
  }
  return time != nullptr ? libc().pthread_rwlock_clockwrlock(lock, clock, time)
                         : libc().pthread_rwlock_wrlock(lock);
}

}  // namespace

int own_number() noexcept {
  static thread_local constinit int number = 0;
  if (number == 0) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    libc().pthread_mutex_lock(&mutex);
    number = mutex.__data.__owner;
    libc().pthread_mutex_unlock(&mutex);
  }
  return number;
}

bool is_shared(const pthread_mutex_t& mutex) noexcept {
  return (mutex.__data.__kind & kSharedMutex) != 0;
}

int mutex_lock(pthread_mutex_t* mutex) noexcept {
  return may(Act::kPark) ? lock(mutex, CLOCK_REALTIME, nullptr) : lock_in_libc(mutex);
}

int mutex_trylock(pthread_mutex_t* mutex) noexcept {
  take_turns();
  return libc().pthread_mutex_trylock(mutex);
}

int mutex_lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  return may(Act::kPark) ? lock(mutex, clock, time)
                         : libc().pthread_mutex_clocklock(mutex, clock, time);
}

int mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const bool parkable = !is_shared(*mutex);  // the mutex may be gone after the unlock
  const int error = libc().pthread_mutex_unlock(mutex);
  if (error == 0 && parkable) wake(mutex, 1);
  return error;
}

int rwlock_rdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  if (!may(Act::kPark)) return read_lock_in_libc(lock, clock, time);
  return rwlock_until("pthread_rwlock_rdlock", lock, libc().pthread_rwlock_tryrdlock,
                      read_lock_in_libc, clock, time);
}

int rwlock_wrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  if (!may(Act::kPark)) return write_lock_in_libc(lock, clock, time);
  return rwlock_until("pthread_rwlock_wrlock", lock, libc().pthread_rwlock_trywrlock,
                      write_lock_in_libc, clock, time);
}

int rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  const bool parkable = !is_shared_rwlock(*lock);
  const int error = libc().pthread_rwlock_unlock(lock);
  // Readers and writers queue together, so a strand that can go on finds out for itself.
  if (error == 0 && parkable) wake(lock, INT_MAX);
  return error;
}

int spin_lock(pthread_spinlock_t* lock) noexcept {
  if (!may(Act::kPark)) return libc().pthread_spin_lock(lock);
  while (libc().pthread_spin_trylock(lock) != 0) ult::yield();
  return 0;
}

}  // namespace heddle::process
