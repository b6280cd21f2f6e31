// parts.h — which members of an intracommunicator become which communicators, by color and key (MPI
// 5.0 §7.4.2).
//
// On one host the last member to come sorts all choices, and makes one list for each color. The
// members of a part share it. So the sorting takes O(n log n) steps and the lists O(n) memory for
// all n members together. With several hosts each member hears all choices and makes its own list.
//
// Thread safety: a collective, one strand of each member.

#pragma once

#include <vector>

#include "mpi/comm_make/agree.h"

namespace heddle::comm_make {

// What each member tells the others. The ids are its offer; those of a new rank 0 are taken.
struct Choice {
  InterContexts contexts;  // `local` only for intercommunicators
  int color;
  int key;
};

struct Part {
  object::Ref<const group::Group> members;  // in their new order; null: the color is MPI_UNDEFINED
  ContextId context = world::kNoContext;
};

// The part of the calling member. May switch.
Error divide(Comm& parent, const Choice& mine, Part* part);

// The ranks that chose a color, in their new order.
std::vector<int> ranks_with(const std::vector<Choice>& choices, int color);

}  // namespace heddle::comm_make
