#include "mpi/coll/host_ring.h"

#include <algorithm>

#include "mpi/coll/between.h"
#include "mpi/coll/first_error.h"
#include "mpi/coll/lending.h"
#include "mpi/p2p/message.h"

namespace heddle::coll {

using datatype::Buffer;
using datatype::bytes_at;

HostRing::HostRing(const HostsOf& hosts, const Pieces& receive, int ranks)
    : hosts_(hosts), receive_(receive), ranks_(ranks), begins_(1, 0) {
  for (int host = 0; host < hosts.count(); ++host) {
    MPI_Count bytes = 0;
    for (const int rank : hosts.members(host)) bytes += receive[rank].bytes();
    begins_.push_back(begins_.back() + bytes);
  }
}

Buffer HostRing::part(int host, std::byte* memory) const noexcept {
  const auto* const begin = &begins_[static_cast<std::size_t>(host)];
  return bytes_at(memory + begin[0], begin[1] - begin[0]);
}

void HostRing::write(int host, const Lent* lent, std::byte* memory) const noexcept {
  std::byte* at = memory + begins_[static_cast<std::size_t>(host)];
  for (const int rank : hosts_.members(host)) {
    const datatype::ConstBuffer own = buffer_of(*lent++);
    const MPI_Count room = receive_[rank].bytes();
    p2p::transfer(own, bytes_at(at, room), std::min(own.bytes(), room));
    at += room;
  }
}

int HostRing::exchange(const Phase& phase, std::uint32_t call, int failure, const Lent* lent,
                       std::byte* memory) const {
  const int count = hosts_.count();
  const int me = hosts_.index_of(phase.comm.group().member(phase.comm.rank()));
  if (failure == MPI_SUCCESS) write(me, lent, memory);
  failure = Between(phase, hosts_, call).agree(failure);
  if (failure != MPI_SUCCESS) return failure;
  const int next = hosts_.leader((me + 1) % count);
  const int previous = hosts_.leader((me + count - 1) % count);
  FirstError error;
  for (int i = 0; i < count - 1; ++i) {
    const Buffer out = part((me + count - i) % count, memory);
    const Buffer in = part((me + 2 * count - i - 1) % count, memory);
    error.note(phase.wire().swap(out, next, in, previous));
  }
  return error.any() ? error.take().error_class() : MPI_SUCCESS;
}

void HostRing::read(const std::byte* memory) const noexcept {
  if (receive_.uniform() && hosts_.in_blocks()) {
    p2p::transfer(bytes_at(memory, bytes()), receive_.whole(ranks_), bytes());
    return;
  }
  for (int host = 0; host < hosts_.count(); ++host) {
    for (const int rank : hosts_.members(host)) {
      const Buffer piece = receive_[rank];
      const MPI_Count length = piece.bytes();
      p2p::transfer(bytes_at(memory, length), piece, length);
      memory += length;
    }
  }
}

}  // namespace heddle::coll
