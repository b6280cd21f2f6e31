// agree_on_turns.h — how the members of a communicator in several processes come to turns.
//
//   member 0        takes memory
//   all             tell each other whether they can take part, member 0 also where the memory is
//   first members   of each process map it, and keep it in their host group
//   all             tell each other whether that was done
//
// Where one cannot, none takes turns. A ring is of use where the members of one process have a
// worker each, and where their processes can wake each other (transport.h, T11).
//
// Thread safety: one strand of the member.

#pragma once

#include "mpi/coll/node_turns.h"
#include "mpi/comm/comm.h"

namespace heddle::coll {

class HostGroup;

// Null: the members have none. Called by all members of an intracommunicator of at most
// TurnRing::kMostMembers that are in several processes, at the same call. May switch.
NodeTurns* agree_on_turns(comm::Comm& comm, HostGroup& group);

}  // namespace heddle::coll
