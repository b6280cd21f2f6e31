// The ranks' elements combined, a piece of the result to each rank (MPI 5.0 §6.10).
#include <vector>

#include "mpi/coll/bodies.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/scratch.h"

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

// What rank 0 has is theirs, of an intercommunicator; else the side's own. True if it has that.
bool swap_sums(const Ticket& ticket, const Buffer& ours, const Buffer& theirs, FirstError& error) {
  const ConstBuffer contribution{ours.data, error.any() ? 0 : ours.count, ours.type};
  Error missing = ticket.wire().swap_unless_failed(contribution, theirs, 0);
  const bool came = !missing || missing.error_class() == MPI_ERR_TRUNCATE;
  error.note(std::move(missing));
  return came && theirs.data != nullptr;
}

}  // namespace

bool ReduceScatter::keep_arrays() noexcept {
  return pieces.keep_arrays(comm.size());
}

Error ReduceScatter::perform(const Ticket& ticket) const {
  if (pieces.empty(comm.size())) return {};
  const bool inter = comm.is_inter();
  Comm& side = inter ? comm.local_comm() : comm;
  const bool leads = side.rank() == 0;
  const Cut cut(pieces, side.size());
  const datatype::Datatype* const type = pieces.type();
  Scratch sum, theirs;
  FirstError error;
  if (leads) error.note(sum.reserve(cut.total, *type));
  if (leads && inter) error.note(theirs.reserve(cut.total, *type));
  const Buffer total{sum.data(), cut.total, type};
  const void* const own = send == MPI_IN_PLACE ? result : send;
  error.note(reduce_in(ticket.turn(), own, total, op, 0, error.any()));
  const Buffer mine{result, cut.counts[static_cast<std::size_t>(side.rank())], type};
  const Wire wire = inter ? ticket.turn().wire() : ticket.wire();
  if (!leads) {
    error.note(wire.receive_unless_failed(mine, 0));
    return error.take();
  }
  const bool has_sum = inter ? swap_sums(ticket, total, theirs.buffer(), error) : !error.any();
  const Pieces whole = cut.of(inter ? theirs.data() : sum.data(), type);
  const Pieces nothing(nullptr, 0, type);
  error.note(has_sum ? scatter_by(wire, whole, mine, 0)
                     : scatter_by(wire, nothing, {result, 0, type}, 0));
  return error.take();
}

}  // namespace heddle::coll
