// numa_pages.h — on which NUMA nodes pages of this process lie, and how they get to another one.
//
// Thread safety: any thread.

#pragma once

#include <cstddef>
#include <vector>

namespace heddle::platform {

// Pages of these that are touched for the first time from now on come from `node`, or from the
// nearest one where it is full, whichever thread touches them. `low` and `bytes`: whole pages.
// Returns false if the kernel knows no such node, or no nodes at all.
bool prefer_node(void* low, std::size_t bytes, int node) noexcept;

// Sets the node as prefer_node() does, and moves the pages that are there to it. Returns false if
// some stayed behind. Takes as long as copying them.
bool move_to_node(void* low, std::size_t bytes, int node) noexcept;

// How many of the pages that are there lie on each node, by its number.
std::vector<std::size_t> pages_by_node(const void* low, std::size_t bytes);

}  // namespace heddle::platform
