// lending.h — how members of one host read each other's data in a gather, scatter, allgather or
// alltoall, without messages.
//
//   short data   their owner copies them to its share of the host group's scratch memory, and need not
//                wait for its readers
//   long data    stay where they are; their owner waits until all have read them
//
// Each member says in its entry of Visit::lent() where its data are, before it arrives:
//
//   gather, allgather   one buffer                      data, count, type
//   alltoall            a buffer for each member        pieces
//   scatter             the root writes all entries: member i's piece in entry i
//   split               a record of its own (comm_make/parts.cpp), without a type
//
// Thread safety: one strand of the member.

#pragma once

#include <cstdint>

#include "mpi/coll/pieces.h"
#include "mpi/coll/visit.h"

namespace heddle::coll {

// True if all members of this intracommunicator, which are more than one, are on this host.
bool all_are_here(comm::Comm& comm);
// There is a host with several members: they lend each other their data, and one of them talks to
// the other hosts.
bool some_share_a_host(comm::Comm& comm);

// For call_of(): what a member gives and what it gets from each, where these have to be alike at
// all.
inline MPI_Count details_of(MPI_Count gives, MPI_Count gets) noexcept {
  const auto all =
      static_cast<std::uint64_t>(gives) * 0x10001 + static_cast<std::uint64_t>(gets) + 1;
  return static_cast<MPI_Count>(all);
}

inline datatype::ConstBuffer buffer_of(const Lent& lent) noexcept {
  return {lent.data, lent.count, lent.type};
}

class Loan {
 public:
  explicit Loan(Visit& visit) noexcept
      : visit_(visit), share_(visit.host_group().scratch_bytes() / visit.host_group().members()) {}

  // What this member gives, before it arrives. True: its data are read where they are.
  bool lend(datatype::ConstBuffer data) noexcept;
  void lend(const Pieces& pieces) noexcept;

  // After all have arrived: copies what member `index` gives, to all or to rank `piece`, into
  // `buffer`. An error if that is too small; then it is not changed. May switch.
  Error take(int index, datatype::Buffer buffer);
  Error take(int index, int piece, datatype::Buffer buffer);

  // True if some of what this member has taken was read where it is.
  bool any_stays() const noexcept { return any_stays_; }
  // Where all read from all: waits until the others have read this member's data. May switch.
  void finish();

 private:
  Visit& visit_;
  const MPI_Count share_;   // of the scratch memory, a member's: data up to this length lie there
  bool any_stays_ = false;  // some member's data are read where they are
};

// Copies `data` of member `rank`; an error if there is not enough room, and then it copies nothing.
// May switch.
Error copy_from(int rank, datatype::ConstBuffer data, datatype::Buffer buffer);

}  // namespace heddle::coll
