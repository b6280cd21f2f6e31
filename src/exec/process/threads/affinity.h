// affinity.h — on which CPUs a thread of a rank may run, as its program asks and says.
//
// A worker is bound to a core, but what its ults start is not (ult/worker_core.h). So a ult is told
// what its threads and children get: the CPUs that its program has chosen, or those that the
// process had at first. A team of libgomp then is as large as in a process, and `nproc` says the
// same. A choice holds for the ult itself and for the threads and children that it starts
// afterwards, as in a process.
//
//   a ult asks           the kernel, while its worker is off its core
//   a ult chooses        with its worker's core: the worker stays there
//                        without: the worker moves, and all its ults with it, until a call lasts
//                        so long that another kernel thread takes the worker: that one goes to
//                        the worker's core
//   of another thread,   the kernel
//   by a kernel thread
//
// Thread safety: any strand.

#pragma once

#include <pthread.h>
#include <sys/types.h>

namespace heddle::process {

// Results and errno of the system calls: the bytes of the mask, and 0; -1.
long get_affinity(pid_t id, size_t bytes, void* mask) noexcept;
long set_affinity(pid_t id, size_t bytes, const void* mask) noexcept;

}  // namespace heddle::process
