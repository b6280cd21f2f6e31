// ult.h — a user-level thread: a stack, a TLS block of its own, and a worker that runs it.
//
// Because the TLS block travels with the ult, errno, thread_local, stdio locks, malloc's caches and
// C++ exception state belong to the ult and not to the worker.
//
//   state     meaning                                             leaves by
//   --------  --------------------------------------------------  --------------------------
//   ready     in a run queue or on its way there                  the worker picks it
//   running   on a worker                                         park, yield, sleep, freeze,
//                                                                 finish
//   parked    waits for a wake-up, in no queue                    wake
//   frozen    waits for an event with others of its worker (event.h)  it is set
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
  // The caller promises that the function leaves thread_local objects and keys as it found them.
  // Then join keeps stack and TLS block for the next such ult, which makes it in 1 us in place of
  // 80.
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

// The calling ult has changed its TLS block for good: join frees the block, whatever
// Attributes::reusable says.
void forbid_reuse() noexcept;

// The calling ult, or nullptr on a kernel thread.
Ult* current() noexcept;

// True if the caller is a ult, and other ults have the same worker. It may change at any time.
bool has_companions() noexcept;

void* owner(const Ult& ult) noexcept;

// The id of the kernel thread that runs the ult, or on which it waits in a system call; 0 if it is
// ready or waits otherwise. Other threads see changes a moment late.
int kernel_thread_of(Ult& ult) noexcept;

// To be called before the calling strand jumps (longjmp) to a frame whose stack pointer is
// `target`. If the jump leaves a system call during which the ult was away, this brings it back to
// its worker; then it switches.
void leave_call_before_jump(std::uintptr_t target) noexcept;
int worker_of(const Ult& ult) noexcept;

// The value of pthread_self() in the ult.
pthread_t thread_of(const Ult& ult) noexcept;

// The usable part of its stack once it has run, for pthread_getattr_np and for crash reports.
struct StackRange {
  void* low;
  std::size_t bytes;
};
StackRange stack_of(const Ult& ult) noexcept;

}  // namespace heddle::ult
