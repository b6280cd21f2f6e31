// What it costs to make, run and join a ult, from a kernel thread and from a ult.

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/exec/on_ults.h"

namespace heddle::ult {
namespace {

void nothing(void*) {}

// One after the other: the latency of spawn + run + join.
void BM_SpawnRunJoin(benchmark::State& state) {
  ScopedScheduler scheduler(2);
  for (auto _ : state) join(must_spawn(nothing, nullptr, -1));
}
BENCHMARK(BM_SpawnRunJoin)->UseRealTime();

// Many at once, as a job of that many ranks does it. `each` is the cost of one.
void BM_SpawnAllJoinAll(benchmark::State& state) {
  const int ults = static_cast<int>(state.range(0));
  ScopedScheduler scheduler(2);
  for (auto _ : state) {
    std::vector<Ult*> started;
    for (int i = 0; i < ults; ++i) started.push_back(must_spawn(nothing, nullptr, i % 2));
    for (Ult* ult : started) join(ult);
  }
  report_time_of_each(state, "each", ults);
}
BENCHMARK(BM_SpawnAllJoinAll)->Arg(64)->Arg(1024)->UseRealTime();

// Two ults of two workers spawn and join at the same time. `each` is the cost of one of all.
void BM_SpawnInParallel(benchmark::State& state) {
  constexpr int kUlts = 256;
  ScopedScheduler scheduler(2);
  const auto spawner = [](void*) {
    std::vector<Ult*> started;
    for (int i = 0; i < kUlts; ++i) started.push_back(must_spawn(nothing, nullptr, -1));
    for (Ult* ult : started) join(ult);
  };
  for (auto _ : state) {
    Ult* first = must_spawn(spawner, nullptr, 0);
    Ult* second = must_spawn(spawner, nullptr, 1);
    join(first);
    join(second);
  }
  report_time_of_each(state, "each", 2 * kUlts);
}
BENCHMARK(BM_SpawnInParallel)->UseRealTime();

}  // namespace
}  // namespace heddle::ult
