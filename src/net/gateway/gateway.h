// gateway.h — a host's way to the other hosts of its job: its transports and channels, and which
// module receives which packets.
//
//   modules ──► by_host()[host] ──► a channel ~~~► other hosts
//   modules ◄── kind_table.h ◄── on_packet ◄── its poll
//
//   life              by                      then
//   ----------------  ----------------------  -----------------------------------------------------
//   made              runtime                 packets may be sent; none is delivered
//   add(receiver) …   runtime, once a module  the module has said which kinds it takes (receive)
//   open()            runtime                 packets are delivered, on any strand that polls
//   send_rest()       runtime, in MPI_Finalize
//                     of a process            no packet waits to be sent
//   destroyed         with the Host           none is delivered; receivers end, the last one first;
//                                             then the channels, with what waits in them
//
// A packet from a host or channel that does not exist, of a kind that no module receives, or that
// makes no sense to its receiver is dropped and counted: other hosts are not trusted to send sense.
//
// What a receiver's function may do: it has the channel's lock and no other. It may send, also by
// this channel, match, copy and wake. It may not switch, and must not use Rank::current(), which
// may be any rank.
//
// Thread safety: one thread until open() is called; then any thread.

#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "net/channel/channels.h"
#include "net/gateway/awaited_words.h"
#include "net/gateway/kind_table.h"
#include "net/gateway/kinds.h"
#include "net/gateway/receiver.h"
#include "net/transport/routes.h"
#include "net/world/host.h"

namespace heddle::gateway {

// One transport, as all hosts use it that it leads to.
struct Route {
  Route(std::unique_ptr<transport::Transport> its_transport, transport::Upcall& upcall)
      : transport(std::move(its_transport)), channels(*transport, upcall) {}

  const std::unique_ptr<transport::Transport> transport;
  channel::Channels channels;
};

class Gateway final : public world::Gateway, public transport::Upcall {
 public:
  explicit Gateway(transport::Routes routes);
  ~Gateway() override;

  // That of the calling rank's host, which is one of several.
  static Gateway& here() noexcept { return static_cast<Gateway&>(*world::here().host->gateway()); }

  // ---- before it is open
  template <class Own>
  Own& add(std::unique_ptr<Own> receiver) noexcept {
    Own& own = *receiver;
    assert(at(Own::kModule) == nullptr);
    at(Own::kModule) = std::move(receiver);
    return own;
  }
  template <auto kHandle, auto kBegin = nullptr, class Own>
  void receive(PacketKind kind, Own& receiver) noexcept {
    assert(kind >> 4 == static_cast<int>(Own::kModule));
    kinds_.set<kHandle, kBegin>(kind, receiver);
  }
  void open() noexcept;

  // Sends all packets that still wait to be sent, and delivers what comes meanwhile: for a host
  // that will not poll any more. Once it is open.
  void send_rest() noexcept;

  // ---- what modules use
  template <class Own>
  Own& find() const noexcept {
    return static_cast<Own&>(*receivers_[static_cast<std::size_t>(Own::kModule)]);
  }
  const std::vector<std::unique_ptr<Route>>& routes() const noexcept { return routes_; }
  // The route to each host; nullptr: it is this host.
  const std::vector<Route*>& by_host() const noexcept { return by_host_; }

  // Where strands of this host wait for words that processes of the node share.
  AwaitedWords& words() noexcept { return words_; }

  // Adds up what all channels have given and handled, without what receivers do not count. For a
  // thread that knows that no other one uses them (deadlock.h). False: packets wait there to be
  // sent.
  bool all_sent(transport::Traffic* sum) const noexcept;

  // ---- the transports
  void on_packet(int channel, int from_host, transport::Bytes packet) noexcept override;
  // The module counts what it has taken so (Channels::count_handled).
  transport::Landing on_begin(int channel, int from_host, transport::Bytes begin,
                              std::size_t bytes) noexcept override;
  void on_lost(int channel, int host) noexcept override;

  // For tests.
  int dropped_packets() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  bool has_way(int channel, int host) const noexcept;
  std::unique_ptr<Receiver>& at(Module module) noexcept {
    return receivers_[static_cast<std::size_t>(module)];
  }

  KindTable kinds_;
  std::vector<Route*> by_host_;
  std::vector<std::unique_ptr<Route>> routes_;
  std::unique_ptr<Receiver> receivers_[static_cast<std::size_t>(Module::kCount)];
  AwaitedWords words_;
  bool open_ = false;
  std::atomic<int> dropped_{0};
};

}  // namespace heddle::gateway
