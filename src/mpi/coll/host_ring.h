// host_ring.h — an allgather between hosts: in step i each host leader passes on to the next host
// what came i steps ago, in memory that has the pieces of all ranks.
//
//   memory   host 0: [rank 0][rank 3]   host 1: [rank 1][rank 2] …   packed; on each host by rank
//
// Thread safety: read() any member; the rest one strand, the host leader's.

#pragma once

#include <vector>

#include "mpi/coll/hosts_of.h"
#include "mpi/coll/pieces.h"
#include "mpi/coll/ticket.h"

namespace heddle::coll {

class HostRing {
 public:
  // Pieces of so many ranks, as they are received.
  HostRing(const HostsOf& hosts, const Pieces& receive, int ranks);

  // How much memory it takes.
  MPI_Count bytes() const noexcept { return begins_.back(); }

  // Once all here have arrived. `lent`: what they give, by index. `failure` is this host's error
  // class; returns that of all. May switch.
  int exchange(const Phase& phase, std::uint32_t call, int failure, const Lent* lent,
               std::byte* memory) const;
  // Into the buffer that receives the pieces.
  void read(const std::byte* memory) const noexcept;

 private:
  // What members lend has the agreed length, or is shorter.
  void write(int host, const Lent* lent, std::byte* memory) const noexcept;
  datatype::Buffer part(int host, std::byte* memory) const noexcept;

  const HostsOf& hosts_;
  const Pieces& receive_;
  const int ranks_;
  std::vector<MPI_Count> begins_;  // of each host's part; then the end
};

}  // namespace heddle::coll
