// outside.h — a function that waits in the kernel runs outside of every worker.
//
// What another process may wake has to wait in the kernel. A ult that waits there would keep its
// worker until the call monitor sees that, after 20 to 30 ms (preempt/away.h). A ult that knows
// beforehand gives its worker away at once:
//
//   ult on worker W, kernel thread K    a spare kernel thread S is woken and runs W
//   function(argument) on K             the ult's own stack and TLS block; to the scheduler K is a
//                                       kernel thread
//   it has returned                     the ult goes into W's inbox, K is a spare one, S enters the
//                                       ult
//
// W does not spin for a while when it then has nothing to do: it would keep the core from K.
//
// Thread safety: any strand.

#pragma once

namespace heddle::ult {

// Returns true when function(argument) has returned; then the caller is on its worker again. The
// function may not use the scheduler; a handler of the program may leave it by longjmp
// (leave_call_before_jump). Returns false, and has done nothing, if the caller is no ult, or one of
// the lent worker (lend.h), is in a section without switch, or if the kernel has no thread to
// spare. errno is the function's. May switch.
bool call_outside(void (*function)(void*), void* argument) noexcept;

// From now on the kernel thread with this number runs the caller's worker. Returns false, and has
// done nothing, where call_outside would, and if that thread is no spare one. May switch.
bool move_to_thread(int kernel_thread) noexcept;

}  // namespace heddle::ult
