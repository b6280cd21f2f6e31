// A piece from each rank to each rank (MPI 5.0 §6.8).
#include <algorithm>
#include <cstddef>
#include <vector>

#include "mpi/coll/bodies.h"
#include "mpi/coll/bundle_exchange.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/lending.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// `out(i)` is what rank i gets. In step i each rank sends i ranks up, so that all are in the same
// window at the same time and none waits for one that cannot go on.
template <class Out>
Error in_windows(const Wire& wire, Out out, const Pieces& receive) {
  const Comm& comm = wire.comm;
  const int size = comm.size(), rank = comm.rank();
  constexpr int kWindow = Batch::kWindow;  // in each direction
  Batch batch(wire);
  for (int first = 1; first < size; first += kWindow) {
    const int last = first + kWindow < size ? first + kWindow : size;
    for (int i = first; i < last; ++i) {
      const int from = (rank + size - i) % size;
      batch.receive(receive[from], from);
    }
    for (int i = first; i < last; ++i) {
      const int to = (rank + i) % size;
      batch.send(out(to), to);
    }
    batch.wait();
  }
  return batch.finish();
}

// What is sent in place, in a copy, because what is received replaces it.
class Copy {
 public:
  // Afterwards there are pieces(), unless this fails.
  Error make(const Pieces& original, int ranks) {
    if (Error e = memory_.reserve_bytes(original.bytes(ranks))) return e;
    MPI_Count position = 0;
    for (int i = 0; i < ranks; ++i) {
      const Buffer piece = original[i];
      datatype::pack(piece, 0, static_cast<std::byte*>(memory_.data()) + position, piece.bytes());
      counts_.push_back(piece.bytes());
      displacements_.push_back(position);
      position += piece.bytes();
    }
    return {};
  }
  Pieces pieces() const noexcept {
    return {memory_.data(), object::CountArray(counts_.data()),
            object::CountArray(displacements_.data()), &datatype::named(MPI_BYTE)};
  }

 private:
  StagingBuffer memory_;
  std::vector<MPI_Count> counts_, displacements_;
};

Error in_place(const Wire& wire, const Pieces& pieces) {
  Copy copy;
  FirstError error;
  error.note(copy.make(pieces, wire.comm.size()));
  const Pieces out = error.any() ? Pieces(datatype::nothing()) : copy.pieces();
  error.note(in_windows(
      wire, [&](int i) -> ConstBuffer { return out[i]; }, pieces));
  return error.take();
}

// All members here, and pieces of one length of which all fit in the scratch memory together,
// `each` in bytes.
Error in_scratch(const Phase& phase, const Pieces& send, const Pieces& receive, MPI_Count each) {
  const int size = phase.comm.size(), me = phase.comm.rank();
  const ConstBuffer own = send.in_place() ? receive.whole(size) : send.whole(size);
  Visit visit(phase, call_of(What::kAlltoall, 0, details_of(own.bytes(), each)));
  const MPI_Count all = size * each;
  const auto row = [&](int rank) { return visit.scratch() + rank * all; };
  p2p::transfer(own, datatype::bytes_at(row(me), all), std::min(own.bytes(), all));
  if (Error e = visit.meet()) return e;
  for (int i = 0; i < size; ++i) {
    p2p::transfer(datatype::bytes_at(row(i) + me * each, each), receive[i], each);
  }
  return {};
}

// All members here.
Error by_lending(const Phase& phase, const Pieces& send, const Pieces& receive) {
  Visit visit(phase, call_of(What::kAlltoall, 0, 0));
  const int size = phase.comm.size(), me = visit.index();
  Copy copy;
  FirstError error;
  if (send.in_place()) error.note(copy.make(receive, size));
  if (error.any()) visit.fail();
  const Pieces packed = send.in_place() ? copy.pieces() : Pieces(datatype::nothing());
  Loan loan(visit);
  loan.lend(send.in_place() ? packed : send);
  error.note(visit.meet());
  if (error.any()) return error.take();
  for (int i = 0; i < size; ++i) {
    const int from = (me + i) % size;
    error.note(loan.take(from, me, receive[from]));
  }
  loan.finish();
  return error.take();
}

// Members of several hosts, and pieces of `each` bytes. Those of a host lend their data to each
// other and to their host leader.
Error between_hosts(const Phase& phase, const Pieces& send, const Pieces& receive, MPI_Count each) {
  const MPI_Count gives = (send.in_place() ? receive : send).bytes(phase.comm.size());
  Visit visit(phase, call_of(What::kAlltoall, 0, details_of(gives, each)));
  const HostsOf& hosts = *visit.hosts();
  const int rank = phase.comm.rank(), me = visit.index();
  const int here = hosts.index_of(phase.comm.group().member(rank));
  Copy copy;
  FirstError error;
  if (send.in_place()) error.note(copy.make(receive, phase.comm.size()));
  if (error.any()) visit.fail();
  const Pieces packed = send.in_place() ? copy.pieces() : Pieces(datatype::nothing());
  Loan loan(visit);
  loan.lend(send.in_place() ? packed : send);
  BundleExchange bundles(phase, hosts, each, visit.call());
  if (visit.arrive()) {
    visit.set_mismatch(bundles.exchange(visit.mismatch(), visit.lent()));
    visit.lend_for_host(bundles.came());
    visit.conclude();
  } else {
    visit.wait();
  }
  error.note(visit.verdict());
  if (error.any()) return error.take();
  const MPI_Count stride = visit.host_group().members() * each;
  for (int host = 0; host < hosts.count(); ++host) {
    const auto* at = static_cast<const std::byte*>(visit.lent_for_host()[host].data) + me * each;
    int index = 0;
    for (const int from : hosts.members(host)) {
      if (host == here) {
        error.note(loan.take(index++, rank, receive[from]));
      } else {
        error.note(copy_from(from, datatype::bytes_at(at, each), receive[from]));
        at += stride;
      }
    }
  }
  loan.finish();
  return error.take();
}

// The sides of an intercommunicator differ in size, so there are no common steps.
Error across(const Wire& wire, const Pieces& send, const Pieces& receive) {
  const int peers = wire.comm.peers().size();
  Batch batch(wire);
  for (int i = 0; i < peers; ++i) batch.receive(receive[i], i);
  for (int i = 0; i < peers; ++i) batch.send(send[i], i);
  return batch.finish();
}

}  // namespace

Error Alltoall::check() {
  const int peers = comm.peers().size();
  if (Error e = receive.hold_types("recvtypes", peers)) return e;
  return send.in_place() ? Error{} : send.hold_types("sendtypes", peers);
}

bool Alltoall::keep_arrays() noexcept {
  const int peers = comm.peers().size();
  return receive.keep_arrays(peers) && (send.in_place() || send.keep_arrays(peers));
}

int Alltoall::phases() const {
  return all_are_here(comm) || in_bundles() ? 1 : 0;
}

// Between hosts: long pieces go straight from rank to rank, and of different lengths each pair
// knows its own alone.
bool Alltoall::in_bundles() const {
  constexpr MPI_Count kMostInRow = 32 << 10;
  return receive.uniform() && (send.in_place() || send.uniform()) && some_share_a_host(comm) &&
         receive.bytes(comm.size()) <= kMostInRow;
}

Error Alltoall::perform_here(const Phase& phase) const {
  const bool uniform = receive.uniform() && (send.in_place() || send.uniform());
  const MPI_Count all = uniform ? receive.bytes(comm.size()) : 0;
  if (!uniform || all * comm.size() > HostGroup::of(comm).scratch_bytes()) {
    return by_lending(phase, send, receive);
  }
  return in_scratch(phase, send, receive, all / comm.size());
}

// If pieces have one length and a member's fit into its slot together.
bool Alltoall::perform_in(Turn& turn, Error* error) const {
  const bool uniform = receive.uniform() && (send.in_place() || send.uniform());
  const int size = comm.size(), me = comm.rank();
  const MPI_Count all = uniform ? receive.bytes(size) : 0, each = all / size;
  const ConstBuffer own = !uniform          ? datatype::nothing()
                          : send.in_place() ? receive.whole(size)
                                            : send.whole(size);
  turn.begin(call_of(What::kAlltoall, 0, uniform ? details_of(own.bytes(), each) : 0));
  if (!uniform || all > Turn::kMost || own.bytes() > Turn::kMost) {
    turn.give_elsewhere();
    return false;
  }
  turn.give(own);
  FirstError first;
  for (int from = 0; from < size; ++from) {
    ConstBuffer row = datatype::nothing();
    Error unlike = turn.take(from, &row);
    if (!unlike) {
      const auto* const piece = static_cast<const std::byte*>(row.data) + me * each;
      p2p::transfer(datatype::bytes_at(piece, each), receive[from], each);
    }
    first.note(std::move(unlike));
  }
  *error = first.take();
  return true;
}

Error Alltoall::perform(const Ticket& ticket) const {
  if (const Phase phase = ticket.phase()) {
    return all_are_here(comm) ? perform_here(phase)
                              : between_hosts(phase, send, receive, receive[0].bytes());
  }
  const Wire wire = ticket.wire();
  if (send.in_place()) return in_place(wire, receive);
  if (comm.is_inter()) return across(wire, send, receive);
  FirstError error;
  error.note(to_oneself(send[comm.rank()], receive[comm.rank()]));
  error.note(in_windows(
      wire, [&](int i) -> ConstBuffer { return send[i]; }, receive));
  return error.take();
}

}  // namespace heddle::coll
