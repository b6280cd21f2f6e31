#include "mpi/coll/wire.h"

#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"
#include "mpi/p2p/sendrecv.h"

namespace heddle::coll {

Error Wire::send(datatype::ConstBuffer data, int rank) const {
  return p2p::send(data, to(rank));
}

Error Wire::receive(datatype::Buffer buffer, int rank) const {
  return p2p::recv(buffer, from(rank), MPI_STATUS_IGNORE);
}

Error Wire::swap(datatype::ConstBuffer data, int to_rank, datatype::Buffer buffer,
                 int from_rank) const {
  return p2p::sendrecv(data, to(to_rank), buffer, from(from_rank), MPI_STATUS_IGNORE);
}

void Batch::receive(datatype::Buffer buffer, int rank) {
  receives_.emplace_back(buffer, wire_.from(rank)).begin();
}

Error Batch::send(datatype::ConstBuffer data, int rank) {
  if (p2p::returns_at_once(data.bytes(), wire_.to(rank))) return wire_.send(data, rank);
  return sends_.emplace_back(data, wire_.to(rank), p2p::Mode::kStandard).begin();
}

Error Batch::finish() {
  Error first;
  for (p2p::SendRequest& send : sends_) send.wait();
  for (p2p::ReceiveRequest& receive : receives_) {
    receive.wait();
    if (!first) first = receive.verdict();
  }
  sends_.clear();
  receives_.clear();
  return first;
}

}  // namespace heddle::coll
