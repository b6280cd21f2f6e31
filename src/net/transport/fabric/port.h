// port.h — one channel's place on the fabric: a domain, an endpoint, its queue of completions, the
// buffers that packets come into, and for each other host the window of packets on their way there.
//
//   packet  try_send ── kept: in the peer's queue ── accepted by the fabric ──► posted
//                    ── completed ──► free
//   read    try_read ── accepted by the fabric ── completed ──► told to its reader (reads.h)
//   buffer  posted ──► filled with packets ──► the fabric lets it go ──► posted
//
// A packet that comes is checked (wire.h) and handed on from the buffer's memory.
//
// Farewell: the last packet to a host. It is sent by part() to all hosts with which packets were
// exchanged, and as the answer to one. A host that has said farewell is not written to any more:
// packets for it are dropped.
//
// Thread safety: one thread at a time, from open() to the end.

#pragma once

#include <rdma/fi_endpoint.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/intrusive_list.h"
#include "net/transport/fabric/provider.h"
#include "net/transport/fabric/reads.h"
#include "net/transport/fabric/send_slots.h"
#include "net/transport/fabric/wire.h"
#include "net/transport/ports/losses.h"
#include "net/transport/ports/watcher.h"
#include "net/transport/transport.h"

namespace heddle::transport {

class Port final : public WatchedPort {
 public:
  using Call = LibfabricCall;

  // `window`: how many packets may be on their way to a host.
  static Error open(const Provider& provider, Losses& losses, const WireEnd& end, int window,
                    std::unique_ptr<Port>* opened);
  ~Port() override;
  Port(Port&&) = delete;

  // name() is the port's address on the fabric; connect() takes that of a host that is reached from
  // here.
  Address name() const;
  Error connect(int host, Bytes name);

  bool try_send(int to_host, Bytes head, Bytes body) noexcept;

  bool expose(Bytes memory, RemoteMemory* how) noexcept { return reads_->expose(memory, how); }
  void conceal(const RemoteMemory& memory) noexcept { reads_->conceal(memory); }
  bool try_read(const Endpoint::Read& read) noexcept;

  // What WatchedPort asks for. The descriptor is that of the queue of completions.
  bool poll(Upcall* upcall) noexcept override;
  int descriptor() const noexcept override { return descriptor_; }
  bool may_sleep() noexcept override;
  // Completions are to come, or the last send or read was refused.
  bool has_unfinished() const noexcept override { return unfinished_ > 0 || refused_; }
  void part() noexcept override;
  bool has_parted() const noexcept override;

  bool has_queued_sends() const noexcept { return !queued_.empty(); }

  // True also if this host itself is lost to the others.
  bool is_cut_off(int host) const noexcept {
    return losses_.count() != 0 && (losses_.is_lost(host) || losses_.is_lost(end_.host));
  }
  // The host is lost: nothing waits for it any more.
  void drop(int host) noexcept;
  bool is_connected(int host) const noexcept {
    return peers_[static_cast<std::size_t>(host)].address != FI_ADDR_UNSPEC;
  }

 private:
  struct Peer : ListNode<> {  // of queued_
    fi_addr_t address = FI_ADDR_UNSPEC;
    std::uint64_t next_out = 0;  // number
    WireSequence incoming;
    int in_window = 0;
    int reads = 0;                  // under way from there
    IntrusiveList<SendSlot> queue;  // not yet accepted by the fabric
    bool was_told = false;          // our farewell is under way
  };
  // With multi-receive a buffer takes many packets, else one.
  struct Buffer : Operation {
    static constexpr std::size_t kManyBytes = 256 << 10;

    Buffer() noexcept : Operation(OperationKind::kReceive) {}

    Registered memory;
    bool posted = false;
  };

  Port(const Provider& provider, Losses& losses, const WireEnd& end, int window);

  Error open_objects();
  Error open_queue();
  Error post_buffers();
  template <class Object, class Open>
  Error make(const char* what, Fid<Object>* made, Open open);

  Peer& peer(int host) noexcept { return peers_[static_cast<std::size_t>(host)]; }
  bool submit(int host, WireKind kind, Bytes head, Bytes body) noexcept;
  bool start_read(const Endpoint::Read& read) noexcept;
  enum class Posted : unsigned char { kYes, kLater, kFailed };
  Posted post(SendSlot& slot) noexcept;
  bool send_queued() noexcept;
  void finished(SendSlot& slot) noexcept;
  Reader& finished(ReadOperation& read) noexcept;
  void say_farewell(int host) noexcept;

  bool post(Buffer& buffer) noexcept;
  void let_go(Buffer& buffer) noexcept;
  bool post_idle_buffers() noexcept;
  void complete(const fi_cq_data_entry& entry, Upcall* upcall) noexcept;
  void fail() noexcept;
  void receive(Bytes came, Upcall* upcall) noexcept;
  void deliver(const WireHead& head, Bytes payload, Upcall* upcall) noexcept;

  const Provider& provider_;
  Losses& losses_;
  const WireEnd end_;
  const int window_;

  // In this order: each of these needs those before it, and is closed before them; the endpoint
  // last opened, first closed, because it uses the memory.
  Fid<fid_domain> domain_;
  std::unique_ptr<SendSlots> slots_;
  std::unique_ptr<Reads> reads_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  Fid<fid_av> addresses_;
  Fid<fid_cq> queue_;
  Fid<fid_ep> endpoint_;
  int descriptor_ = -1;

  std::vector<Peer> peers_;     // by host
  IntrusiveList<Peer> queued_;  // whose queue is not empty
  std::vector<Buffer*> idle_;   // that could not be posted
  std::vector<std::byte> aligned_;
  int unfinished_ = 0;    // slots in use, and reads under way
  bool refused_ = false;  // what was asked for last
};

}  // namespace heddle::transport
