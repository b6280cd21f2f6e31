#include "exec/process/locks/locks.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/platform/clock.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/exports/libc_calls.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/waiting.h"
#include "exec/ult/alert.h"
#include "exec/ult/strand.h"

namespace heddle::posix {

namespace {

// In __kind beside the types of PTHREAD_MUTEX_: robust, priority-inheriting, priority-protected,
// process-shared. locks_test.cpp compares them with what libc's attributes make.
constexpr int kLeftToLibc = 16 | 32 | 64 | 128;
constexpr int kTypes = 3;

bool left_to_libc(const pthread_mutex_t& mutex) noexcept {
  return (mutex.__data.__kind & kLeftToLibc) != 0;
}

// The number that libc's mutexes keep of their owner.
int own_number() noexcept {
  static thread_local constinit int number = 0;
  if (number == 0) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    libc_calls().mutex_lock(&mutex);
    number = mutex.__data.__owner;
    libc_calls().mutex_unlock(&mutex);
  }
  return number;
}

// An error-checking mutex refuses its own owner, which its try function does not tell from others.
bool is_refused(const pthread_mutex_t& mutex) noexcept {
  return (mutex.__data.__kind & kTypes) == PTHREAD_MUTEX_ERRORCHECK &&
         __atomic_load_n(&mutex.__data.__owner, __ATOMIC_RELAXED) == own_number();
}

// Repeats `attempt` until it is not EBUSY, waiting at `key` in between.
template <class Attempt>
int park_until_taken(const void* key, Attempt attempt, std::int64_t deadline_ns) noexcept {
  bool in_front = false;
  for (;;) {
    int error = EBUSY;
    const auto try_now = [&] {
      error = attempt();
      return error != EBUSY;
    };
    const Waited waited = wait_unless(key, try_now, deadline_ns, in_front);
    if (waited == Waited::kCameTrue || try_now()) return error;
    if (waited == Waited::kTimedOut) return ETIMEDOUT;
    in_front = true;
  }
}

// A constructor of a library may not sleep in the scheduler. It waits in libc: the holder's unlock wakes waiters there.
bool waits_in_libc(bool left_to_libc) noexcept {
  return left_to_libc && process::is_loading();
}

// The same for locks of libc, which another process may hold, too. libc does not tell when one becomes free. A wait in
// libc would block the worker, and so also the holder, if that is a ult of this worker.
template <class Attempt>
int sleep_until_taken(Attempt attempt, std::int64_t deadline_ns) noexcept {
  constexpr int kYields = 64;
  constexpr std::int64_t kPause = 100'000;
  for (int i = 0;; ++i) {
    const int error = attempt();
    if (error != EBUSY) return error;
    const std::int64_t now = platform::now_ns();
    if (now >= deadline_ns) return ETIMEDOUT;
    if (i < kYields) {
      ult::yield();
    } else {
      const auto parked =
          ult::Strand::park_until(std::min(now + kPause, deadline_ns), ult::Strand::Alerts::kHeeds);
      if (parked == ult::Strand::Parked::kAlerted) ult::answer_alert();
    }
  }
}

int lock_slow(pthread_mutex_t* mutex, std::int64_t deadline_ns) noexcept {
  if (is_refused(*mutex)) return EDEADLK;
  const auto attempt = [mutex] { return libc_calls().mutex_trylock(mutex); };
  return left_to_libc(*mutex) ? sleep_until_taken(attempt, deadline_ns)
                              : park_until_taken(mutex, attempt, deadline_ns);
}

bool left_to_libc(const pthread_rwlock_t& lock) noexcept {
  return lock.__data.__shared != 0;
}

using TryRwlock = int (*)(pthread_rwlock_t*);

int rwlock_until(pthread_rwlock_t* lock, TryRwlock attempt, clockid_t clock,
                 const timespec* time) noexcept {
  take_turns();
  const int error = attempt(lock);
  if (error != EBUSY) return error;
  std::int64_t deadline_ns = kNever;
  if (time != nullptr && !deadline_of(clock, time, &deadline_ns)) return EINVAL;
  const auto once = [=] { return attempt(lock); };
  return left_to_libc(*lock) ? sleep_until_taken(once, deadline_ns)
                             : park_until_taken(lock, once, deadline_ns);
}

}  // namespace

int mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (!must_park() || waits_in_libc(left_to_libc(*mutex))) return libc_calls().mutex_lock(mutex);
  take_turns();
  const int error = libc_calls().mutex_trylock(mutex);
  return error != EBUSY ? error : lock_slow(mutex, kNever);
}

int mutex_trylock(pthread_mutex_t* mutex) noexcept {
  take_turns();
  return libc_calls().mutex_trylock(mutex);
}

int mutex_lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  const LibcCalls& libc = libc_calls();
  if (!must_park() || waits_in_libc(left_to_libc(*mutex))) {
    return libc.mutex_clocklock(mutex, clock, time);
  }
  take_turns();
  const int error = libc.mutex_trylock(mutex);
  if (error != EBUSY) return error;
  std::int64_t deadline_ns = kNever;
  if (!deadline_of(clock, time, &deadline_ns)) return EINVAL;
  return lock_slow(mutex, deadline_ns);
}

int mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const bool parkable = !left_to_libc(*mutex);  // the mutex may be gone after the unlock
  const int error = libc_calls().mutex_unlock(mutex);
  if (error == 0 && parkable) wake(mutex, 1);
  return error;
}

int rwlock_rdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  const LibcCalls& libc = libc_calls();
  if (must_park() && !waits_in_libc(left_to_libc(*lock))) {
    return rwlock_until(lock, libc.rwlock_tryrdlock, clock, time);
  }
  return time != nullptr ? libc.rwlock_clockrdlock(lock, clock, time) : libc.rwlock_rdlock(lock);
}

int rwlock_wrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  const LibcCalls& libc = libc_calls();
  if (must_park() && !waits_in_libc(left_to_libc(*lock))) {
    return rwlock_until(lock, libc.rwlock_trywrlock, clock, time);
  }
  return time != nullptr ? libc.rwlock_clockwrlock(lock, clock, time) : libc.rwlock_wrlock(lock);
}

int rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  const bool parkable = !left_to_libc(*lock);
  const int error = libc_calls().rwlock_unlock(lock);
  // Readers and writers queue together, so a strand that can go on finds out for itself.
  if (error == 0 && parkable) wake(lock, INT_MAX);
  return error;
}

int spin_lock(pthread_spinlock_t* lock) noexcept {
  if (!must_park()) return libc_calls().spin_lock(lock);
  while (libc_calls().spin_trylock(lock) != 0) ult::yield();
  return 0;
}

}  // namespace heddle::posix
