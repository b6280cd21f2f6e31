#include "base/platform/topology.h"

#include <hwloc.h>
#include <sched.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace heddle::platform {

namespace {

// The kernel's mask of a thread's CPUs: more than any machine has, so that it always fits.
using CpuMask = std::array<cpu_set_t, 8>;

// By number, and not by hwloc or libc: calls by name that come through another library, as those
// that AddressSanitizer intercepts, are taken for the program's (exec/process/threads/affinity.h).
bool read_mask(CpuMask& mask) noexcept {
  return syscall(SYS_sched_getaffinity, 0, sizeof mask, mask.data()) > 0;
}
bool bind_to(const CpuMask& mask) noexcept {
  return syscall(SYS_sched_setaffinity, 0, sizeof mask, mask.data()) == 0;
}

// The machine as hwloc sees it; lives as long as the process.
struct Machine {
  hwloc_topology_t topology = nullptr;  // null: hwloc does not know this machine
  std::vector<Core> cores;
  std::vector<int> cpus;  // of these
  CpuMask at_first{};     // of the thread that looked
  bool has_mask = false;
};

// How many CPUs' worth of time the cgroup (v2) grants, or a large number. The limits of the groups
// above count as well, but are not visible from inside a container.
std::size_t cgroup_quota() {
  constexpr std::size_t kUnlimited = 1 << 20;
  std::string group = "/";
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::")) group = line.substr(3);
  }
  std::ifstream file("/sys/fs/cgroup" + group + "/cpu.max");
  long quota = 0;
  long period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return kUnlimited;  // "max"
  return static_cast<std::size_t>((quota + period - 1) / period);
}

int number_above(hwloc_topology_t topology, hwloc_obj_t core, hwloc_obj_type_t type,
                 int otherwise) {
  const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, core);
  return found != nullptr ? static_cast<int>(found->logical_index) : otherwise;
}

int numa_node_of(hwloc_topology_t topology, int cpu) noexcept {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_isset(node->cpuset, static_cast<unsigned>(cpu)) != 0) {
      return static_cast<int>(node->os_index);
    }
  }
  return 0;
}

// Each core that has an allowed CPU. hwloc's order is by locality.
std::vector<Core> cores_of(hwloc_topology_t topology) {
  std::vector<Core> found;
  hwloc_bitmap_t usable = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(topology, usable, HWLOC_CPUBIND_PROCESS) != 0) hwloc_bitmap_fill(usable);
  hwloc_bitmap_and(usable, usable, hwloc_topology_get_allowed_cpuset(topology));
  hwloc_bitmap_t of_core = hwloc_bitmap_alloc();
  const int cores = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
  for (int i = 0; i < cores; ++i) {
    const hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, unsigned(i));
    hwloc_bitmap_and(of_core, usable, core->cpuset);
    const int cpu = hwloc_bitmap_first(of_core);
    if (cpu < 0) continue;
    found.push_back({cpu, number_above(topology, core, HWLOC_OBJ_L3CACHE, i),
                     numa_node_of(topology, cpu),
                     number_above(topology, core, HWLOC_OBJ_PACKAGE, 0)});
  }
  hwloc_bitmap_free(of_core);
  hwloc_bitmap_free(usable);
  return found;
}

// hwloc loads all plugins that it finds, with X11, OpenCL and libxml2, before it can be told what
// is wanted: a fifth of a job's start. None of them knows of cores or caches. The environment may
// change only while there is one thread, as when mpiexec's host starts.
int init_without_plugins(hwloc_topology_t* topology) {
  constexpr const char* kPath = "HWLOC_PLUGINS_PATH";
  const bool says_where = __libc_single_threaded != 0 && std::getenv(kPath) == nullptr;
  if (says_where) setenv(kPath, "/dev/null", 0);
  const int result = hwloc_topology_init(topology);
  if (says_where) unsetenv(kPath);
  return result;
}

Machine look() {
  Machine machine;
  machine.has_mask = read_mask(machine.at_first);
  if (init_without_plugins(&machine.topology) == 0) {
    // Only cores and caches matter here; looking at PCI devices would cost start-up time.
    hwloc_topology_set_io_types_filter(machine.topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(machine.topology) == 0) {
      machine.cores = cores_of(machine.topology);
    } else {
      hwloc_topology_destroy(machine.topology);
      machine.topology = nullptr;
    }
  }
  if (machine.cores.empty()) machine.cores.push_back({std::max(0, sched_getcpu()), 0, 0, 0});
  machine.cores.resize(std::min(machine.cores.size(), cgroup_quota()));
  for (const Core& core : machine.cores) machine.cpus.push_back(core.cpu);
  return machine;
}

const Machine& machine() {
  static const Machine instance = look();
  return instance;
}

}  // namespace

const std::vector<Core>& usable_cores() {
  return machine().cores;
}

const std::vector<int>& usable_cpus() {
  return machine().cpus;
}

int numa_node_of(int cpu) noexcept {
  return machine().topology != nullptr ? numa_node_of(machine().topology, cpu) : 0;
}

bool bind_this_thread(int cpu) noexcept {
  return bind_this_thread({&cpu, 1});
}

bool bind_this_thread(std::span<const int> cpus) noexcept {
  CpuMask only{};
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), sizeof only, only.data());
  return bind_to(only);
}

bool unbind_this_thread_from(int cpu) noexcept {
  CpuMask mask{};
  if (cpu < 0 || !machine().has_mask || !read_mask(mask)) return false;
  if (CPU_COUNT_S(sizeof mask, mask.data()) != 1) return false;
  if (!CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data())) return false;
  return bind_to(machine().at_first);
}

}  // namespace heddle::platform
