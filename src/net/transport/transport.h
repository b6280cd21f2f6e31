// transport.h — the seam between a host and a network: packets to other hosts, and nothing about
// what they mean. README.md says how to add one.
//
//   host 0                                        host 1
//   Transport ─┬─ Endpoint 0  ◄───────────────►  Endpoint 0 ─┬─ Transport
//              ├─ Endpoint 1  ◄───────────────►  Endpoint 1 ─┤
//              └─ …                               …          ┘
//
// An endpoint talks with the endpoints of its own number on other hosts; endpoints share nothing,
// so several threads use several endpoints without meeting. A packet is one virtual call.
//
//   life of a transport    called by
//   ---------------------  ------------------------------------------------------------------------
//   opened                 its factory (factory.h), on every host of the job
//   address()              WireUp (runtime/ways/transports.h); a launcher carries it to the other hosts
//   connect(host, …)       WireUp, once for each host that this transport leads to
//   open(channel, …)       net/channel; after every host has connected
//   try_send(), poll()     net/channel, until the endpoint is destroyed
//
// What a transport promises
//   T1  A packet that try_send() has accepted arrives once, whole and unchanged, unless its host
//       is lost or has ended.
//   T2  Packets from one endpoint to one host arrive in the order in which they were accepted.
//       Nothing else about order: not between endpoints, not between packets of different hosts.
//   T3  A packet that was refused may be tried again. It is accepted in the end, if both ends are
//       polled.
//   T4  Packets for an endpoint arrive inside its poll() and nowhere else.
//   T5  After a packet has come the transport calls Opening::wake, itself or by a thread that
//       watches its file descriptor. Then a sleeping worker polls.
//   T6  Each endpoint reports the loss of a host once, inside its poll(). After that no packet of
//       this host comes, and packets for it are accepted and thrown away.
//   T7  A host that destroys an endpoint has ended and is not lost: no loss is reported. What it
//       has sent by the endpoint still arrives; packets for it are accepted and thrown away.
//   T8  With Traits::tells_of_room: after a refusal it also calls Opening::wake once there may be
//       room for the packet. Then a sleeping thread tries it again.
//   T9  With Traits::read_bytes: what was read is there, and unchanged, when Reader::came is
//       called, once, inside poll(); it never is if the host is lost, or once the endpoint is
//       destroyed: from then on nothing is written either. While memory is exposed, any host of
//       the job may read it, and no other process.
//   T10 A transport may ask, by Upcall::on_begin, where the payload of a long packet goes, and
//       write it there. Then Reader::came is called in place of on_packet, under the same promises.
//   T11 With Traits::wakes_hosts: the hosts can share memory. wake_host() makes a thread of another
//       host poll that sleeps because it has found nothing; if the caller has written there by a
//       seq_cst store before, the other's last look or a later one finds that.
//
// T2 is required. Every protocol above relies on it. If a network may reorder packets, its
// transport numbers and sorts them: only the transport knows how far apart they may be.
//
// Thread safety: an endpoint is used by one thread at a time (net/channel sees to that); different
// ones at once. Transport: one thread until all hosts are connected, then constant.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"

namespace heddle::transport {

using Bytes = std::span<const std::byte>;

// How other hosts reach this one. Only transports of the same kind can read it. At most 1 KiB, so
// that any launcher can carry it.
using Address = std::vector<std::byte>;

// What a transport gets from its host.
struct Opening {
  int host = 0;      // its own number in the job
  int channels = 1;  // how many endpoints there will be, the same on all hosts
  // See T5. Any thread, also one that holds locks of the transport that poll() does not take.
  void (*wake)() noexcept = []() noexcept {};
};

struct Traits {
  std::size_t packet_bytes = 0;  // of the largest packet
  bool tells_of_room = false;    // see T8
  std::size_t read_bytes =
      0;  // the most that one try_read() reads; 0: hosts cannot read each other's memory
  bool lands_payloads = false;  // see T10
  bool wakes_hosts = false;     // see T11
};

// Memory that another host has exposed, as that host tells it in a packet.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint64_t key = 0;  // 0: none

  explicit operator bool() const noexcept { return key != 0; }
};

// Whatever waits for bytes in a place of its own.
class Reader {
 public:
  // `bytes` bytes, those of one try_read() or of a Landing, are there. May send.
  virtual void came(std::size_t bytes) noexcept = 0;

 protected:
  ~Reader() = default;
};

// Where the payload of a packet goes that has come in part. Without a reader: nowhere, and it is
// delivered whole.
struct Landing {
  std::span<std::byte> into;  // for all of the packet but at most its first Upcall::kBegin bytes
  Reader* reader = nullptr;   // told once, when all are there
};

// The layer above, which packets are delivered to. Nothing here switches.
class Upcall {
 public:
  // A packet of `bytes` bytes has begun to come: at least its first kBegin bytes are there, and no
  // packet that the host has sent by this endpoint later will be delivered before it. See T10.
  // Asked again, until it is answered by a reader or the packet is whole.
  static constexpr std::size_t kBegin = 64;
  virtual Landing on_begin(int /*channel*/, int /*from_host*/, Bytes /*begin*/,
                           std::size_t /*bytes*/) noexcept {
    return {};
  }

  // The packet's memory is the transport's again when this returns. May send, also on this
  // endpoint.
  virtual void on_packet(int channel, int from_host, Bytes packet) noexcept = 0;

  // See T6.
  virtual void on_lost(int channel, int host) noexcept = 0;

 protected:
  ~Upcall() = default;
};

// What an endpoint was given, and what it has handed on: packets, and pieces that are read. What is
// thrown away (T6, T7) counts as given. Two numbers that are equal say that nothing is under way,
// if they are those of all hosts at one moment.
struct Traffic {
  std::uint64_t given = 0, handled = 0;

  Traffic& operator+=(const Traffic& other) noexcept {
    given += other.given;
    handled += other.handled;
    return *this;
  }
  Traffic& operator-=(const Traffic& other) noexcept {
    given -= other.given;
    handled -= other.handled;
    return *this;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Sends head and body as one packet; both may be used again when this returns. False: full,
  // later. Requires that together they are no longer than Traits::packet_bytes.
  virtual bool try_send(int to_host, Bytes head, Bytes body) noexcept = 0;

  // Delivers some of the packets that have come. True if there were any, or if packets have come
  // that only more polling will deliver.
  virtual bool poll() noexcept = 0;

  // ---- with Traits::read_bytes (T9)

  // Lets other hosts read this memory, until conceal(). False: it cannot be exposed now.
  virtual bool expose(Bytes, RemoteMemory*) noexcept { return false; }
  virtual void conceal(const RemoteMemory&) noexcept {}

  // Reads from the place `offset` of another host's memory. False: full, later. Requires at most
  // Traits::read_bytes.
  struct Read {
    int from_host;
    RemoteMemory memory;
    std::size_t offset;
    std::span<std::byte> into;
    Reader* reader;
  };
  virtual bool try_read(const Read&) noexcept { return false; }

  // ---- what the layers above call: try_send() and try_read() with a count of what was accepted;
  // and a count of each packet that was delivered, and of each Reader::came.
  bool send(int to_host, Bytes head, Bytes body) noexcept {
    return try_send(to_host, head, body) && count(given_);
  }
  bool read(const Read& what) noexcept { return try_read(what) && count(given_); }
  void count_handled() noexcept { count(handled_); }

  // Any thread. Exact while no thread uses the endpoint.
  Traffic traffic() const noexcept {
    return {given_.load(std::memory_order_relaxed), handled_.load(std::memory_order_relaxed)};
  }

 private:
  // One thread at a time counts, so this is no read-modify-write.
  static bool count(std::atomic<std::uint64_t>& number) noexcept {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return true;
  }

  std::atomic<std::uint64_t> given_{0}, handled_{0};
};

class Transport {
 public:
  virtual ~Transport() = default;

  int host() const noexcept { return opening_.host; }
  int channels() const noexcept { return opening_.channels; }

  virtual Traits traits() const noexcept = 0;

  virtual Address address() const = 0;

  // Makes another host reachable. Fails if the address cannot be read, or leads nowhere.
  virtual Error connect(int host, Bytes address) = 0;

  // The endpoint of this number, once.
  virtual std::unique_ptr<Endpoint> open(int channel, Upcall& upcall) = 0;

  // See T11. Any thread, once all hosts are connected.
  virtual void wake_host(int /*host*/) const noexcept {}

  // Readable when poll() has something to do, so that a thread may sleep on it; -1: there is none,
  // and the transport calls Opening::wake by itself. Nothing sleeps on one yet.
  virtual int descriptor() const noexcept { return -1; }

 protected:
  explicit Transport(const Opening& opening) noexcept : opening_(opening) {}
  const Opening& opening() const noexcept { return opening_; }

 private:
  const Opening opening_;
};

}  // namespace heddle::transport
