// coll.h — the collectives (MPI 5.0 §6): what each one is told, and how a blocking call carries it
// out.
//
//   operation         one host   several hosts                       intercommunicator
//   ----------------  ---------  ----------------------------------  ------------------------------
//   barrier           in memory  in memory, leaders                  sides, leaders, sides
//   bcast             in memory  in memory, leaders                  root to the leader, its side
//   reduce            in memory  in memory, leaders                  the side, leader to the root
//   allreduce         in memory  in memory, leaders                  sides reduce, leaders swap,
//                                                                    bcast
//   gather            memory ¹   the root with each rank             the same
//   scatter           in memory  the root with each rank             the same
//   allgather         in memory  small: gather, bcast;               each with each
//                                large: leaders ²
//   alltoall          in memory  short pieces of one length:         each with each
//                                leaders ³
//   reduce_scatter    in memory  small: allreduce; large: reduce,    sides reduce, leaders swap,
//                                scatter                             scatter
//   scan, exscan      chain      chain                               not defined
//
//   ¹ a crowd; few ranks by messages   ² if some share a host; else a ring of ranks
//   ³ if some share a host; else each with each, in windows
//
// Small blocking ones of one host, where each of a few members has a worker of its own, take a turn
// instead (turn.h).
//
// "In memory" is the collective inside the scheduler (host_group.h): the members of a host send no
// messages, those of a worker freeze in a list and go on together. They read each other's data
// where these lie (lending.h). "Leaders": one member of each host, its leader, talks to those of
// the other hosts by messages (between.h, slice_exchange.h, host_ring.h, bundle_exchange.h). The
// rest are point-to-point messages of their own plane (wire.h): with many ranks on a worker their
// number counts more than the longest path, so a chain beats a logarithmic scan.
//
// Each operation is a structure with its arguments, so that one text serves all kinds of calls:
//
//   run(Bcast{buffer, root, comm})               MPI_Bcast
//   start(Bcast{buffer, root, comm}, &request)   MPI_Ibcast       started.h
//   init(Bcast{buffer, root, comm}, &request)    MPI_Bcast_init   started.h
//
//   an operation has   says
//   -----------------  ---------------------------------------------------------------------
//   check()            which arguments are wrong, before the ticket; only if the bindings cannot
//                      tell
//   uses()             what must stay until it is done, besides its communicator
//   keep_arrays()      copies arrays of counts and displacements, for an operation that outlasts
//                      its call; false if there is no memory. Only if it has such arrays
//   phases()           how many phases of its side's host group it goes through (ticket.h)
//   perform(ticket)    does it. May switch
//   perform_in(turn)   does it without a meeting, if what each member gives is small (turn.h); else
//                      false, and perform() follows. May switch. Not scans
//
// On one host some can be started without waiting for others (helper.h):
//
//   may_begin(…)       true if begin() waits for no other member now. Once the phase is free
//   begin(phase, …)    counts this member in. True: others are still to come, and end() must
//                      follow. False: it is done; `*error` says how. A broadcast is always done
//   end(phase)         waits for the others and reads the result, perhaps on another strand. May
//                      switch
//
// Each call takes a ticket (ticket.h), which its phases and messages carry. The steps that
// several operations are made of are in bodies.h.
//
// Once a member has met others in a collective, another thread of its rank may learn of that and
// free what the call uses. So each call makes its references (in_call.h, started.h) before it meets
// another member.
//
// A rank whose part fails, also for want of memory, makes the other parts all the same and tells at
// the end (first_error.h), so that no rank waits for it in vain.
//
// Arguments have been checked; what is not significant at a rank (§6.2.3) is not looked at, and
// MPI_IN_PLACE is understood where the standard has it.
//
// Thread safety: one call at a time on a communicator, as the standard asks. An operation is
// performed by any strand.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/coll/helper.h"
#include "mpi/coll/pieces.h"
#include "mpi/coll/ticket.h"
#include "mpi/coll/turn.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/buffer.h"
#include "mpi/lifetime/in_call.h"
#include "mpi/op/op.h"

namespace heddle::coll {

using comm::Comm;
using datatype::Buffer;
using datatype::ConstBuffer;

// Datatypes and operations; null for none.
struct Uses {
  const lifetime::Managed* a = nullptr;
  const lifetime::Managed* b = nullptr;
};

struct Barrier {
  Comm& comm;

  Uses uses() const noexcept { return {}; }
  int phases() const noexcept { return comm.is_inter() ? 2 : 1; }
  bool may_begin(const HostGroup&, HostGroup::Phase) const noexcept { return true; }
  bool begin(const Phase& phase, Error* error) const;
  Error end(const Phase& phase) const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;
};

struct Bcast {
  Buffer data;
  int root;
  Comm& comm;
  int failed = MPI_SUCCESS;  // an error class: the root has no data, and the others get this error

  Uses uses() const noexcept { return {data.type}; }
  int phases() const noexcept { return takes() ? 1 : 0; }
  bool may_begin(HostGroup& host_group, HostGroup::Phase phase) const;
  bool begin(const Phase& phase, Error* error) const;
  Error end(const Phase& phase) const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;

 private:
  bool takes() const noexcept {
    return !comm.is_inter() || (root != MPI_ROOT && root != MPI_PROC_NULL);
  }
};

struct Gather {
  ConstBuffer send;
  Pieces receive;
  int root;
  Comm& comm;

  Uses uses() const noexcept;
  bool keep_arrays() noexcept;
  int phases() const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;

 private:
  Error take_all_in(Turn& turn) const;
};

struct Scatter {
  Pieces send;
  Buffer receive;
  int root;
  Comm& comm;

  Uses uses() const noexcept;
  bool keep_arrays() noexcept;
  int phases() const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;
};

struct Allgather {
  ConstBuffer send;
  Pieces receive;
  Comm& comm;

  Uses uses() const noexcept { return {receive.type(), in_place() ? nullptr : send.type}; }
  bool keep_arrays() noexcept;
  int phases() const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;

 private:
  bool in_place() const noexcept { return send.data == MPI_IN_PLACE; }
  ConstBuffer own() const noexcept;  // what this rank gives
  Error perform_here(const Phase& phase) const;
  Error perform_between(const Phase& phase) const;
  bool small() const noexcept;
};

struct Alltoall {
  Pieces send, receive;
  Comm& comm;

  Error check();
  Uses uses() const noexcept { return {receive.type(), send.in_place() ? nullptr : send.type()}; }
  bool keep_arrays() noexcept;
  int phases() const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;

 private:
  // What this rank gives. In place that is where it receives.
  const Pieces& own() const noexcept { return send.in_place() ? receive : send; }
  bool uniform() const noexcept { return receive.uniform() && own().uniform(); }
  bool in_bundles() const;
  Error perform_here(const Phase& phase) const;
  Error in_scratch(const Phase& phase, MPI_Count each) const;
  Error by_lending(const Phase& phase) const;
};

// `send` has result.count elements of result.type, or is MPI_IN_PLACE. result.data counts at the
// root only.
struct Reduce {
  const void* send;
  Buffer result;
  const op::Op& op;
  int root;
  Comm& comm;

  Uses uses() const noexcept { return root == MPI_PROC_NULL ? Uses{} : Uses{result.type, &op}; }
  int phases() const noexcept { return gives() && result.bytes() != 0 ? 1 : 0; }
  bool may_begin(const HostGroup& host_group, HostGroup::Phase) const;
  bool begin(const Phase& phase, Error* error) const;
  Error end(const Phase& phase) const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;

 private:
  bool gives() const noexcept {
    return !comm.is_inter() || (root != MPI_ROOT && root != MPI_PROC_NULL);
  }
};

struct Allreduce {
  const void* send;
  Buffer result;
  const op::Op& op;
  Comm& comm;

  Uses uses() const noexcept { return {result.type, &op}; }
  int phases() const noexcept { return result.bytes() == 0 ? 0 : comm.is_inter() ? 2 : 1; }
  bool may_begin(const HostGroup& host_group, HostGroup::Phase) const;
  bool begin(const Phase& phase, Error* error) const;
  Error end(const Phase& phase) const;
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;
};

// The reduction of all pieces; each rank gets its own at `result`. The counts of `pieces` count,
// with the displacements that follow from them.
struct ReduceScatter {
  const void* send;
  void* result;
  Pieces pieces;
  const op::Op& op;
  Comm& comm;

  Uses uses() const noexcept { return {pieces.type(), &op}; }
  bool keep_arrays() noexcept;
  int phases() const noexcept { return pieces.empty(comm.size()) ? 0 : 1; }
  bool perform_in(Turn& turn, Error* error) const;
  Error perform(const Ticket& ticket) const;

 private:
  bool in_parcels() const;
  Error perform_here(const Phase& phase) const;
  Error perform_by_all(const Phase& phase) const;
  Error perform_by_leader(const Ticket& ticket) const;
};

// What Scan, which combines the vectors of the ranks up to this one, and Exscan, which combines
// those before it, have in common.
struct ScanArguments {
  const void* send;
  Buffer result;
  const op::Op& op;
  Comm& comm;

  Error check() const;
  Uses uses() const noexcept { return {result.type, &op}; }
  int phases() const noexcept { return 0; }
};
struct Scan : ScanArguments {
  Error perform(const Ticket& ticket) const;
};
struct Exscan : ScanArguments {
  Error perform(const Ticket& ticket) const;
};

template <class Operation>
Error check(Operation& operation) {
  if constexpr (requires { operation.check(); }) {
    return operation.check();
  } else {
    return {};
  }
}

// A blocking call; after what the rank has started on the communicator before. May switch. The
// first once check() has succeeded.
template <class Operation>
[[gnu::always_inline]] inline Error run_checked(Operation& operation) {
  const Uses uses = operation.uses();
  const lifetime::InCall in_call(&operation.comm, uses.a, uses.b);
  await_started(operation.comm);
  if constexpr (requires(Turn turn, Error e) { operation.perform_in(turn, &e); }) {
    if (Turn turn(operation.comm); turn) [[unlikely]] {
      Error error;
      if (operation.perform_in(turn, &error) && !turn.meets()) {
        turn.end();
        return error;
      }
    }
  }
  const Ticket ticket(operation.comm, operation.phases());
  return operation.perform(ticket);
}
template <class Operation>
[[gnu::always_inline]] inline Error run(Operation&& operation) {
  if (Error e = check(operation)) return e;
  return run_checked(operation);
}

}  // namespace heddle::coll
