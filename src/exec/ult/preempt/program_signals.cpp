#include "exec/ult/program_signals.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "base/platform/signals.h"
#include "exec/ult/preempt/away.h"
#include "exec/ult/run/ticks.h"
#include "exec/ult/switch/transfer.h"

namespace heddle::ult {

namespace {
using Handler = void (*)(int, siginfo_t*, void*);
constinit std::atomic<Handler> program_handler{nullptr};
}  // namespace

bool interrupts_workers(int signal) noexcept {
  return signal == kInterrupt && has_interrupt_handler.load(std::memory_order_relaxed);
}

void set_program_handler(Handler handler) noexcept {
  program_handler.store(handler, std::memory_order_relaxed);
}

void act_for_program(siginfo_t* info, void* context) {
  // relaxed: it is a function.
  if (const Handler handler = program_handler.load(std::memory_order_relaxed)) {
    handler(kInterrupt, info, context);
  }
}

void go_on_with_call(ucontext_t& interrupted) noexcept {
  SystemCall call;
  const Interrupted how = find_interrupted_call(interrupted, nullptr, &call);
  if (how == Interrupted::kReturned && !tell_maker_of_cut(interrupted)) {
    interrupt_worker(platform::kernel_thread_id());  // its handler is not on this one's stack
  }
  if (how != Interrupted::kEnded || call.number == SystemCall::kUnknown) return;
  shorten_if_away(call);
  repeat(interrupted, call);
}

long make_whole_call(long number, const long (&arguments)[6]) noexcept {
  SystemCall call{.number = number};
  std::copy(std::begin(arguments), std::end(arguments), call.arguments);
  return make_whole(call);
}

void leave_call_to_program(ucontext_t& interrupted, bool restarts) noexcept {
  leave_to_program(interrupted, restarts);
}

}  // namespace heddle::ult
