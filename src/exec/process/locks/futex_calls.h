// futex_calls.h — the futex system call of ults, which libstdc++ (atomic::wait, latch, barrier,
// semaphore, the guards of static variables) and other libraries make through libc's syscall().
//
// A ult that waits is queued in the parking lot; a kernel thread sleeps in the kernel; a wake-up
// goes to both. Requeueing and bit sets stay the kernel's, and futex calls that a library makes by
// inline assembly (libgomp) never come here.
//
//   the word                      what may end the wait               the ult
//   ----------------------------  ----------------------------------  -----------------------------
//   FUTEX_PRIVATE_FLAG            strands of this process             waits (NotedWait)
//   without it, in memory of      the kernel, too, which writes a 0   looks at the word now and
//   this process alone (std::     at the end of a task that clone     then (AskingWait), unless the
//   future, libomp's locks)       has made                            call has a time
//   without it, in memory that    another process                     returns after a millisecond,
//   is shared                                                         and the program looks again
//                                                                     (futex(2) allows that)
//
// Thread safety: any strand. Waiting may switch.

#pragma once

namespace heddle::process {

// Takes the arguments of SYS_futex. Returns false if the caller must make the system call; else
// sets `*result` and errno.
bool futex_call(const long (&arguments)[6], long* result) noexcept;

}  // namespace heddle::process
