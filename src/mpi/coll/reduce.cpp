// The ranks' elements combined (MPI 5.0 §6.9.1, §6.9.6).
#include "mpi/coll/reduce.h"

#include "mpi/coll/combine.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/meeting.h"
#include "mpi/coll/scratch.h"
#include "mpi/coll/wire.h"
#include "mpi/object/in_call.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

bool is_small(const Buffer& vector, Comm& comm) {
  return Slots::fit(vector, comm.size(), Meeting::of(comm).board_bytes());
}

void copy_own(const void* own, Buffer result) {
  if (own == result.data) return;
  p2p::transfer({own, result.count, result.type}, result, result.bytes());
}

// A reduction to one root or, in an allreduce, to all.
struct Reduction {
  const op::Op& op;
  int root;  // kAll: everybody gets the result
  Comm& comm;

  static constexpr int kAll = -1;

  bool is_result_here() const noexcept { return root == kAll || root == comm.rank(); }
  std::uint32_t call(const Buffer& vector) const noexcept {
    return call_of(root == kAll ? What::kAllreduce : What::kReduce, root, vector.bytes());
  }

  // Requires that there is more than one member, and something to combine.
  Error run(const void* own, Buffer result) const {
    return is_small(result, comm) ? on_board(own, result) : in_slices(own, result);
  }

 private:
  // Small vectors, by way of the board. Who gets no result does not wait.
  Error on_board(const void* own, Buffer result) const {
    Visit visit(comm, call(result));
    const Slots slots(visit.board(), result, comm.size());
    copy_own(own, slots[comm.rank()]);
    if (visit.arrive()) {
      if (visit.agreed()) slots.combine(op);
      visit.finish();
    } else if (is_result_here()) {
      visit.wait();
    } else {
      return {};
    }
    if (is_result_here() && visit.agreed()) copy_own(slots.result().data, result);
    return visit.verdict();
  }

  // Large vectors, straight from buffer to buffer.
  Error in_slices(const void* own, Buffer result) const {
    Slice slice(result, comm.rank(), comm.size());
    if (Error e = slice.prepare()) return e;
    Visit lending(comm, call(result));
    lending.lent()[comm.rank()] = {own, result.data, result.type};
    if (Error e = lending.meet()) return e;
    const bool to_all = root == kAll;
    slice.combine(lending.lent(), to_all ? 0 : root, to_all ? comm.size() - 1 : root, op);
    return Visit(comm, call(result)).meet();
  }
};

Error run(const Reduction& reduction, const void* own, Buffer result) {
  if (result.bytes() == 0) return {};
  if (reduction.comm.size() > 1) return reduction.run(own, result);
  copy_own(own, result);
  return {};
}

// Each side gets the other side's reduction.
Error allreduce_across(const void* own, Buffer result, const op::Op& op, Comm& comm) {
  Comm& side = comm.local_comm();
  Scratch ours;
  if (comm.rank() == 0) {
    if (Error e = ours.reserve(result.count, *result.type)) return e;
  }
  const Buffer sum{ours.data(), result.count, result.type};
  FirstError error;
  error.note(reduce_here(own, sum, op, 0, side));
  if (comm.rank() == 0) {
    const Wire across{comm, kReduceTag};
    error.note(across.swap(sum, 0, result, 0));
  }
  error.note(bcast(result, 0, side));
  return error.take();
}

}  // namespace

Error reduce_here(const void* own, Buffer result, const op::Op& op, int root, Comm& comm) {
  return run({op, root, comm}, own, result);
}

Error reduce(const void* send, Buffer result, const op::Op& op, int root, Comm& comm) {
  if (root == MPI_PROC_NULL) return {};
  const object::InCall in_call(&comm, result.type, &op);
  if (!comm.is_inter()) return reduce_here(own_of(send, result), result, op, root, comm);
  const Wire across{comm, kReduceTag};
  if (root == MPI_ROOT) return across.receive(result, 0);
  Scratch sum;
  if (comm.rank() == 0) {
    if (Error e = sum.reserve(result.count, *result.type)) return e;
  }
  const Buffer total{sum.data(), result.count, result.type};
  FirstError error;
  error.note(reduce_here(send, total, op, 0, comm.local_comm()));
  if (comm.rank() == 0) error.note(across.send(total, root));
  return error.take();
}

Error allreduce(const void* send, Buffer result, const op::Op& op, Comm& comm) {
  if (result.count == 0) return {};
  const object::InCall in_call(&comm, result.type, &op);
  const void* const own = own_of(send, result);
  return comm.is_inter() ? allreduce_across(own, result, op, comm)
                         : run({op, Reduction::kAll, comm}, own, result);
}

}  // namespace heddle::coll
