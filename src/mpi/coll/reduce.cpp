// The ranks' elements combined (MPI 5.0 §6.9.1, §6.9.6).
#include "mpi/coll/reduce.h"

#include <utility>

#include "exec/ult/scheduler.h"
#include "mpi/coll/scratch.h"
#include "mpi/coll/tree.h"
#include "mpi/coll/wire.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

namespace {

// From here on doubling would move more bytes than it saves time.
constexpr MPI_Count kDoublingUpTo = 16384;

// What has been combined so far, over an interval of ranks that grows to both sides. Goes to and
// fro between two buffers, so that neither the contribution nor a partial result is copied.
class Accumulator {
 public:
  // `own` may be one of the two buffers.
  Accumulator(const void* own, Buffer first, Buffer second, const op::Op& op) noexcept
      : first_(first), second_(second), op_(op), current_(own) {}

  // Where the next part must be put.
  Buffer incoming() const noexcept { return current_ == first_.data ? second_ : first_; }

  // What is in incoming() comes from the ranks just above.
  void append() {
    void* const part = incoming().data;
    op_.apply(current_, part, first_.count, *first_.type);
    current_ = part;
  }

  // What is in incoming() comes from the ranks just below.
  void prepend() {
    if (op_.commutative()) return append();
    const void* const part = incoming().data;
    const Buffer other = part == first_.data ? second_ : first_;
    if (current_ != other.data) {  // the contribution itself, which is not ours to change
      p2p::transfer({current_, other.count, other.type}, other, other.bytes());
      current_ = other.data;
    }
    op_.apply(part, other.data, other.count, *other.type);
  }

  ConstBuffer result() const noexcept { return {current_, first_.count, first_.type}; }

 private:
  const Buffer first_, second_;
  const op::Op& op_;
  const void* current_;
};

// Takes in the children's results.
Error combine(Accumulator& sum, const Tree& tree, const Wire& wire) {
  for (int i = tree.upper_count(); i-- > 0;) {
    if (Error e = wire.receive(sum.incoming(), tree.upper(i))) return e;
    sum.append();
  }
  if (tree.lower() >= 0) {
    if (Error e = wire.receive(sum.incoming(), tree.lower())) return e;
    sum.prepend();
  }
  return {};
}

Error reduce_at_root(const void* own, Buffer result, const op::Op& op, const Tree& tree,
                     const Wire& wire) {
  Scratch scratch;
  if (Error e = scratch.reserve(result.count, *result.type)) return e;
  // Such that the last part is combined in `result`, if `own` is not there.
  Buffer first = result, second = scratch.buffer();
  if ((tree.upper_count() + (tree.lower() >= 0)) % 2 == 0) std::swap(first, second);
  Accumulator sum(own, first, second, op);
  if (Error e = combine(sum, tree, wire)) return e;
  if (sum.result().data != result.data) p2p::transfer(sum.result(), result, result.bytes());
  return {};
}

Error reduce_at_inner(const void* own, Buffer shape, const op::Op& op, const Tree& tree,
                      const Wire& wire) {
  Scratch first, second;
  if (Error e = first.reserve(shape.count, *shape.type)) return e;
  if (tree.upper_count() > 1) {
    if (Error e = second.reserve(shape.count, *shape.type)) return e;
  }
  Accumulator sum(own, first.buffer(), second.buffer(), op);
  if (Error e = combine(sum, tree, wire)) return e;
  return wire.send(sum.result(), tree.parent());
}

// log n steps, each with a partner whose ranks adjoin ours.
Error allreduce_by_doubling(const void* own, Buffer result, const op::Op& op, Comm& comm) {
  const Wire wire{comm, kReduceTag};
  Scratch scratch;
  if (Error e = scratch.reserve(result.count, *result.type)) return e;
  if (own != result.data) {
    p2p::transfer({own, result.count, result.type}, result, result.bytes());
  }
  Accumulator sum(result.data, result, scratch.buffer(), op);
  for (int distance = 1; distance < comm.size(); distance *= 2) {
    const int partner = comm.rank() ^ distance;
    if (Error e = wire.swap(sum.result(), partner, sum.incoming(), partner)) return e;
    if (partner > comm.rank()) {
      sum.append();
    } else {
      sum.prepend();
    }
  }
  if (sum.result().data != result.data) p2p::transfer(sum.result(), result, result.bytes());
  return {};
}

// With a core for each rank the longest path counts, not the number of messages.
bool doubling_pays(const Buffer& data, const Comm& comm) {
  const int size = comm.size();
  return (size & (size - 1)) == 0 && size <= ult::worker_count() && data.bytes() <= kDoublingUpTo;
}

// Each side gets the other side's reduction.
Error allreduce_across(const void* own, Buffer result, const op::Op& op, Comm& comm) {
  Comm& side = comm.local_comm();
  Scratch ours;
  if (comm.rank() == 0) {
    if (Error e = ours.reserve(result.count, *result.type)) return e;
  }
  const Buffer sum{ours.data(), result.count, result.type};
  if (Error e = reduce_in_tree(own, sum, op, 0, side)) return e;
  if (comm.rank() == 0) {
    const Wire across{comm, kReduceTag};
    if (Error e = across.swap(sum, 0, result, 0)) return e;
  }
  return bcast(result, 0, side);
}

}  // namespace

Error reduce_in_tree(const void* own, Buffer result, const op::Op& op, int root, Comm& comm) {
  const Wire wire{comm, kReduceTag};
  const Tree tree(comm.size(), comm.rank(), root, Tree::star_for(result.bytes()));
  if (tree.parent() < 0) return reduce_at_root(own, result, op, tree, wire);
  if (tree.upper_count() == 0) return wire.send({own, result.count, result.type}, tree.parent());
  return reduce_at_inner(own, result, op, tree, wire);
}

Error reduce(const void* send, Buffer result, const op::Op& op, int root, Comm& comm) {
  if (!comm.is_inter()) return reduce_in_tree(own_of(send, result), result, op, root, comm);
  if (root == MPI_PROC_NULL) return {};
  const Wire across{comm, kReduceTag};
  if (root == MPI_ROOT) return across.receive(result, 0);
  Scratch sum;
  if (comm.rank() == 0) {
    if (Error e = sum.reserve(result.count, *result.type)) return e;
  }
  const Buffer total{sum.data(), result.count, result.type};
  if (Error e = reduce_in_tree(send, total, op, 0, comm.local_comm())) return e;
  return comm.rank() == 0 ? across.send(total, root) : Error{};
}

Error allreduce(const void* send, Buffer result, const op::Op& op, Comm& comm) {
  if (result.count == 0) return {};
  const void* const own = own_of(send, result);
  if (comm.is_inter()) return allreduce_across(own, result, op, comm);
  if (doubling_pays(result, comm)) return allreduce_by_doubling(own, result, op, comm);
  if (Error e = reduce_in_tree(own, result, op, 0, comm)) return e;
  return bcast(result, 0, comm);
}

}  // namespace heddle::coll
