// on_ults.h — runs a benchmark's body on ults and takes the time there.
//
// Thread safety: one benchmark at a time.

#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "exec/ult/scheduler.h"
#include "exec/ult/ult.h"

namespace heddle::ult {

// Starts a scheduler for a scope.
class ScopedScheduler {
 public:
  explicit ScopedScheduler(int workers) {
    if (Error e = start({.workers = workers})) std::abort();
  }
  ~ScopedScheduler() { stop(); }
};

// A counter: the time of each of `parts` equal parts of an iteration.
inline void report_time_of_each(benchmark::State& state, const char* name, double parts) {
  state.counters[name] = benchmark::Counter(
      parts, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

inline Ult* must_spawn(void (*function)(void*), void* argument, int worker) {
  Ult* ult = nullptr;
  if (Error e = spawn(function, argument, {.worker = worker}, &ult)) std::abort();
  return ult;
}

inline std::int64_t cpu_time_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);  // of the worker that runs the caller
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Runs body(number, rounds) on state.range(0) ults of one worker, kTurns rounds in all. The counter
// `hand_over` is the CPU time of one round of one ult; the worker never sleeps meanwhile, and other
// programs on the machine disturb CPU time less than the clock. UseManualTime().
inline void measure_hand_overs(benchmark::State& state, void (*body)(int, std::int64_t)) {
  constexpr std::int64_t kTurns = 1 << 18;
  struct Run {
    void (*body)(int, std::int64_t);
    int ults;
    int started = 0;
    int ended = 0;
    std::int64_t began = 0;
    std::int64_t elapsed = 0;
  };
  // All of one worker: no two of them run at once, so plain members do.
  const auto one = [](void* argument) {
    Run& run = *static_cast<Run*>(argument);
    if (run.started == 0) run.began = cpu_time_ns();
    const int number = run.started++;
    run.body(number, kTurns / run.ults);
    if (++run.ended == run.ults) run.elapsed = cpu_time_ns() - run.began;
  };
  // A ult of that worker spawns them, so that none runs before all exist.
  static constexpr auto kStarter = [](void* argument) {
    auto& [run, function] = *static_cast<std::pair<Run*, void (*)(void*)>*>(argument);
    std::vector<Ult*> ults;
    for (int i = 0; i < run->ults; ++i) ults.push_back(must_spawn(function, run, 0));
    for (Ult* ult : ults) join(ult);
  };

  ScopedScheduler scheduler(1);
  for (auto _ : state) {
    Run run{.body = body, .ults = static_cast<int>(state.range(0))};
    std::pair<Run*, void (*)(void*)> argument{&run, one};
    join(must_spawn(kStarter, &argument, 0));
    state.SetIterationTime(static_cast<double>(run.elapsed) * 1e-9);
  }
  report_time_of_each(state, "hand_over", kTurns);
}

}  // namespace heddle::ult
