// robust_mutexes.h — what the kernel does for a thread that ends with robust mutexes: their next
// owners get EOWNERDEAD.
//
// libc lists a thread's robust mutexes in its thread descriptor, and tells the kernel where the
// list of a kernel thread is. The kernel does not know a ult's list, and sees no end of a rank
// whose process goes on. The list and the words are the kernel's interface, `<linux/futex.h>`.
// Where the list lies in a descriptor is found out by asking the kernel about a thread of libc's.
//
// A thread of the rank that waits when the rank ends gives its mutexes up when it is woken, and
// stands still then.
//
// Thread safety: the calling strand about itself.

#pragma once

namespace heddle::process {

// The strand runs no more code of the program. Does nothing for a kernel thread, whose end the
// kernel sees.
void give_up_robust_mutexes() noexcept;

}  // namespace heddle::process
