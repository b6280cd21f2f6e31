// identity_signal.h — seteuid, setgid, setgroups and their kind, while ults run.
//
// The kernel keeps a user and groups for each of its threads, POSIX wants them for a process. So glibc
// signals all threads of which it has a descriptor, and each changes itself in the signal's handler,
// then notes it in its descriptor. It finds the descriptor by its thread pointer, which on a worker is that of a
// ult. So the worker's own descriptor would never get the note, and the caller would signal the thread again
// without end. Therefore the handler here runs before libc's and installs the worker's thread pointer for it.
//
// Descriptors of ults are no threads to glibc: no kernel thread has their number, so it skips them.
//
// One gap remains: a pthread_create that makes a ult's TLS block just when another thread calls one of these
// functions. The thread may get the signal in the few instructions before its end; then the caller waits
// for ever.
//
// Thread safety: any thread.

#pragma once

namespace heddle::ult {

// To be called once, after the process has made its first thread: glibc sets its handler then.
void carry_identity_changes() noexcept;

}  // namespace heddle::ult
