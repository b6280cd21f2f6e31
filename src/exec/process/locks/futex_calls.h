// futex_calls.h — the futex system call of ults, which libstdc++ (atomic::wait, latch, barrier,
// semaphore, the guards of static variables) and other libraries make through libc's syscall().
//
// A ult that waits is queued in the parking lot; a kernel thread sleeps in the kernel; a wake-up goes
// to both. If another process may wake the futex (no FUTEX_PRIVATE_FLAG), the wait ends after a
// millisecond and the program looks again: futex(2) allows an early return. Requeueing and bit sets stay the kernel's, and
// futex calls that a library makes by inline assembly (libgomp) never come here.
//
// Thread safety: any strand. Waiting may switch.

#pragma once

namespace heddle::posix {

// Takes the arguments of SYS_futex. Returns false if the caller must make the system call; else sets `*result` and
// errno.
bool futex_call(const long (&arguments)[6], long* result) noexcept;

}  // namespace heddle::posix
