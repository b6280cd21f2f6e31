// channel.h — one independent way to other hosts: an endpoint of the transport, the packets that
// wait for it, and a lock for which no thread waits.
//
//   sender ── lock free ─────────► endpoint                        the usual way: nothing is copied
//     │                              ▲
//     └─ locked, or others wait ─► inbox ─► kept_ (in order), free_ (in turns)
//                                    └── the holder, or the next one         ──┘
//
// A sender that finds the channel locked leaves its packet in the inbox and a note in the lock, so
// the holder sends it before it lets go. A packet that the endpoint refuses waits for the next
// poll.
//
// Invariants (with the lock)
//   I1  All packets in kept_ were put before those in the inbox, and leave before them.
//   I2  A packet goes straight to the endpoint only while inbox and kept_ are empty. So packets of
//       kept order leave in the order of their calls, where those are ordered: a call that comes
//       after another (in its thread, or by synchronization) finds the other's packet sent or kept.
//   I3  A thread may leave something behind that only polling can advance. Then it wakes a sleeper
//       to poll, unless it polls itself and has found no note. With a note it must wake one even
//       so: the thread that left the note may be asleep and rely on this one, and this one may have
//       looked at a few channels only.
//   I4  What the endpoint has refused for a while needs no polling if its transport tells of room
//       (T8): it is the transport that wakes a sleeper then. So a thread that waits for room polls
//       for a moment, and sleeps.
//
// models/channel.pml checks in every schedule that each packet left behind has a thread that will
// send it, where the transport does not tell of room.
//
// The lock is held while the endpoint delivers packets, and so across copies of a packet's size.
// No thread waits for the lock. A thread that delivers packets may send: it finds the lock held (by
// itself) and leaves a note, which it sees when it unlocks.
//
// Thread safety: any thread, unless it says otherwise. Nothing switches. A caller may have to
// deliver packets, so it must hold no lock that an Upcall takes.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/inbox.h"
#include "base/platform/cpu.h"
#include "net/channel/channel_lock.h"
#include "net/channel/outbound.h"
#include "net/transport/transport.h"

namespace heddle::channel {

class alignas(platform::kCacheLine) Channel {
 public:
  Channel(int number, transport::Transport& transport, transport::Upcall& upcall);
  ~Channel();  // when no thread uses it; drops packets that wait

  // Returns true if the packet has left. If false, nothing was done, and the caller must call put()
  // at once.
  [[nodiscard]] bool send_now(int to_host, transport::Bytes head, transport::Bytes body) noexcept;

  // Takes the packet over and sends it when it can.
  void put(Outbound& outbound) noexcept;

  // Sends the packets that wait and delivers those that have come, if the lock is free. Returns
  // true if there were any, or some still wait that need more polling (I4).
  bool advance() noexcept;
  // Does what advance() does, or, if the lock is held, has its holder do so once more.
  bool advance_surely() noexcept;

  // The layer above calls it for each packet that it was handed by this channel, with the lock.
  void count_handled() noexcept { endpoint_->count_handled(); }
  // For a thread that knows that no other one uses the channel, and what all have done there
  // (deadlock.h).
  transport::Traffic traffic() const noexcept { return endpoint_->traffic(); }

  // There was something to do at the last look, or some packets wait. To others than the last one
  // that looked: a hint. Exact where each thread has looked thoroughly after its last use, and no
  // thread uses it: then some packets wait.
  bool busy() const noexcept { return busy_.load(std::memory_order_relaxed); }

 private:
  // Requires the lock.
  bool work() noexcept;
  bool send_waiting() noexcept;
  bool send_kept() noexcept;
  bool send_free() noexcept;
  void take_inbox() noexcept;
  bool waiting() noexcept { return !kept_.empty() || !free_.empty(); }
  bool needs_polls() noexcept;
  // For a caller that polls and has the lock (I3).
  bool look() noexcept;
  struct Left {
    bool more;        // something is left that only polling can advance
    bool counted_on;  // a thread has left a note, and may sleep now
  };
  [[nodiscard]] Left unlock() noexcept;
  // Unlocks for a caller that will not poll: then another thread must.
  void unlock_and_leave() noexcept;

  void set_busy(bool busy) noexcept {
    if (busy_.load(std::memory_order_relaxed) != busy) {
      busy_.store(busy, std::memory_order_relaxed);
    }
  }

  // Lock: guards the rest: the endpoint of a channel, and what waits there; held across delivery of
  // packets, and so everything that an arrival does; no thread waits for it: one that does not get
  // it leaves a note.
  ChannelLock lock_;
  std::atomic<bool> busy_{false};

  const bool told_of_room_;

  // Guarded by lock_.
  std::unique_ptr<transport::Endpoint> endpoint_;
  std::int64_t refused_since_ns_ = 0;  // all that waits; 0: something of it was not
  bool patient_ = false;               // room is polled for, since then
  bool patience_pays_ = true;          // it has not been for nothing last time
  unsigned refusals_ = 0;
  IntrusiveList<Outbound> kept_;
  IntrusiveList<Outbound> free_;
  std::vector<std::byte> scratch_;

  Inbox inbox_;  // any thread pushes, the holder takes
};

}  // namespace heddle::channel
