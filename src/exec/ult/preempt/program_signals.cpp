#include "exec/ult/program_signals.h"

#include <atomic>

#include "exec/ult/run/ticks.h"

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

}  // namespace heddle::ult
