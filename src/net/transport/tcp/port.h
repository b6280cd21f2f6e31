// port.h — one channel's place on the network: its door, and a stream to each other host that it
// talks with.
//
//   stream     away ──► connecting ──► greeting ──► up ──► over
//                 └───► knocking ───► knocked ──────┘
//
// A host that computes looks at no door for as long as it likes. So a guest waits for its answer,
// and a knock for its being heard, without an end; only where the other host has several addresses,
// and one of them may be a stranger's, the next one is tried after some time. A host is lost where
// for some time nothing can be connected to.
//
// The one of two hosts with the lower number connects, when it has something to say or when the
// other one has knocked at its door. So there is one stream for two hosts, and never a choice
// between two.
//
// A frame (frame.h) goes to the kernel from where it lies; what the kernel does not take is copied
// and follows when there is room. What is read goes from memory to memory, by the kernel's two
// copies, and so does the payload of a long packet whose end is still to come (T10). All other
// frames are checked, and handed on from one buffer, which holds many of them.
//
// A stream that ends without a farewell is a host that has died, or a network that has failed.
// Those that watch over the job's hosts say it better than we can, so the host is lost only when
// they have had some time to.
//
// Thread safety: one thread at a time, from open() to the end.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/intrusive_list.h"
#include "net/door/door.h"
#include "net/transport/ports/call.h"
#include "net/transport/ports/losses.h"
#include "net/transport/ports/watcher.h"
#include "net/transport/tcp/frame.h"
#include "net/transport/tcp/memories.h"
#include "net/transport/tcp/out_queue.h"
#include "net/transport/transport.h"

namespace heddle::transport {

// Where a port of another host is.
struct TcpPlace {
  std::vector<door::Ip> addresses;
  std::uint16_t port = 0;
};

struct TcpEnd {
  const door::Secret* secret = nullptr;  // outlives the port
  std::string node;                      // the name of this machine
  int host = 0, hosts = 0, channel = 0;
  int longest_greeting_ms = 0, longest_try_ms = 0;
};

class TcpPort final : public WatchedPort, private door::Door::Owner {
 public:
  using Call = NetworkCall;

  static constexpr FrameLimits kLimits = {.packet_bytes = (64 << 10) + 64, .read_bytes = 1 << 20};

  static Error open(Losses& losses, TcpEnd end, std::span<const door::Ip> own,
                    std::unique_ptr<TcpPort>* opened);
  ~TcpPort() override;

  std::uint16_t number() const noexcept { return door_.port(); }
  void connect(int host, TcpPlace place) { peer(host).place = std::move(place); }

  bool try_send(int to_host, Bytes head, Bytes body) noexcept;
  bool expose(Bytes memory, RemoteMemory* how) noexcept { return memories_.expose(memory, how); }
  void conceal(const RemoteMemory& memory) noexcept;
  bool try_read(const Endpoint::Read& read) noexcept;

  // What WatchedPort asks for.
  bool poll(Upcall* upcall) noexcept override;
  int descriptor() const noexcept override { return poller_; }
  bool may_sleep() noexcept override;
  bool has_unfinished() const noexcept override { return !unsettled_.empty(); }
  void part() noexcept override;
  bool has_parted() const noexcept override;

  bool has_queued_sends() const noexcept { return !unsettled_.empty(); }
  bool is_cut_off(int host) const noexcept {
    return losses_.count() != 0 && (losses_.is_lost(host) || losses_.is_lost(end_.host));
  }
  void drop(int host) noexcept { drop(peer(host)); }
  bool is_connected(int host) const noexcept {
    return peers_[static_cast<std::size_t>(host)].place.port != 0;
  }

 private:
  enum class State : unsigned char {
    kAway,
    kConnecting,
    kGreeting,
    kKnocking,
    kKnocked,
    kUp,
    kOver
  };
  // Bytes that go to a place of their own: an answer that was asked for, or the payload of a packet
  // (T10).
  struct Due {
    std::span<std::byte> into;
    Reader* reader;       // null: it is gone, and the bytes are thrown away
    std::size_t padding;  // behind them, in the stream
  };
  struct Peer : ListNode<> {  // of unsettled_
    TcpPlace place;           // port 0: it cannot be reached
    State state = State::kAway;
    bool wants_room = false;  // the kernel is to tell of it
    bool said_farewell = false, has_ended = false;
    std::uint8_t next_address = 0;
    int host = -1, descriptor = -1;
    std::int64_t since_ns = 0;  // of the state, while it is unsettled
    std::int64_t failing_since_ns = 0;
    std::unique_ptr<door::Greeting> greeting;
    OutQueue queue;
    std::vector<Due> due;  // in the order in which they come
    std::size_t due_bytes = 0;
    // The frame that has come in part: the rest of what is due first, or the frame's begin.
    std::size_t due_left = 0, padding_left = 0;
    std::vector<std::byte> part;
    bool sends_long = false;  // the last frame was
  };

  TcpPort(Losses& losses, TcpEnd end);
  Peer& peer(int host) noexcept { return peers_[static_cast<std::size_t>(host)]; }

  // Streams (streams.cpp).
  void ask_for(Peer& peer) noexcept;
  void begin(Peer& peer, State state) noexcept;
  void settle(Peer& peer, State state) noexcept;
  void go_on(Peer& peer) noexcept;
  void greet(Peer& peer) noexcept;
  void come_up(Peer& peer, int descriptor) noexcept;
  void try_again(Peer& peer) noexcept;
  void try_next_address(Peer& peer) noexcept;
  bool look_at_unsettled() noexcept;
  void break_off(Peer& peer) noexcept;
  void close_stream(Peer& peer) noexcept;
  void drop(Peer& peer) noexcept;
  bool watch_for(Peer& peer, std::uint32_t events, bool anew) noexcept;
  void say_farewell(Peer& peer) noexcept;
  void on_guest(int descriptor, int host, const char* node) noexcept override;
  void on_knock(int host) noexcept override;

  // Out.
  void submit(Peer& peer, FrameKind kind, Bytes head, Bytes body) noexcept;
  void flush(Peer& peer) noexcept;

  // In.
  bool hear(Peer& peer, Upcall* upcall) noexcept;
  bool look_at_all(Upcall* upcall) noexcept;
  std::size_t room_for(const Peer& peer) const noexcept;
  // What is in the buffer and not taken yet.
  struct Input {
    std::size_t begin = 0, have = 0;
  };
  enum class Came : unsigned char { kNothing, kSome, kAll, kOver };  // kAll: the kernel has no more
  enum class Taken : unsigned char { kNone, kSome, kNonsense };
  Came receive(Peer& peer, Input* input) noexcept;
  Taken take_some(Peer& peer, Input* input, Upcall* upcall) noexcept;
  void take_due(Peer& peer, std::size_t bytes) noexcept;
  std::size_t begin_due(Peer& peer, Bytes there) noexcept;
  void skip_due(Peer& peer) noexcept;
  void forget_readers(Peer& peer) noexcept;
  bool land(Peer& peer, const FrameHead& head, Bytes there, Upcall* upcall,
            std::size_t* used) noexcept;
  bool take_frame(Peer& peer, const FrameHead& head, Bytes payload, Upcall* upcall) noexcept;
  bool take_read(Peer& peer, Bytes payload) noexcept;

  Losses& losses_;
  const TcpEnd end_;
  int poller_ = -1;  // epoll
  door::Door door_;
  std::vector<Peer> peers_;  // by host
  IntrusiveList<Peer> unsettled_;
  Peer* hot_ = nullptr;  // the one heard of last
  unsigned looks_ = 0;
  bool parting_ = false;
  ExposedMemories memories_;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* buffer_ = nullptr;  // aligned
};

}  // namespace heddle::transport
