// The ranks' elements combined, a piece of the result to each rank (MPI 5.0 §6.10).
#include <span>
#include <vector>

#include "mpi/coll/between.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/combine.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/lending.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// The pieces of a side's whole vector, one after the other.
struct Cut {
  Cut(const Pieces& pieces, int ranks) {
    for (int i = 0; i < ranks; ++i) {
      counts.push_back(pieces[i].count);
      displacements.push_back(total);
      total += pieces[i].count;
    }
  }
  Pieces of(const void* data, const datatype::Datatype* type) const {
    return {data, object::CountArray(counts.data()), object::CountArray(displacements.data()),
            type};
  }
  std::vector<MPI_Count> counts, displacements;
  MPI_Count total = 0;
};

// All members here: each gets elements [begin, begin + mine.count) of what all have combined.
struct Share {
  const Phase& phase;
  const op::Op& op;
  const Buffer shape;  // of a whole vector
  const MPI_Count begin;
  const Buffer mine;

  Error run(const void* own) const {
    const HostGroup& host_group = HostGroup::of(phase.comm);
    const bool fit = VectorSlots::fit(shape, host_group.members(), host_group.scratch_bytes());
    return fit ? in_scratch(own) : in_slices(own);
  }

 private:
  std::uint32_t call() const noexcept { return call_of(What::kReduceScatter, 0, shape.bytes()); }

  Error in_scratch(const void* own) const {
    Visit visit(phase, call());
    const VectorSlots slots(visit.scratch(), shape, visit.host_group().members());
    p2p::transfer({own, shape.count, shape.type}, slots[visit.index()], shape.bytes());
    Error error = visit.meet([&] {
      if (visit.agreed()) slots.combine(op);
    });
    if (error) return error;
    const Lent sum{slots.result().data, nullptr, shape.type};
    p2p::transfer(vector_at(sum, begin, mine.count), mine, mine.bytes());
    return {};
  }

  // Each member combines a slice of all vectors, straight from there: into the scratch memory, if
  // the sum fits there, else the slice is its own piece. Others may still read where that will be.
  Error in_slices(const void* own) const {
    Visit visit(phase, call());
    const int members = visit.host_group().members();
    const bool in_scratch = VectorSlots::fit(shape, 1, visit.host_group().scratch_bytes());
    const bool in_place = own == mine.data;
    Slice slice = in_scratch ? Slice(shape, visit.index(), members)
                             : Slice(*shape.type, begin, begin + mine.count);
    StagingBuffer aside;
    Error no_memory = slice.prepare();
    if (!no_memory && in_place && !in_scratch) no_memory = aside.reserve(mine.count, *shape.type);
    if (no_memory) visit.fail();
    visit.lent()[visit.index()] = {own, nullptr, shape.type};
    Error error = visit.meet();
    if (no_memory) return no_memory;
    if (error) return error;
    const Buffer piece = in_place ? aside.buffer() : mine;
    Lent sum{nullptr, piece.data, shape.type};
    sum.result = in_scratch ? VectorSlots(visit.scratch(), shape, 1).result().data
                            : result_at(sum, -begin, 0).data;
    slice.combine({visit.lent(), static_cast<std::size_t>(members)}, {&sum, 1}, op);
    visit.meet_again();
    const Buffer from = in_scratch || in_place ? result_at(sum, begin, mine.count) : mine;
    if (from.data != mine.data) p2p::transfer(from, mine, mine.bytes());
    return {};
  }
};

}  // namespace

bool ReduceScatter::keep_arrays() noexcept {
  return pieces.keep_arrays(comm.size());
}

// Between hosts: vectors that all hosts combine and give to all in single parcels.
bool ReduceScatter::in_parcels() const {
  return pieces.bytes(comm.size()) <= kMostInParcel;
}

bool ReduceScatter::perform_in(Turn& turn, Error* error) const {
  const MPI_Count bytes = pieces.bytes(comm.size());
  if (bytes == 0) return false;
  turn.begin(call_of(What::kReduceScatter, 0, bytes));
  if (bytes > Turn::kMost) {
    turn.give_elsewhere();
    return false;
  }
  MPI_Count first = 0, all = 0;
  for (int i = 0; i < comm.size(); ++i) {
    if (i < comm.rank()) first += pieces[i].count;
    all += pieces[i].count;
  }
  const Buffer mine{result, pieces[comm.rank()].count, pieces.type()};
  turn.give({own_of(send, mine), all, pieces.type()});
  *error = combine_in(turn, op, mine, first);
  return true;
}

Error ReduceScatter::perform(const Ticket& ticket) const {
  if (pieces.empty(comm.size())) return {};
  if (all_are_here(comm)) return perform_here(ticket.phase());
  return !comm.is_inter() && in_parcels() ? perform_by_all(ticket.phase())
                                          : perform_by_leader(ticket);
}

Error ReduceScatter::perform_here(const Phase& phase) const {
  const Cut cut(pieces, comm.size());
  const auto me = static_cast<std::size_t>(comm.rank());
  const Buffer shape{nullptr, cut.total, pieces.type()};
  const Buffer mine{result, cut.counts[me], pieces.type()};
  return Share{phase, op, shape, cut.displacements[me], mine}.run(own_of(send, mine));
}

// All get the whole, and keep their piece.
Error ReduceScatter::perform_by_all(const Phase& phase) const {
  const Cut cut(pieces, comm.size());
  const auto me = static_cast<std::size_t>(comm.rank());
  const Buffer mine{result, cut.counts[me], pieces.type()};
  StagingBuffer sum;
  FirstError error;
  error.note(sum.reserve(cut.total, *pieces.type()));
  const Buffer total{sum.data(), cut.total, pieces.type()};
  error.note(reduce_in(phase, own_of(send, mine), total, op, kAll, error.any()));
  if (error.any()) return error.take();
  const Lent whole{nullptr, sum.data(), pieces.type()};
  p2p::transfer(result_at(whole, cut.displacements[me], mine.count), mine, mine.bytes());
  return {};
}

Error ReduceScatter::perform_by_leader(const Ticket& ticket) const {
  const bool inter = comm.is_inter();
  Comm& side = inter ? comm.local_comm() : comm;
  const bool leads = side.rank() == 0;
  const Cut cut(pieces, side.size());
  const datatype::Datatype* const type = pieces.type();
  StagingBuffer sum, theirs;
  FirstError error;
  if (leads) error.note(sum.reserve(cut.total, *type));
  if (leads && inter) error.note(theirs.reserve(cut.total, *type));
  const Buffer total{sum.data(), cut.total, type};
  const Buffer mine{result, cut.counts[static_cast<std::size_t>(side.rank())], type};
  error.note(reduce_in(ticket.phase(), own_of(send, mine), total, op, 0, error.any()));
  const Wire wire = inter ? ticket.phase().wire() : ticket.wire();
  if (!leads) {
    error.note(wire.receive_unless_failed(mine, 0));
    return error.take();
  }
  bool has_sum = !error.any();
  if (inter) {
    const bool came = swap_sums(ticket.wire(), total, theirs.buffer(), error) == MPI_SUCCESS;
    has_sum = came && theirs.data() != nullptr;
  }
  const Pieces whole = cut.of(inter ? theirs.data() : sum.data(), type);
  const Pieces nothing(nullptr, 0, type);
  error.note(has_sum ? scatter_by(wire, whole, mine, 0)
                     : scatter_by(wire, nothing, {result, 0, type}, 0));
  return error.take();
}

}  // namespace heddle::coll
