// bundle_exchange.h — an alltoall of short pieces between hosts: a bundle to each host with what
// the members here give to the members there, and one from each.
//
//   bundle    giver 0: [receiver 0][receiver 1] …   giver 1: [receiver 0] …
//             pieces of one length; members by rank
//
// Thread safety: read() any member; the rest one strand, the host leader's, once all members here
// have arrived.

#pragma once

#include <deque>
#include <vector>

#include "mpi/coll/bundle.h"
#include "mpi/coll/ticket.h"

namespace heddle::coll {

class BundleExchange {
 public:
  // Pieces of `each` bytes.
  BundleExchange(const Phase& phase, const HostsOf& hosts, MPI_Count each, std::uint32_t call);

  // `lent`: what the members here give, by index. `failure` is this host's error class; returns
  // that of all. May switch.
  int exchange(int failure, const Lent* lent);

  // What each other host has given, by host index, until this ends.
  const Lent* came() const noexcept { return came_.data(); }

  // Copies what the member with this index receives. `came` is that of its host leader.
  void read(const Lent* came, int index, const Pieces& receive) const noexcept;

 private:
  template <class Visit>
  void for_each_other(Visit&& visit) const;
  void pack(Bundle& bundle, int host, const Lent* lent) const noexcept;

  const Phase phase_;
  const HostsOf& hosts_;
  const MPI_Count each_;
  const std::uint32_t call_;
  const int me_;                            // this host's index
  std::deque<Bundle> outgoing_, incoming_;  // in the order of for_each_other()
  std::vector<Lent> came_;
};

}  // namespace heddle::coll
