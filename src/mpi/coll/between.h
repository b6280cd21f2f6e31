// between.h — the messages between host leaders (hosts_of.h) in one phase of a barrier, a
// reduction or a broadcast, in which the root speaks for its host. Each begins with a parcel
// (parcel.h). Those of an allgather and an alltoall: host_ring.h, bundle_exchange.h.
//
//   operation              messages
//   ---------------------  -----------------------------------------------------------------------
//   barrier and other      parcels up a tree of host indices (tree.h) to host 0, and down again
//     agreements
//   small reduction        the same, each with a vector; to one root: up, then straight to its host
//     in rank order, of    each block's vector straight to host 0, which combines them; then as
//     ranks not in blocks  above
//   broadcast              down a binomial tree from the root's host: a parcel, then pieces if the
//                          payload is large
//   large reduction        slice_exchange.h
//
// A subtree is a row of hosts, so its vector is that of adjacent hosts: reductions combine in rank
// order on each host, and in host order between them, the same way in every run.
//
// Each parcel names the call that its host makes, and an error class. So each host leader learns
// which hosts disagree or fail, and tells its members. Barriers and reductions use the same tree,
// so that many hosts that disagree meet there.
//
// Others never do: if all of host 0 are in a barrier, and all others in a broadcast whose root is
// on host 0, none has anything to send. So messages alone do not find every disagreement, and the
// rest takes a clock. A wait for another host that takes long sends a query (link.h,
// call_queries.h): that host is asked what its members do in this phase, and if it is something
// else the wait ends with an error. Then
//
//   - members of one host find each other whatever they call (visit.h), so no wait inside a host is
//     without an end;
//   - a wait for a host in the same call ends as in a correct program, because that host sends all
//     its parcels, also if it has failed;
//   - a wait for a host in another call, or whose members disagree, ends by that answer, also if it
//     has gone on.
//
// So no member waits for ever if all have begun the phase, and each that waits for all others gets
// an error. It is not found if one of them never begins it (it called MPI_Gather, say), or has
// freed the communicator.
//
// Thread safety: one strand, the host leader's. All functions but the constructors may switch.

#pragma once

#include <cstdint>
#include <span>

#include "mpi/coll/link.h"
#include "mpi/coll/parcel.h"
#include "mpi/coll/staging_buffer.h"
#include "mpi/coll/tree.h"
#include "mpi/op/op.h"

namespace heddle::coll {

class Between {
 public:
  // Made at the host leader of this host.
  Between(const Phase& phase, const HostsOf& hosts, std::uint32_t call) noexcept;

  // `failure` is this host's error class; returns that of all.
  int agree(int failure) const;

  // Combines `sums`, one of each block of this host in rank order, with those of the other hosts;
  // spoils them. The combination goes to `result` on host `to`, or on all hosts. Vectors are of at
  // most kMostInParcel packed bytes. Failures as for agree().
  int reduce(int failure, std::span<const datatype::Buffer> sums, datatype::Buffer result,
             const op::Op& op, int to) const;

 private:
  Error send(Parcel& parcel, int host) const;
  void receive(Parcel& parcel, int host) const;
  // Up the tree: merges what the hosts below send; then to the host above. And down again.
  template <class Merge>
  void collect(Parcel& mine, Merge&& merge) const;
  void climb(Parcel& mine) const;
  void descend(Parcel& parcel) const;
  void combine_runs(Parcel& mine, std::span<const datatype::Buffer> sums, const op::Op& op) const;

  const Link link_;
  const HostsOf& hosts_;
  const group::Group& group_;
  const Tree tree_;
  const int me_;  // this host's index
  const std::uint32_t call_;
};

// A broadcast's way from the root's host to the others. Made at the root, and at the leaders of the
// other hosts; used once.
class Relay {
 public:
  Relay(const Phase& phase, const HostsOf& hosts, int root, std::uint32_t call) noexcept;

  // The root sends `data`, or word that it has `failed`.
  Error give(datatype::ConstBuffer data, int failed);

  // A host leader receives what the root gives, and passes it on. Many bytes come to `data`, if
  // they fit there adjacent, else to memory of the relay's.
  Error take(datatype::Buffer data);
  // Then: what has come, packed. Nothing if the root, a host on the way or this one has failed,
  // with this error class.
  datatype::ConstBuffer came() const noexcept;
  int failure() const noexcept { return first_.failure; }

 private:
  int leader(int relative) const noexcept;
  bool is_top() const noexcept { return relative_ == 0; }
  bool has_rest() const noexcept { return first_.bytes > kMostInParcel; }
  template <class Visit>
  void for_each_child(Visit&& visit) const;
  Error reserve();
  Error pass_on();
  Error pass_on_rest();

  const Link link_;
  const HostsOf& hosts_;
  const int root_, root_host_;
  const int relative_;  // this host's index, counted from the root's
  const Tree tree_;     // of relative indices
  const std::uint32_t call_;
  Parcel first_;                // tells the number of bytes, and has them if they are few
  std::byte* whole_ = nullptr;  // many bytes, adjacent; null: there is no memory, and they are lost
  StagingBuffer memory_;
};

}  // namespace heddle::coll
