// What one operation's references cost under the policy that HEDDLE_LIFETIME names, and how long a
// collector cycle takes over |T| pending operations and |Ge| freed objects.
//
// Operations are timed in CPU time of all threads, which is what counts on a busy machine.

#include <benchmark/benchmark.h>

#include <memory>
#include <thread>
#include <vector>

#include "mpi/lifetime/collector.h"
#include "mpi/lifetime/transient_object.h"

namespace {

using namespace heddle;
using namespace heddle::lifetime;
using object::Kind;
using object::Ref;

class Thing final : public Managed {
 public:
  Thing() noexcept : Managed(Kind::kDatatype) {}
};

class Operation final : public TransientObject {
 public:
  Operation() noexcept : TransientObject(Kind::kRequest) {}
  void hold(const Thing* a, const Thing* b) noexcept { refer(a, b); }
};

constexpr int kMostThreads = 64;  // choose some by --benchmark_filter

// Begins and ends operations on two objects that all threads of the rank share.
void operation(benchmark::State& state) {
  constexpr int kOperations = 1'000'000;
  Rank rank(0);
  Rank::enter(&rank);
  auto* comm = new Thing();
  auto* type = new Thing();
  const auto run = [&] {
    Rank::enter(&rank);
    for (int i = 0; i < kOperations; ++i) make_transient<Operation>()->hold(comm, type);
  };
  for (auto _ : state) {
    std::vector<std::thread> threads;
    for (long i = 0; i < state.range(0); ++i) threads.emplace_back(run);
    for (std::thread& thread : threads) thread.join();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * kOperations);
  comm->release();
  type->release();
}

void cycle(benchmark::State& state) {
  if (policy != Policy::kCollector) return state.SkipWithError("only HEDDLE_LIFETIME=collector");
  for (auto _ : state) {
    auto rank = std::make_unique<Rank>(0);
    Rank::enter(rank.get());
    auto* used = new Thing();
    std::vector<Ref<Operation>> pending;
    for (long i = 0; i < state.range(0); ++i) {
      pending.push_back(make_transient<Operation>());
      pending.back()->hold(used, nullptr);
    }
    std::vector<Thing*> freed;
    for (long i = 0; i < state.range(1); ++i) freed.push_back(new Thing());
    for (Thing* thing : freed) thing->release();
    collect();
    state.SetIterationTime(1e-9 * static_cast<double>(Collector::of_rank().counters().nanoseconds));
    pending.clear();
    used->release();
    rank.reset();
    Rank::enter(nullptr);
  }
}

}  // namespace

BENCHMARK(operation)
    ->DenseRange(1, kMostThreads)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(cycle)
    ->ArgsProduct({{0, 1000, 10000, 100000}, {1, 1000, 10000}})
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(15)
    ->ReportAggregatesOnly();
