// Pieces to one rank and back (MPI 5.0 §6.5, §6.6).
//
// With messages the root talks to each rank itself: a tree would send as many messages and copy
// most data more than once.
#include "exec/ult/scheduler.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/lending.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

bool is_root(int root, const Comm& comm) {
  return comm.is_inter() ? root == MPI_ROOT : root == comm.rank();
}

// Looks only at what counts at this rank (§6.2.3).
Uses uses_of(const ConstBuffer& own, const Pieces& pieces, int root, const Comm& comm) {
  if (root == MPI_PROC_NULL) return {};
  const bool at_root = is_root(root, comm);
  const bool has_own = !at_root || (!comm.is_inter() && own.data != MPI_IN_PLACE);
  return {has_own ? own.type : nullptr, at_root ? pieces.type() : nullptr};
}
bool keep_arrays_of(Pieces& pieces, int root, const Comm& comm) noexcept {
  return !is_root(root, comm) || pieces.keep_arrays(comm.peers().size());
}

// All members here. One with short data does not wait.
Error gather_here(const Phase& phase, ConstBuffer send, const Pieces& receive, int root) {
  Visit visit(phase, call_of(What::kGather, root, 0));
  Loan loan(visit);
  if (phase.comm.rank() != root) {
    if (!loan.lend(send)) return visit.leave();
    if (Error e = visit.meet()) return e;
    visit.await_ready();
    return {};
  }
  FirstError error;
  if (send.data != MPI_IN_PLACE) error.note(to_oneself(send, receive[root]));
  if (Error e = visit.meet()) return e;
  for (int i = 0; i < phase.comm.size(); ++i) {
    if (i != root) error.note(loan.take(i, receive[i]));
  }
  if (loan.any_stays()) visit.show_ready();
  return error.take();
}

// Runs at the root: puts all pieces in the scratch memory, if there is room, and says where each
// is. True: it was.
bool lend_each(Visit& visit, const Pieces& send, int members) noexcept {
  const bool fit = send.bytes(members) <= visit.host_group().scratch_bytes();
  std::byte* position = visit.scratch();
  for (int i = 0; i < members; ++i) {
    ConstBuffer piece = send[i];
    if (fit) {
      const Buffer copy = datatype::bytes_at(position, piece.bytes());
      p2p::transfer(piece, copy, copy.count);
      position += copy.count;
      piece = copy;
    }
    visit.lent()[i] = {piece.data, nullptr, piece.type, piece.count};
  }
  return fit;
}

Error give_each(const Phase& phase, const Pieces& send, Buffer receive, int root, Visit& visit) {
  FirstError error;
  bool fit = true;
  error.note(visit.take_on_to_give());
  if (!error.any()) [[likely]] {
    fit = lend_each(visit, send, phase.comm.size());
    visit.lend(datatype::nothing());
  }
  if (receive.data != MPI_IN_PLACE) error.note(to_oneself(send[root], receive));
  error.note(fit ? visit.leave() : visit.meet());
  return error.take();
}

// All members here.
Error scatter_here(const Phase& phase, const Pieces& send, Buffer receive, int root) {
  Visit visit(phase, call_of(What::kScatter, root, 0));
  if (phase.comm.rank() == root) return give_each(phase, send, receive, root, visit);
  visit.borrow(root);
  FirstError error;
  error.note(visit.told());
  if (!error.any()) {
    const Lent& own = visit.lent()[visit.index()];
    error.note(copy_from(root, {own.data, own.count, own.type}, receive));
  }
  Error disagreement = visit.leave();
  return disagreement ? std::move(disagreement) : error.take();
}

}  // namespace

Error gather_by(const Wire& wire, ConstBuffer send, const Pieces& receive, int root) {
  const Comm& comm = wire.comm;
  if (root == MPI_PROC_NULL) return {};
  const bool at_root = is_root(root, comm);
  if (!at_root) return wire.send(send, root);

  Batch batch(wire);
  for (int i = 0; i < comm.peers().size(); ++i) {
    const Buffer piece = receive[i];
    if (comm.is_inter() || i != root) {
      batch.receive(piece, i);
    } else if (send.data != MPI_IN_PLACE) {
      batch.note(to_oneself(send, piece));
    }
    if (batch.pending() == Batch::kWindow) batch.wait();
  }
  return batch.finish();
}

Error scatter_by(const Wire& wire, const Pieces& send, Buffer receive, int root) {
  const Comm& comm = wire.comm;
  if (root == MPI_PROC_NULL) return {};
  const bool at_root = is_root(root, comm);
  if (!at_root) return wire.receive(receive, root);

  Batch batch(wire);
  for (int i = 0; i < comm.peers().size(); ++i) {
    const Buffer piece = send[i];
    if (comm.is_inter() || i != root) {
      batch.send(piece, i);
    } else if (receive.data != MPI_IN_PLACE) {
      batch.note(to_oneself(piece, receive));
    }
    if (batch.pending() == Batch::kWindow) batch.wait();
  }
  return batch.finish();
}

Uses Gather::uses() const noexcept {
  return uses_of(send, receive, root, comm);
}

bool Gather::keep_arrays() noexcept {
  return keep_arrays_of(receive, root, comm);
}

int Gather::phases() const {
  // Fewer ranks send messages sooner than they count themselves in.
  constexpr int kCrowd = 4;
  return comm.size() > kCrowd * ult::worker_count() && all_are_here(comm) ? 1 : 0;
}

// What does not fit into a slot comes as a message. Runs at the root.
Error Gather::take_all_in(Turn& turn) const {
  FirstError error;
  if (send.data != MPI_IN_PLACE) error.note(to_oneself(send, receive[root]));
  std::uint32_t elsewhere = 0;  // a bit for each rank
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == root) continue;
    ConstBuffer from = datatype::nothing();
    bool is_elsewhere = false;
    Error unlike = turn.take(rank, &from, &is_elsewhere);
    if (is_elsewhere) {
      elsewhere |= 1U << rank;
    } else {
      error.note(unlike ? std::move(unlike) : copy_from(rank, from, receive[rank]));
    }
  }
  if (elsewhere == 0) [[likely]]
    return error.take();
  Batch batch(turn.wire());
  for (int rank = 0; rank < comm.size(); ++rank) {
    if ((elsewhere >> rank & 1) != 0) batch.receive(receive[rank], rank);
  }
  error.note(batch.finish());
  return error.take();
}

bool Gather::perform_in(Turn& turn, Error* error) const {
  turn.begin(call_of(What::kGather, root, 0));
  if (root == comm.rank()) {
    *error = take_all_in(turn);
  } else if (send.bytes() <= Turn::kMost) {
    turn.give(send);
  } else {
    turn.give_elsewhere();
    *error = turn.wire().send(send, root);
  }
  return true;
}

// The root's slot has a piece for each, if all are of one length and fit together.
bool Scatter::perform_in(Turn& turn, Error* error) const {
  turn.begin(call_of(What::kScatter, root, 0));
  if (root == comm.rank()) {
    const MPI_Count all = send.uniform() ? send.bytes(comm.size()) : 0;
    if (!send.uniform() || all > Turn::kMost) {
      turn.give_elsewhere();
      return false;
    }
    p2p::transfer(send.whole(comm.size()), datatype::bytes_at(turn.place(), all), all);
    turn.show(static_cast<std::uint32_t>(all));
    if (receive.data != MPI_IN_PLACE) *error = to_oneself(send[root], receive);
    return true;
  }
  ConstBuffer from;
  bool elsewhere = false;
  *error = turn.take(root, &from, &elsewhere);
  if (elsewhere) return false;
  if (*error) return true;
  const MPI_Count each = from.bytes() / comm.size();
  const auto* const own = static_cast<const std::byte*>(from.data) + comm.rank() * each;
  *error = copy_from(root, datatype::bytes_at(own, each), receive);
  return true;
}

Error Gather::perform(const Ticket& ticket) const {
  if (const Phase phase = ticket.phase()) return gather_here(phase, send, receive, root);
  return gather_by(ticket.wire(), send, receive, root);
}

Uses Scatter::uses() const noexcept {
  return uses_of(receive, send, root, comm);
}

bool Scatter::keep_arrays() noexcept {
  return keep_arrays_of(send, root, comm);
}

int Scatter::phases() const {
  return all_are_here(comm) ? 1 : 0;
}

Error Scatter::perform(const Ticket& ticket) const {
  if (const Phase phase = ticket.phase()) return scatter_here(phase, send, receive, root);
  return scatter_by(ticket.wire(), send, receive, root);
}

}  // namespace heddle::coll
