// affinity.h — on which CPUs a thread of a rank may run, as its program asks and says.
//
// A worker is bound to a core, but what its ults start is not (ult/worker_core.h). So a ult is told what its
// kernel threads and children get: the CPUs that the process had at first. A team of libgomp then is as large
// as in a process, and `nproc` says the same.
//
//   a ult asks           the kernel, while its worker is off its core; less what the ult has said before
//   a ult says a set     with its worker's core: the worker stays there, and the set is noted
//                        without: the worker moves, and all its ults with it, until a call lasts so long that
//                        another kernel thread takes the worker: that one goes to the worker's core
//   of another thread,   the kernel
//   by a kernel thread
//
// What is noted is not passed on: to children, kernel threads and other ults of the rank.
//
// Thread safety: any strand.

#pragma once

#include <pthread.h>
#include <sys/types.h>

namespace heddle::posix {

// Results and errno of the system calls: the bytes of the mask, and 0; -1.
long get_affinity(pid_t id, size_t bytes, void* mask) noexcept;
long set_affinity(pid_t id, size_t bytes, const void* mask) noexcept;

}  // namespace heddle::posix
