// futex_calls.h — the futex system call of ults, which libstdc++ (atomic::wait, latch, barrier,
// semaphore, the guards of static variables) and other libraries make through libc's syscall().
//
// A ult that waits is queued in the parking lot; a kernel thread sleeps in the kernel; a wake-up goes
// to both. A futex that another process may wake (no FUTEX_PRIVATE_FLAG) is looked at again every
// millisecond: a wait may return early, says futex(2). Requeueing and bit sets stay the kernel's, and
// futex calls that a library makes by inline assembly (libgomp) never come here.
//
// Thread safety: any strand. Waiting may switch.

#pragma once

namespace heddle::posix {

// The arguments of SYS_futex. False: not for us, make the system call. Else `*result`, with errno.
bool futex_call(const long (&arguments)[6], long* result) noexcept;

}  // namespace heddle::posix
