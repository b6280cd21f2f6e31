// ult.h — a user-level thread: a stack, a TLS block of its own, and a worker that runs it.
//
// Because the TLS block travels with the ult, errno, thread_local, stdio locks, malloc's caches and
// C++ exception state belong to the ult and not to the worker.
//
//   state     meaning                                             leaves by
//   --------  --------------------------------------------------  --------------------------
//   ready     in a run queue or on its way there                  the worker picks it
//   running   on a worker                                         park, yield, sleep, freeze, finish
//   parked    waits for a wake-up, in no queue                    wake
//   frozen    waits at a gate with others of its worker (gate.h)  the gate opens
//   finished  its function returned; thread_local destructors     join frees it
//             have run
//
// Thread safety: spawn and join from any strand; everything else is the ult's own.

#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "exec/ult/strand.h"

namespace heddle::ult {

class Ult;

struct Attributes {
  std::size_t stack_bytes = 0;  // 0: the scheduler's default; a guard page is added
  int worker = -1;              // where it runs; -1: the caller's worker, else the least loaded
  void* owner = nullptr;        // what Ult::owner() returns; exec/rank keeps its Rank* here
  // Its function leaves thread_local objects and keys as it found them, so that join may keep stack
  // and TLS block for the next such ult: 1 us in place of 80.
  bool reusable = false;
};

// Starts `function(argument)` as a ult. Fails when memory or mappings run out. Does not switch.
Error spawn(void (*function)(void*), void* argument, const Attributes& attributes, Ult** out);

// Returns when the ult has finished, and frees it. Once per ult, by any strand. May switch.
void join(Ult* ult) noexcept;

// Ends the calling ult as if its function had returned. Never returns.
[[noreturn]] void finish_current() noexcept;

// Runs the destructors of the calling ult's thread_local objects now, as the end of a thread would.
void end_thread_locals() noexcept;

// The calling ult's block is not as it was found: join frees it, whatever Attributes::reusable said.
void forbid_reuse() noexcept;

// The calling ult, or nullptr on a kernel thread.
Ult* current() noexcept;

void* owner(const Ult& ult) noexcept;

// The kernel thread that runs the ult, or that it waits on in a system call; 0: it waits otherwise, or is
// ready. Others see it a moment late.
int kernel_thread_of(Ult& ult) noexcept;

// Before the calling strand jumps (longjmp) to where the stack pointer is `target`: if it leaves a system
// call in which its worker has gone on without it, it is back on its worker. Switches then.
void leave_call_before_jump(std::uintptr_t target) noexcept;
int worker_of(const Ult& ult) noexcept;

// What pthread_self() is in the ult.
pthread_t thread_of(const Ult& ult) noexcept;

// The usable part of its stack once it has run, for pthread_getattr_np and for crash reports.
struct StackRange {
  void* low;
  std::size_t bytes;
};
StackRange stack_of(const Ult& ult) noexcept;

}  // namespace heddle::ult
