// frame.h — runs a handler of the program on the stack that the program expects (x86_64).
//
// The kernel calls our handler on the signal stack of the worker, which serves all its ults. A
// handler of the program may sleep, so that others run, or leave by siglongjmp. So it cannot run
// there. What the kernel has stored for the return from a handler is moved to the stack of the ult,
// or to the program's own signal stack, and the handler is called there:
//
//   worker's signal stack                   ult's stack
//   | restorer, context, info, registers |  ... interrupted frames | red zone | registers | HandlerCall | info,
//        our handler: copies, and leaves ──────────►  context, restorer | run_handler() | the program's
//
// The handler returns to libc's restorer, whose system call restores the context. So debuggers and
// unwinders see a frame that they know.
//
// Thread safety: each strand its own.

#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#include "exec/process/signals/rank_signals.h"
#include "exec/ult/stillness.h"

namespace heddle::process::signals {

struct HandlerCall {
  // The frame as the kernel has it; the order matters.
  struct Frame {
    void (*restorer)();
    ucontext_t context;
    siginfo_t info;
  };
  int signal = 0;
  struct sigaction action = {};
  Frame* frame = nullptr;
  Mask kernel_mask = 0;  // of the thread, outside of handlers
  HandlerCall* outer = nullptr;
  const char* interrupted_call = nullptr;           // Standing::mine.call
  const ult::WaitNote* interrupted_wait = nullptr;  // what the strand has noted (ult/stillness.h)
};

// In our handler, with all signals blocked: calls the handlers of the program, and goes on with
// `context` when they have returned. Does not return, or returns false if the stack has no room.
bool run_on_its_stack(int signal, const struct sigaction& action, const siginfo_t& info,
                      const ucontext_t& context) noexcept;

// The stack pointer to which longjmp would lead.
std::uintptr_t stack_pointer_of(const struct __jmp_buf_tag& target) noexcept;

// Called when the calling strand jumps to a frame whose stack pointer is `target`: it is no longer
// in the handlers that ran below. Returns the MPI function that one of these has interrupted, which
// the jump would leave; else null.
const char* forget_runs_below(std::uintptr_t target) noexcept;

}  // namespace heddle::process::signals
