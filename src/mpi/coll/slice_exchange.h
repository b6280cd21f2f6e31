// slice_exchange.h — a large reduction between hosts.
//
// Each host has one vector for each of its blocks (hosts_of.h): what its members have combined
// ("sums", whatever the operation). Each host leader gets one slice of all these vectors, combines
// it in order, and gives it to all, or to the root's host:
//
//   host 0   sums [s0|s1|s2]  ── s1 ─► host 1 ──┐
//   host 1   sums [s0|s1|s2]  ────────────────► s1 of all, combined in the order of blocks ─► all
//   host 2   sums [s0|s1|s2]  ── s1 ─► host 1 ──┘
//
// Thread safety: one strand, the host leader's; members write the sums before exchange().

#pragma once

#include <vector>

#include "mpi/coll/combine.h"
#include "mpi/coll/ticket.h"

namespace heddle::coll {

class SliceExchange {
 public:
  SliceExchange(const Phase& phase, const HostGroup& host_group, datatype::Buffer shape,
                const op::Op& op);

  // Allocates all memory. Call it before the other hosts are told that this host takes part.
  Error prepare();

  // Where the members put the sum of each block of this host: results of Slice::combine.
  const Lent* sums() const noexcept { return sums_.data(); }

  // Writes the result to `total` on host `to`, or on all hosts (kAll). The `total` of other hosts
  // is ignored. May switch.
  Error exchange(datatype::Buffer total, int to);

 private:
  MPI_Count begin_of(int host) const noexcept;
  // The slice of a host, in a vector.
  datatype::Buffer slice(const Lent& vector, int host) const noexcept;
  void collect(const VectorSlots& pieces, Batch& batch) const;

  const Phase phase_;
  const HostsOf& hosts_;
  const datatype::Buffer shape_;
  const op::Op& op_;
  const int me_;  // this host's index
  const std::vector<int> blocks_;
  std::vector<Lent> sums_;
  StagingBuffer sums_memory_, pieces_memory_;
};

}  // namespace heddle::coll
