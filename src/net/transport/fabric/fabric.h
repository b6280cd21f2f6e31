// fabric.h — the transport over libfabric, between hosts of different nodes: where its user has
// named a provider, or where there is a faster network than TCP, for which there is ../tcp.
//
//   Transport ─┬─ Endpoint 0 ── Port 0 (port.h): domain, endpoint, queue of completions,
//              │                    └── a Peer for each host: window, numbers
//              ├─ Endpoint 1 ── Port 1
//              └─ …             └────┴── Watcher (../ports/watcher.h): a thread that sleeps at
//                                        the queues' descriptors
//
//   try_send  a slot of the window ──► the fabric, or, while the fabric refuses, the peer's queue
//   poll      queues ──► the fabric;  completions ──► slots are free again, packets are checked
//             (wire.h) and delivered
//
// A channel has a domain of its own, because providers have one lock a domain. An endpoint's caller
// holds the channel's lock, so domains are opened for one thread at a time (FI_THREAD_DOMAIN).
//
// Invariants
//   I1  The window (W slots a peer) holds each packet from try_send() until the fabric has
//       completed it. A send that finds no slot is refused. So a peer that does not read costs W
//       slots, whatever the provider accepts.
//   I2  Packets of a peer leave in the order of their numbers; while its queue is not empty,
//       nothing overtakes it (T2).
//   I3  A packet is delivered only with the job's key and the next number of its sender. Others are
//       dropped and counted; a gap in the numbers loses the sender.
//   I4  poll() returns false only if no send is queued, nothing has come, and the watcher is armed:
//       it calls Opening::wake when something comes (T5), and when a send or a read that was
//       refused may be tried again (T8).
//
// How a host ends (T7): the endpoint's port passes to the watcher. It sends the rest and a farewell
// to each host that it has exchanged packets with, waits for theirs, and is closed. A host that
// polls answers a farewell at once. After `longest_parting_ms` the port is closed in any case.
//
// A fabric does not tell of a dead peer: sends to it look good, or are refused for ever. A host is
// lost when a process says so (FabricFactory::lose), and when a send to it fails.
//
// libfabric.so.1 is loaded when the first transport is opened (libfabric.h): jobs of one node
// neither load nor need it.
//
// What is tested: Debian's libfabric 1.17, provider tcp;ofi_rxm, and 2.5, native tcp, over
// loopback. verbs, efa, cxi and psm3 differ in the capabilities that provider.h asks for; nothing
// has run on them yet.
//
// Thread safety: see transport.h. FabricFactory: open() one thread; lose() any.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/transport/factory.h"

namespace heddle::transport {

class FabricStations;

struct FabricOptions {
  int hosts = 0;              // of the job
  std::uint64_t key = 0;      // of the job, the same on all hosts and known to no other process
  std::string provider;       // libfabric's name of it; empty: the best that is suitable
  std::string source;         // the address to be reached at; empty: the provider chooses
  bool multi_receive = true;  // false: as if the provider had none
  int longest_parting_ms = 10'000;
};

class FabricFactory final : public Factory {
 public:
  explicit FabricFactory(FabricOptions options);
  ~FabricFactory() override;  // waits for the ports that part, if no transport is left

  // A user has named a provider of it (FI_PROVIDER), or this machine has a network for which TCP
  // would be slow. Asks for no library.
  static bool is_wanted();

  std::string_view name() const noexcept override { return "libfabric"; }
  bool reaches(const Location&, const Location&) const noexcept override { return true; }
  Error open(const Opening& opening, std::unique_ptr<Transport>* made) override;

  // From now on this host of the job is lost to the others of this process, and they to it.
  void lose(int host) noexcept;

  // How many packets were dropped because they made no sense.
  std::uint64_t dropped() const noexcept;

 private:
  const FabricOptions options_;
  const std::shared_ptr<FabricStations> stations_;  // several transports if hosts are pretended
};

}  // namespace heddle::transport
