#include "mpi/coll/slice_exchange.h"

#include <algorithm>

#include "mpi/p2p/message.h"

namespace heddle::coll {

using datatype::Buffer;

SliceExchange::SliceExchange(const Phase& phase, const HostGroup& host_group, Buffer shape,
                             const op::Op& op)
    : phase_(phase),
      hosts_(*host_group.hosts()),
      shape_(shape),
      op_(op),
      me_(hosts_.index_of(phase.comm.group().member(phase.comm.rank()))),
      blocks_(hosts_.blocks(phase.comm.group(), op.commutative())) {}

MPI_Count SliceExchange::begin_of(int host) const noexcept {
  return begin_of_part(host, hosts_.count(), shape_.count);
}

Buffer SliceExchange::slice(const Lent& vector, int host) const noexcept {
  const MPI_Count begin = begin_of(host);
  return result_at(vector, begin, begin_of(host + 1) - begin);
}

Error SliceExchange::prepare() {
  const auto here = static_cast<int>(std::count(blocks_.begin(), blocks_.end(), me_));
  if (Error e = sums_memory_.reserve_bytes(VectorSlots::bytes(shape_, here))) return e;
  const VectorSlots sums(static_cast<std::byte*>(sums_memory_.data()), shape_, here);
  for (int i = 0; i < here; ++i) sums_.push_back({nullptr, sums[i].data, shape_.type});
  const Buffer own{nullptr, begin_of(me_ + 1) - begin_of(me_), shape_.type};
  return pieces_memory_.reserve_bytes(VectorSlots::bytes(own, static_cast<int>(blocks_.size())));
}

// This host's slice of all vectors, in the order of blocks.
void SliceExchange::collect(const VectorSlots& pieces, Batch& batch) const {
  std::size_t own = 0;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const Buffer piece = pieces[static_cast<int>(block)];
    if (blocks_[block] != me_) {
      batch.receive(piece, hosts_.leader(blocks_[block]));
    } else {
      p2p::transfer(slice(sums_[own++], me_), piece, piece.bytes());
    }
  }
  for (int host = 0; host < hosts_.count(); ++host) {
    if (host == me_) continue;
    for (const Lent& sum : sums_) batch.send(slice(sum, host), hosts_.leader(host));
  }
  batch.wait();
}

Error SliceExchange::exchange(Buffer total, int to) {
  const Buffer shape{nullptr, begin_of(me_ + 1) - begin_of(me_), shape_.type};
  const auto blocks = static_cast<int>(blocks_.size());
  const VectorSlots pieces(static_cast<std::byte*>(pieces_memory_.data()), shape, blocks);
  Batch batch(phase_.wire());
  collect(pieces, batch);
  pieces.combine(op_, 0, blocks);
  const Buffer mine = pieces[blocks - 1];
  const bool wanted = to == kAll || to == me_;
  const Lent whole{nullptr, total.data, total.type};
  for (int host = 0; host < hosts_.count() && wanted; ++host) {
    if (host != me_) batch.receive(slice(whole, host), hosts_.leader(host));
  }
  if (wanted) p2p::transfer(mine, slice(whole, me_), mine.bytes());
  for (int host = 0; host < hosts_.count(); ++host) {
    if (host != me_ && (to == kAll || to == host)) batch.send(mine, hosts_.leader(host));
  }
  return batch.finish();
}

}  // namespace heddle::coll
