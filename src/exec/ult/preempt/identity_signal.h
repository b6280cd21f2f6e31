// identity_signal.h — seteuid, setgid, setgroups and their kind, while ults run.
//
// The kernel keeps a user and groups for each of its threads, POSIX wants them for a process. So glibc
// signals all threads of which it has a descriptor, and each changes itself in the signal's handler,
// then says so in its descriptor. It finds that by its thread pointer, which on a worker is a ult's:
// the worker's own would never hear of it, and the caller would signal it again without end. So the
// handler here goes before libc's, and lends it the worker's thread pointer meanwhile.
//
// Descriptors of ults are no threads to glibc: no kernel thread has their number, so it skips them.
//
// Not closed: a pthread_create that makes a ult's TLS block just when another thread calls one of these
// functions. The thread may get the signal in the few instructions before its end; then the caller waits
// for ever.
//
// Thread safety: any thread.

#pragma once

namespace heddle::ult {

// After the process has made its first thread, when glibc sets its handler. Once is enough.
void carry_identity_changes() noexcept;

}  // namespace heddle::ult
