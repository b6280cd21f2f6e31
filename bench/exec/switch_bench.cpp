// What it costs to go from one ult to another, beside the least that it can cost.
//
// Every figure is the time of one hand-over: a round trip is two.

#include <benchmark/benchmark.h>

#include <vector>

#include "base/platform/clock.h"
#include "base/platform/thread_pointer.h"
#include "bench/exec/on_ults.h"
#include "exec/ult/completion.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/switch/context.h"
#include "exec/ult/ult.h"

namespace heddle::ult {
namespace {

extern "C" void bare_switch(void** save_sp, void* sp, void* thread_pointer) noexcept;

// Another stack that does nothing but switch back. Both sides load their FS base; that it is the
// same value makes no difference to the instruction.
struct BarePartner {
  alignas(16) void* stack[2048] = {};
  void* its = &stack[2048 - 8];  // below a return address: six registers
  void* mine = nullptr;

  BarePartner() { stack[2048 - 2] = reinterpret_cast<void*>(&BarePartner::body); }
  static BarePartner& only() {
    static BarePartner partner;
    return partner;
  }
  static void body() {
    BarePartner& self = only();
    for (;;) bare_switch(&self.its, self.mine, platform::thread_pointer());
  }
};

void BM_BareSwitch(benchmark::State& state) {
  BarePartner& partner = BarePartner::only();
  for (auto _ : state) bare_switch(&partner.mine, partner.its, platform::thread_pointer());
  report_time_of_each(state, "hand_over", 2);  // there and back
}
BENCHMARK(BM_BareSwitch);

template <SetBase kBy>
struct Partner {
  alignas(16) char stack[16 << 10] = {};
  Context its;
  Context mine;

  Partner()
      : its(make_context(stack + sizeof stack, platform::thread_pointer(), float_modes(),
                         &Partner::body, this)) {
    mine.thread_pointer = platform::thread_pointer();
  }
  static void body(void* partner) {
    Partner* self = static_cast<Partner*>(partner);
    for (;;) switch_context_by<kBy>(self->its, self->mine);
  }
};

template <SetBase kBy>
void measure_switch(benchmark::State& state) {
  static Partner<kBy> partner;
  for (auto _ : state) switch_context_by<kBy>(partner.mine, partner.its);
  report_time_of_each(state, "hand_over", 2);
}
BENCHMARK(measure_switch<SetBase::kInstruction>)->Name("BM_ContextSwitch");
BENCHMARK(measure_switch<SetBase::kSystemCall>)->Name("BM_ContextSwitchArchPrctl");

// `state.range(0)` ults on one worker, each yielding in turn.
void BM_Yield(benchmark::State& state) {
  measure_hand_overs(state, [](int, std::int64_t rounds) {
    for (std::int64_t i = 0; i < rounds; ++i) yield();
  });
}
BENCHMARK(BM_Yield)->Arg(2)->Arg(16)->Arg(64)->Arg(1024)->UseManualTime();

// Ults in a ring on one worker: each waits for its own completion and sets the next one's.
void BM_CompletionRing(benchmark::State& state) {
  const int ults = static_cast<int>(state.range(0));
  static std::vector<Completion>* turns;
  turns = new std::vector<Completion>(static_cast<std::size_t>(ults));
  (*turns)[0].set();
  measure_hand_overs(state, [](int me, std::int64_t rounds) {
    Completion& mine = (*turns)[static_cast<std::size_t>(me)];
    Completion& next = (*turns)[static_cast<std::size_t>(me + 1) % turns->size()];
    for (std::int64_t i = 0; i < rounds; ++i) {
      mine.wait();
      mine.reset();
      next.set();
    }
  });
  delete turns;
}
BENCHMARK(BM_CompletionRing)->Arg(2)->Arg(16)->Arg(64)->Arg(1024)->UseManualTime();

}  // namespace
}  // namespace heddle::ult
