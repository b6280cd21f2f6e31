#include "exec/ult/start/forced_yield.h"

#include <sched.h>

#include "base/platform/cpu.h"
#include "base/schedule_point.h"
#include "base/standing.h"
#include "exec/ult/run/thread_worker.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/run/worker_table.h"

namespace heddle::ult {

#if defined(HEDDLE_FORCED_YIELDS)

namespace {

std::atomic<std::uint64_t> yield_seed{0};
std::atomic<std::uint64_t> strands_seen{0};
std::atomic<bool> moves_ults{false};
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

// It moves at its next turn, as if another strand had told it to (move.h).
void move_sometimes(Ult& self) noexcept {
  constexpr std::uint64_t kOneIn = 16;
  if (self.turn.moves || next_random() % kOneIn != 0) return;
  const WorkerTable& table = worker_table();
  const auto count = static_cast<std::uint64_t>(table.running.load(std::memory_order_relaxed));
  if (count < 2) return;
  self.target.store(table.workers[next_random() % count], std::memory_order_relaxed);
  self.turn.moves = true;
}

void yield_sometimes() {
  constexpr std::uint64_t kOneIn = 4;
  Ult* const self = Ult::current_;
  // A parked ult that runs the idle loop calls pollers: those must not switch.
  if (self != nullptr && self->state != State::kRunning) return;
  if (self != nullptr && moves_ults.load(std::memory_order_relaxed)) move_sometimes(*self);
  if (next_random() % kOneIn != 0) return;
  if (may(Act::kSwitch)) {
    yield();
  } else {
    linger();
  }
}

}  // namespace

void force_yields(std::uint64_t seed, bool moves) noexcept {
  moves_ults.store(moves, std::memory_order_relaxed);
  yield_seed.store(seed, std::memory_order_relaxed);
  strands_seen.store(0, std::memory_order_relaxed);
  schedule_point_hook.store(seed != 0 ? &yield_sometimes : nullptr, std::memory_order_release);
}

#else

void force_yields(std::uint64_t, bool) noexcept {}

#endif

}  // namespace heddle::ult
