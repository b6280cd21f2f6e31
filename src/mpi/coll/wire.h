// wire.h — messages of collectives: their own plane, a tag for each operation.
//
// Thread safety: any strand of the rank. All functions may switch.

#pragma once

#include <list>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/buffer.h"
#include "mpi/p2p/receive_request.h"
#include "mpi/p2p/send_request.h"

namespace heddle::coll {

// Collectives of one communicator follow each other, so one tag would do; several catch mistakes.
enum Tag : int {
  kBarrierTag,
  kBcastTag,
  kGatherTag,
  kScatterTag,
  kAllgatherTag,
  kAlltoallTag,
  kReduceTag,
  kScanTag,
};

// One way of talking to the peers of a communicator.
struct Wire {
  comm::Comm& comm;
  Tag tag;

  p2p::Target to(int rank) const noexcept { return {&comm, rank, tag, comm::Plane::kCollective}; }
  p2p::Source from(int rank) const noexcept { return {&comm, rank, tag, comm::Plane::kCollective}; }

  Error send(datatype::ConstBuffer data, int rank) const;
  Error receive(datatype::Buffer buffer, int rank) const;
  Error swap(datatype::ConstBuffer data, int to_rank, datatype::Buffer buffer, int from_rank) const;
};

// Several messages under way at a time.
class Batch {
 public:
  explicit Batch(const Wire& wire) noexcept : wire_(wire) {}

  void receive(datatype::Buffer buffer, int rank);
  // Its buffer is in use until finish().
  Error send(datatype::ConstBuffer data, int rank);

  std::size_t pending() const noexcept { return receives_.size() + sends_.size(); }

  // Returns when all are done, with the first error.
  Error finish();

 private:
  const Wire wire_;
  // Lists, because they allocate nothing while they are empty.
  std::list<p2p::ReceiveRequest> receives_;
  std::list<p2p::SendRequest> sends_;  // those that wait for their receiver
};

}  // namespace heddle::coll
