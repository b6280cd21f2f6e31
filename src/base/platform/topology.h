// topology.h — which cores this process may use, and how to stay on one (hwloc).
//
// Thread safety: any thread. The first call examines the machine, the others use its result.

#pragma once

#include <vector>

namespace heddle::platform {

// One CPU number (the kernel's) for each core that the cgroup and the affinity mask of the process
// allow, neighbours in the cache hierarchy side by side. Never more than the cgroup's CPU quota
// pays for, never empty.
const std::vector<int>& usable_cpus();

// The NUMA node that has this CPU, 0 if that is not known.
int numa_node_of(int cpu) noexcept;

// Keeps the calling kernel thread on `cpu`. False: the kernel refused; the thread runs unbound.
bool bind_this_thread(int cpu) noexcept;

// If the calling kernel thread is bound to `cpu` alone, lets it run on all CPUs that the process had
// when the machine was examined. Returns false if it was not bound so, or the kernel refused. Allowed in a signal
// handler and in a child of fork.
bool unbind_this_thread_from(int cpu) noexcept;

}  // namespace heddle::platform
