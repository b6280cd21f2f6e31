#include "exec/ult/start/forced_yield.h"

#include <sched.h>

#include "base/platform/cpu.h"
#include "base/schedule_point.h"
#include "base/section_without_switch.h"
#include "exec/ult/run/ult_record.h"

namespace heddle::ult {

#if defined(HEDDLE_FORCED_YIELDS)

namespace {

std::atomic<std::uint64_t> yield_seed{0};
std::atomic<std::uint64_t> strands_seen{0};
thread_local constinit std::uint64_t random_state = 0;  // of the strand; 0: not begun

// splitmix64
std::uint64_t next_random() noexcept {
  if (random_state == 0) {
    const std::uint64_t strand = strands_seen.fetch_add(1, std::memory_order_relaxed) + 1;
    random_state = yield_seed.load(std::memory_order_relaxed) ^ (strand << 32);
  }
  random_state += 0x9e3779b97f4a7c15;
  std::uint64_t z = random_state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Lets the other workers go on for a while, as if this one had been preempted.
void linger() noexcept {
  constexpr std::uint64_t kLongest = 64;
  for (std::uint64_t turns = next_random() % kLongest; turns > 0; --turns) platform::cpu_relax();
}

void yield_sometimes() {
  constexpr std::uint64_t kOneIn = 4;
  const Ult* self = Ult::current_;
  // A parked ult that runs the idle loop calls pollers: those must not switch.
  if (self != nullptr && self->state != State::kRunning) return;
  if (next_random() % kOneIn != 0) return;
  if (may_switch_here()) {
    yield();
  } else {
    linger();
  }
}

}  // namespace

void force_yields(std::uint64_t seed) noexcept {
  yield_seed.store(seed, std::memory_order_relaxed);
  strands_seen.store(0, std::memory_order_relaxed);
  schedule_point_hook.store(seed != 0 ? &yield_sometimes : nullptr, std::memory_order_release);
}

#else

void force_yields(std::uint64_t) noexcept {}

#endif

}  // namespace heddle::ult
