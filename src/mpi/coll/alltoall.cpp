// A piece from each rank to each rank (MPI 5.0 §6.8).
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "mpi/coll/bodies.h"
#include "mpi/coll/bundle_exchange.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/lending.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// `out[i]` is what rank i gets. In step i each rank sends i ranks up, so that all are in the same
// window at the same time and none waits for one that cannot go on.
Error in_windows(const Wire& wire, const Pieces& out, const Pieces& receive) {
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
      batch.send(out[to], to);
    }
    batch.wait();
  }
  return batch.finish();
}

// What a rank sends: in place it is a copy, because what is received replaces it.
class Outgoing {
 public:
  Outgoing(const Pieces& send, const Pieces& receive) noexcept : send_(send), receive_(receive) {}
  Outgoing(Outgoing&&) = delete;

  // Memory for the copy. If this fails all pieces are empty.
  Error prepare(int ranks) {
    if (!send_.in_place()) return {};
    if (Error e = memory_.reserve_bytes(receive_.bytes(ranks))) return e;
    MPI_Count position = 0;
    for (int i = 0; i < ranks; ++i) {
      const Buffer piece = receive_[i];
      datatype::pack(piece, 0, static_cast<std::byte*>(memory_.data()) + position, piece.bytes());
      counts_.push_back(piece.bytes());
      displacements_.push_back(position);
      position += piece.bytes();
    }
    copy_ = Pieces(memory_.data(), object::CountArray(counts_.data()),
                   object::CountArray(displacements_.data()), &datatype::named(MPI_BYTE));
    return {};
  }
  const Pieces& pieces() const noexcept { return send_.in_place() ? copy_ : send_; }

 private:
  const Pieces& send_;
  const Pieces& receive_;
  StagingBuffer memory_;
  std::vector<MPI_Count> counts_, displacements_;
  Pieces copy_{datatype::nothing()};
};

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
  return uniform() && some_share_a_host(comm) && receive.bytes(comm.size()) <= kMostInRow;
}

Error Alltoall::perform_here(const Phase& phase) const {
  const MPI_Count all = uniform() ? receive.bytes(comm.size()) : 0;
  const bool fit = uniform() && all * comm.size() <= HostGroup::of(comm).scratch_bytes();
  return fit ? in_scratch(phase, all / comm.size()) : by_lending(phase);
}

// All members here, and pieces of `each` bytes of which all fit in the scratch memory together.
Error Alltoall::in_scratch(const Phase& phase, MPI_Count each) const {
  const int size = comm.size(), me = comm.rank();
  const ConstBuffer row = own().whole(size);
  Visit visit(phase, call_of(What::kAlltoall, 0, details_of(row.bytes(), each)));
  const MPI_Count all = size * each;
  const auto row_of = [&](int rank) { return visit.scratch() + rank * all; };
  p2p::transfer(row, datatype::bytes_at(row_of(me), all), std::min(row.bytes(), all));
  if (Error e = visit.meet()) return e;
  for (int i = 0; i < size; ++i) {
    p2p::transfer(datatype::bytes_at(row_of(i) + me * each, each), receive[i], each);
  }
  return {};
}

// The members of a host lend their pieces to each other. Where there are several hosts pieces have
// one length, and the host leader reads them, too: for the members of the others.
Error Alltoall::by_lending(const Phase& phase) const {
  const HostGroup& here = HostGroup::of(comm);
  const HostsOf* const hosts = here.hosts();
  const MPI_Count each = hosts == nullptr ? 0 : receive[0].bytes();
  const MPI_Count details = hosts == nullptr ? 0 : details_of(own().bytes(comm.size()), each);
  Visit visit(phase, call_of(What::kAlltoall, 0, details));
  Outgoing out(send, receive);
  FirstError error;
  error.note(out.prepare(comm.size()));
  if (error.any()) visit.fail();
  Loan loan(visit);
  loan.lend(out.pieces());
  std::optional<BundleExchange> bundles;
  if (hosts != nullptr) bundles.emplace(phase, *hosts, each, visit.call());
  error.note(visit.meet([&] {
    if (!bundles) return;
    visit.set_mismatch(bundles->exchange(visit.mismatch(), visit.lent()));
    visit.lend_for_host(bundles->came());
  }));
  if (error.any()) return error.take();
  for (int i = 0; i < here.members(); ++i) {
    const int index = (visit.index() + i) % here.members();
    error.note(loan.take(index, comm.rank(), receive[here.rank_of(index)]));
  }
  if (bundles) bundles->read(visit.lent_for_host(), visit.index(), receive);
  loan.finish();
  return error.take();
}

// If pieces have one length and a member's fit into its slot together.
bool Alltoall::perform_in(Turn& turn, Error* error) const {
  const int size = comm.size(), me = comm.rank();
  const MPI_Count all = uniform() ? receive.bytes(size) : 0, each = all / size;
  const ConstBuffer row = uniform() ? own().whole(size) : datatype::nothing();
  turn.begin(call_of(What::kAlltoall, 0, uniform() ? details_of(row.bytes(), each) : 0));
  if (!uniform() || all > Turn::kMost || row.bytes() > Turn::kMost) {
    turn.give_elsewhere();
    return false;
  }
  turn.give(row);
  FirstError first;
  for (int from = 0; from < size; ++from) {
    ConstBuffer given = datatype::nothing();
    Error unlike = turn.take(from, &given);
    if (!unlike) {
      const auto* const piece = static_cast<const std::byte*>(given.data) + me * each;
      p2p::transfer(datatype::bytes_at(piece, each), receive[from], each);
    }
    first.note(std::move(unlike));
  }
  *error = first.take();
  return true;
}

Error Alltoall::perform(const Ticket& ticket) const {
  if (const Phase phase = ticket.phase()) {
    return all_are_here(comm) ? perform_here(phase) : by_lending(phase);
  }
  const Wire wire = ticket.wire();
  if (comm.is_inter()) return across(wire, send, receive);
  const int rank = comm.rank();
  Outgoing out(send, receive);
  FirstError error;
  error.note(out.prepare(comm.size()));
  if (!send.in_place()) error.note(to_oneself(send[rank], receive[rank]));
  error.note(in_windows(wire, out.pieces(), receive));
  return error.take();
}

}  // namespace heddle::coll
