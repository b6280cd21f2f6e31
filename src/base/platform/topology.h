// topology.h — which cores this process may use, and how to stay on one (hwloc).
//
// Thread safety: any thread. The first call examines the machine, the others use its result.

#pragma once

#include <span>
#include <vector>

namespace heddle::platform {

// The numbers of the parts that a core belongs to; they mean nothing but same or not the same,
// except the kernel's numbers.
struct Core {
  int cpu;        // the kernel's number of one of its CPUs
  int l3_cache;   // of the core itself where there is none
  int numa_node;  // the kernel's number
  int socket;
};

// Each core of which the cgroup and the affinity mask of the process allow a CPU, neighbours in the
// cache hierarchy side by side. Never more than the cgroup's CPU quota pays for, never empty.
const std::vector<Core>& usable_cores();
// Their CPUs.
const std::vector<int>& usable_cpus();

// The NUMA node that has this CPU, 0 if that is not known.
int numa_node_of(int cpu) noexcept;

// Keeps the calling kernel thread on `cpu`, or on these. False: the kernel refused; the thread runs
// as before.
bool bind_this_thread(int cpu) noexcept;
bool bind_this_thread(std::span<const int> cpus) noexcept;

// If the calling kernel thread is bound to `cpu` alone, lets it run on all CPUs that the process
// had when the machine was examined. Returns false if it was not bound so, or the kernel refused.
// Allowed in a signal handler and in a child of fork.
bool unbind_this_thread_from(int cpu) noexcept;

}  // namespace heddle::platform
