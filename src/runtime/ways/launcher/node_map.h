// node_map.h — the placement of processes on nodes, as launchers that speak PMI write it:
// PMI_process_mapping.
//
//   (vector,(0,2,3))            from node 0 on 2 nodes with 3 processes each: 0 0 0 1 1 1
//   (vector,(0,1,2),(4,2,1))    0 0 4 5
//   (vector,(1,2,1),0)          a single number is a node with one process: 1 2 0
//   (vector,[(0,2,1),2]x3)      what stands in brackets, three times: 0 1 2 0 1 2 0 1 2
//
// One without brackets that places too few begins again at its first node 0, as MPICH reads it. One
// with brackets is not believed: hydra 5.0.2 writes (vector,[(0,2,1)]x2) of 0 1 0 1 1, and
// (vector,[0,2]x3,0) of 0 2 0 2 1 1 0.
//
// Thread safety: plain data.

#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"

namespace heddle::launcher {

// The node of each of `processes` processes; none if the text is empty, as of a launcher that
// cannot tell, or is not to be believed.
Error read_node_map(std::string_view text, int processes, std::vector<int>* nodes);

}  // namespace heddle::launcher
