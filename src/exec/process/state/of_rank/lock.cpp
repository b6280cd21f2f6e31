#include "exec/process/state/of_rank/lock.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::process::of_rank {
namespace {

constexpr auto kLocks = static_cast<unsigned>(Guarded::kCount);
constinit bool held[kLocks] = {};

void lock(unsigned which) noexcept {
  while (__atomic_exchange_n(&held[which], true, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
}

void unlock(unsigned which) noexcept {
  __atomic_store_n(&held[which], false, __ATOMIC_RELEASE);
}

}  // namespace

Guard::Guard(Guarded what) noexcept : what_(what) {
  lock(static_cast<unsigned>(what));
}

Guard::~Guard() {
  unlock(static_cast<unsigned>(what_));
}

void hold_all_locks() noexcept {
  for (unsigned which = 0; which < kLocks; ++which) lock(which);
}

void release_all_locks() noexcept {
  for (unsigned which = 0; which < kLocks; ++which) unlock(which);
}

}  // namespace heddle::process::of_rank
