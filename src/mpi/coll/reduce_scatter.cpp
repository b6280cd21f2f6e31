// The ranks' elements combined, a piece of the result to each rank (MPI 5.0 §6.10).
#include <vector>

#include "mpi/coll/first_error.h"
#include "mpi/coll/reduce.h"
#include "mpi/coll/scratch.h"
#include "mpi/coll/wire.h"
#include "mpi/object/in_call.h"

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

}  // namespace

Error reduce_scatter(const void* send, void* result, const Pieces& pieces, const op::Op& op,
                     Comm& comm) {
  const object::InCall in_call(&comm, pieces.type(), &op);
  Comm& side = comm.is_inter() ? comm.local_comm() : comm;
  const Cut cut(pieces, side.size());
  const datatype::Datatype* const type = pieces.type();
  const int rank = side.rank();
  Scratch sum, theirs;
  if (rank == 0) {
    if (Error e = sum.reserve(cut.total, *type)) return e;
  }
  if (comm.is_inter() && rank == 0) {
    if (Error e = theirs.reserve(cut.total, *type)) return e;
  }
  const Buffer total{sum.data(), cut.total, type};
  const void* const own = send == MPI_IN_PLACE ? result : send;
  FirstError error;
  error.note(reduce_here(own, total, op, 0, side));
  Buffer whole = total;
  if (comm.is_inter() && rank == 0) {
    whole = theirs.buffer();
    const Wire across{comm, kReduceTag};
    error.note(across.swap(total, 0, whole, 0));
  }
  const Buffer mine{result, cut.counts[static_cast<std::size_t>(rank)], type};
  error.note(scatter(cut.of(whole.data, type), mine, 0, side));
  return error.take();
}

}  // namespace heddle::coll
