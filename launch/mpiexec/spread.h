// spread.h — which machine carries which rank.
//
//   machines a, b, c and 8 ranks      0 0 0 1 1 1 2 2    in blocks, evenly
//   the same by node                  0 1 2 0 1 2 0 1    in turn
//   a:2, b:1 and 5 ranks              0 0 0 0 1          so many on each, again and again until all
//                                                        have a place; in blocks
//   the same by node                  0 1 0 0 1          in turn, as long as a machine has room
//
// Thread safety: plain data.

#pragma once

#include <vector>

#include "launch/mpiexec/command_line.h"

namespace heddle::launch {

// The number of a machine, by rank. `ranks_a_machine`: if not 0, so many on each and on no more
// machines than that makes necessary. Throws Failure if they do not find room.
std::vector<int> spread_ranks(int ranks, const std::vector<Machine>& machines, int ranks_a_machine,
                              bool by_node);

}  // namespace heddle::launch
