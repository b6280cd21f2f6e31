// seat.h — what collectives keep of a communicator at one of its members: its index among the
// members of this host, how far it has come, and what carries out its started operations.
//
// A communicator gets its seat with its first collective.
//
// Thread safety: guarded by the standard: collectives of a communicator are called one by one.
// `started` says its own (helper.h).

#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "mpi/coll/task.h"
#include "mpi/comm/comm.h"
#include "net/world/process.h"
#include "net/world/shared_part.h"

namespace heddle::coll {

class NodeTurns;

struct BusySeats;  // tag of the list of a rank's seats that have started operations

// What a rank has started on a communicator and not completed. helper.h says what guards it.
struct Queue {
  std::atomic<bool> any{false};
  IntrusiveList<Task> tasks;
  bool served = false;  // a strand carries it out
};

struct Seat final : comm::Extra, ListNode<BusySeats> {
  static constexpr comm::ExtraSlot kSlot = comm::ExtraSlot::kCollectives;

  ~Seat() override {
    if (part != nullptr) part->leave();
  }

  static Seat& of(comm::Comm& comm) { return comm.extras().find_or_make<Seat>(); }

  // Requires that a ticket has been taken.
  static Seat& taken(comm::Comm& comm) noexcept { return *comm.extras().find<Seat>(); }

  world::SharedPart* part = nullptr;  // the host group; null: not joined yet
  std::uint64_t phases = 0;           // taken of the host group
  // The last even and odd ones of these that it has waited for. A strand in a phase uses those of
  // its own: phases two apart are one after the other (ticket.h).
  std::uint64_t met[2] = {};
  std::uint64_t turns_after = 0;      // the last phase that turns were taken after (turn_ring.h)
  std::uint32_t turns = 0;            // how many; with node_turns: in all
  NodeTurns* node_turns = nullptr;    // of members in several processes (node_turns.h)
  bool has_asked_for_turns = false;   // of those
  std::uint64_t operations = 0;       // called
  int index = 0;                      // among the members here, by rank; constant once joined
  world::Process* process = nullptr;  // of this member; constant once joined
  Queue started;
};

}  // namespace heddle::coll
