// placement.h — where units, which are processes or ranks of a job, go on the cores of this
// machine: what mpiexec's --map-by, --rank-by and --bind-to mean.
//
//   cores, in order of locality  0 1 2 3 │ 4 5 6 7    two NUMA nodes
//   4 units, by core             0 1 2 3 │            next to each other
//   by numa                      0 2     │ 1 3        in turn to each node
//   by numa, numbered by fill    0 1     │ 2 3        the same places, numbered node by node
//   none, with 16 ranks          0 0 1 1 │ 2 2 3 3 …  blocks, as ranks go to workers of a process
//
// More than there are cores go around again.
//
// Thread safety: pure functions.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/topology.h"

namespace heddle::platform {

// Parts of a machine, the small ones first.
enum class Part { kCore, kL3Cache, kNumaNode, kSocket };

struct Placement {
  // In turn to each of these parts; none: in blocks.
  std::optional<Part> map_by;
  bool rank_by_fill = false;  // numbered part by part, and not in the order of mapping
};

// What mpiexec's options call it: core, l3cache, numa, socket; package is a socket.
std::optional<Part> part_named(std::string_view name) noexcept;
const char* name_of(Part part) noexcept;

// The cores of each part, by index; parts in the order of their first cores.
std::vector<std::vector<std::size_t>> parts_of(std::span<const Core> cores, Part part);

// For `count` units that have a core each: its index in `cores`, by unit.
std::vector<std::size_t> map_to_cores(std::size_t count, std::span<const Core> cores,
                                      const Placement& placement);

// The cores, by index, that each of `count` processes is bound to: the part around its core.
std::vector<std::vector<std::size_t>> bind_processes(std::size_t count, std::span<const Core> cores,
                                                     const Placement& placement, Part bind);

// The machine as text: sockets in brackets, NUMA nodes divided by bars, B for each of the cores
// `bound`, a dot for others.
// [B...|....][....|....]
std::string draw(std::span<const Core> cores, std::span<const std::size_t> bound);

}  // namespace heddle::platform
