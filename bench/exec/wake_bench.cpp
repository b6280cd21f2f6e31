// What it takes to wake a strand on another worker.

#include <benchmark/benchmark.h>

#include <vector>

#include "bench/exec/on_ults.h"
#include "exec/ult/completion.h"

namespace heddle::ult {
namespace {

constexpr int kRounds = 100'000;

struct Table {
  std::vector<Completion> ping = std::vector<Completion>(kRounds);
  std::vector<Completion> pong = std::vector<Completion>(kRounds);
};

void serve(void* table) {
  Table& t = *static_cast<Table*>(table);
  for (int i = 0; i < kRounds; ++i) {
    t.ping[static_cast<std::size_t>(i)].set();
    t.pong[static_cast<std::size_t>(i)].wait();
  }
}

void answer(void* table) {
  Table& t = *static_cast<Table*>(table);
  for (int i = 0; i < kRounds; ++i) {
    t.ping[static_cast<std::size_t>(i)].wait();
    t.pong[static_cast<std::size_t>(i)].set();
  }
}

// Ping-pong through completions between two ults; range(0) and range(1) are their workers.
void BM_CompletionPingPong(benchmark::State& state) {
  ScopedScheduler scheduler(2);
  for (auto _ : state) {
    Table table;
    Ult* a = must_spawn(serve, &table, static_cast<int>(state.range(0)));
    Ult* b = must_spawn(answer, &table, static_cast<int>(state.range(1)));
    join(a);
    join(b);
  }
  report_time_of_each(state, "hand_over", 2 * kRounds);
}
BENCHMARK(BM_CompletionPingPong)->Args({0, 0})->Args({0, 1})->UseRealTime();

// The same with park and wake alone: always through the inbox.
struct Players {
  Strand* a = nullptr;
  Strand* b = nullptr;
  Completion a_ready;
  Completion b_ready;
};

void park_and_wake(Strand& other, bool first) {
  for (int i = 0; i < kRounds; ++i) {
    if (first) other.wake();
    Strand::park();
    if (!first) other.wake();
  }
}

void BM_ParkWakePingPong(benchmark::State& state) {
  ScopedScheduler scheduler(2);
  const auto play_a = [](void* players) {
    Players& p = *static_cast<Players*>(players);
    p.a = &Strand::current();
    p.a_ready.set();
    p.b_ready.wait();
    park_and_wake(*p.b, true);
  };
  const auto play_b = [](void* players) {
    Players& p = *static_cast<Players*>(players);
    p.b = &Strand::current();
    p.b_ready.set();
    p.a_ready.wait();
    park_and_wake(*p.a, false);
  };
  for (auto _ : state) {
    Players players;
    Ult* a = must_spawn(play_a, &players, static_cast<int>(state.range(0)));
    Ult* b = must_spawn(play_b, &players, static_cast<int>(state.range(1)));
    join(a);
    join(b);
  }
  report_time_of_each(state, "hand_over", 2 * kRounds);
}
BENCHMARK(BM_ParkWakePingPong)->Args({0, 0})->Args({0, 1})->UseRealTime();

}  // namespace
}  // namespace heddle::ult
