// node_map.h — the placement of processes on nodes, as launchers that speak PMI write it: PMI_process_mapping.
//
//   (vector,(0,2,3))            from node 0 on 2 nodes with 3 processes each: 0 0 0 1 1 1
//   (vector,(0,1,2),(4,2,1))    0 0 4 5
//
// If there are more processes than it places, it begins again.
//
// Thread safety: plain data.

#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"

namespace heddle::launcher {

// The node of each of so many processes.
Error read_node_map(std::string_view text, int processes, std::vector<int>* nodes);

}  // namespace heddle::launcher
