#include "mpi/coll/lending.h"

#include "mpi/p2p/message.h"

namespace heddle::coll {

using datatype::Buffer;
using datatype::ConstBuffer;

bool all_are_here(comm::Comm& comm) {
  return !comm.is_inter() && comm.size() > 1 && HostGroup::of(comm).hosts() == nullptr;
}

bool some_share_a_host(comm::Comm& comm) {
  if (comm.is_inter() || comm.size() == 1) return false;
  const HostsOf* const hosts = HostGroup::of(comm).hosts();
  return hosts == nullptr || hosts->most_members() > 1;
}

bool Loan::lend(ConstBuffer data) noexcept {
  Lent& entry = visit_.lent()[visit_.index()];
  const MPI_Count bytes = data.bytes();
  if (bytes > share_) {
    entry = {data.data, nullptr, data.type, data.count};
    any_stays_ = true;
    return true;
  }
  const Buffer copy = datatype::bytes_at(visit_.scratch() + visit_.index() * share_, bytes);
  p2p::transfer(data, copy, bytes);
  entry = {copy.data, nullptr, copy.type, bytes};
  return false;
}

void Loan::lend(const Pieces& pieces) noexcept {
  visit_.lent()[visit_.index()].pieces = &pieces;
  any_stays_ = true;
}

Error Loan::take(int index, Buffer buffer) {
  const ConstBuffer data = buffer_of(visit_.lent()[index]);
  any_stays_ = any_stays_ || data.bytes() > share_;
  return copy_from(visit_.host_group().rank_of(index), data, buffer);
}

Error Loan::take(int index, int piece, Buffer buffer) {
  return copy_from(visit_.host_group().rank_of(index), (*visit_.lent()[index].pieces)[piece],
                   buffer);
}

void Loan::finish() {
  if (any_stays_) visit_.meet_again();
}

Error copy_from(int rank, ConstBuffer data, Buffer buffer) {
  const MPI_Count bytes = data.bytes();
  if (bytes > buffer.bytes()) [[unlikely]] {
    return Error::make(MPI_ERR_TRUNCATE, "rank %d sends %lld bytes, but there is room for %lld",
                       rank, static_cast<long long>(bytes), static_cast<long long>(buffer.bytes()));
  }
  p2p::transfer(data, buffer, bytes);
  return {};
}

}  // namespace heddle::coll
