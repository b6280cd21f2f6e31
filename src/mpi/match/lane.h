// lane.h — a lane: the queues of one peer at one rank, with locks of their own; and the match
// context: what the lanes of one communicator's plane share, receives with a wildcard above all.
//
//   ContextLane ─────────── receives and probes with MPI_ANY_SOURCE or MPI_ANY_TAG
//     ├─ busy / news ─────► lanes that may have unexpected messages
//     └─ lanes ─┬─ rank 0, share 3   receives from rank 0, its unexpected messages, of some tags
//               ├─ rank 0, share 6   … of other tags: threads that use them meet no lock
//               ├─ rank 7, share 3
//               └─ …                 only for what there is traffic with
//
// Both are plain data for the protocol of matcher.h; what needs a lock is in held.h. Their memory
// is never given back while the matcher lives: what is no longer used serves another (match
// context, peer), so a stale pointer finds a lane in any case and, with its lock, whether it is the
// right one.
//
// Thread safety: each field names its guard.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/inbox.h"
#include "base/intrusive_list.h"
#include "base/platform/clock.h"
#include "base/platform/cpu.h"
#include "base/spin_lock.h"
#include "mpi/match/eager_ring.h"
#include "mpi/match/posted_queue.h"
#include "mpi/match/tag_shares.h"
#include "mpi/match/unexpected_queue.h"

namespace heddle::match {

struct ContextLane;
class LaneHeld;

// A strand that waits for a message to arrive without receiving it: MPI_Probe. It is taken off the
// list and told once, by the first message that fits.
class Watcher : public ListNode<> {
 public:
  explicit Watcher(const Pattern& pattern) noexcept : wanted(pattern) {}
  virtual void arrived() noexcept = 0;  // with locks held: must not block

  const Pattern wanted;

 protected:
  ~Watcher() = default;
};

// Memory of messages that have been received, for messages to come: of three sizes, so that a peer
// that is heard of once, and a flood of small ones, need little. Last in, first out, linked by
// next_key.
class Spares {
 public:
  // Messages of at most this many bytes get memory of the smallest size, of the next one.
  static constexpr MPI_Count kTiny = 16, kSmall = 256;

  void push(UnexpectedMessage& message) noexcept {
    UnexpectedMessage*& next = next_[size_for(message.bytes)];
    message.next_key = next;
    next = &message;
  }
  // The one that pop() would take for a message of `bytes` bytes, or nullptr.
  UnexpectedMessage* next(MPI_Count bytes) const noexcept { return next_[size_for(bytes)]; }
  UnexpectedMessage* pop(MPI_Count bytes) noexcept {
    UnexpectedMessage*& next = next_[size_for(bytes)];
    UnexpectedMessage* const taken = next;
    if (taken != nullptr) next = static_cast<UnexpectedMessage*>(taken->next_key);
    return taken;
  }
  // Exchanges what the two have for messages of `bytes` bytes.
  void swap(Spares& other, MPI_Count bytes) noexcept {
    std::swap(next_[size_for(bytes)], other.next_[size_for(bytes)]);
  }
  // Takes memory of any size; nullptr if there is none.
  UnexpectedMessage* pop_any() noexcept {
    for (UnexpectedMessage*& next : next_) {
      if (next != nullptr)
        return std::exchange(next, static_cast<UnexpectedMessage*>(next->next_key));
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t size_for(MPI_Count bytes) noexcept {
    return std::size_t{bytes > kTiny} + std::size_t{bytes > kSmall};
  }

  std::array<UnexpectedMessage*, 3> next_{};
};

// What becomes of ring messages (eager_ring.h). With the lane's lock; must not block.
class Deliverer {
 public:
  // Delivers to a receive that was posted, and completes it.
  virtual void deliver(PostedReceive& receive, const Key& key, const EagerSlot& slot) noexcept = 0;
  // A copy, to be kept.
  virtual UnexpectedMessage& copy(const LaneHeld& lane, const Key& key,
                                  const EagerSlot& slot) noexcept = 0;
  // Frees the memory of a message that no lane keeps any more. Without a lane's lock.
  virtual void discard(UnexpectedMessage& spare) noexcept = 0;

 protected:
  ~Deliverer() = default;
};

// A lane's lock, or its stock's. The matcher passes locked lanes from function to function, which
// clang's analysis of locks (base/thread_annotations.h) cannot follow: so it is told nothing of
// these. The types of held.h say which one is held.
class PassedLock {
 public:
  void lock() noexcept NO_THREAD_SAFETY_ANALYSIS { lock_.lock(); }
  void lock_giving_way() noexcept NO_THREAD_SAFETY_ANALYSIS { lock_.lock_giving_way(); }
  bool try_lock() noexcept NO_THREAD_SAFETY_ANALYSIS { return lock_.try_lock(); }
  void unlock() noexcept NO_THREAD_SAFETY_ANALYSIS { lock_.unlock(); }

 private:
  SpinLock lock_;
};

// The receivers' side of a lane: messages that they have taken over from the senders, and memory
// that they have emptied. As long as it has what they want they leave the senders' lines alone.
struct alignas(platform::kCacheLine) Stock {
  // Lock: guards what is not said otherwise: what receivers have taken over of a lane's waiting
  // messages; held across sorting of these messages, never a copy over a few cache lines or a
  // switch; taken after the lane's, or alone.
  PassedLock lock;
  // How many receives met their message while a strand spun for it, one after the other, up to
  // kSpunOften. Without the lock. relaxed: a lost count does no harm.
  std::atomic<std::uint8_t> spun{0};
  std::uint64_t last_order = 0;  // of the receives that have taken from here
  std::uint64_t deliveries = 0;  // how often it has grown; changed with the lane's lock, too
  UnexpectedQueue messages;
  Spares used;
};

struct BusyLanes;  // tag of the list of those of a match context that have messages

struct alignas(platform::kCacheLine) Lane : InboxNode, ListNode<BusyLanes> {
  bool serves(MatchContext wanted_context, Peer wanted_peer) const noexcept {
    // relaxed: for certainty the caller has the lock or the stock's; they change under both.
    return id.load(std::memory_order_relaxed) == wanted_context &&
           peer.load(std::memory_order_relaxed) == wanted_peer;
  }
  int source() const noexcept { return source_of(peer.load(std::memory_order_relaxed)); }

  // The time at which a message has come, for UnexpectedMessage::kept_at. Every strand that has
  // found a sibling gets a time.
  std::int64_t time_of_message() const noexcept {
    return has_siblings.load(std::memory_order_relaxed) ? platform::now_ns() : 0;
  }

  // The key of its messages with this tag, and of receives in it.
  Key key_of(int tag) const noexcept { return {id.load(std::memory_order_relaxed), source(), tag}; }

  // What a pattern with a wildcard asks of this lane.
  Pattern narrowed(const Pattern& wanted) const noexcept {
    return {wanted.context, source(), wanted.tag};
  }

  // Whether the stock has messages. With the lane's lock false is certain and stays so, but true
  // may end at any time, since receivers take the last one without it: ask once. Without the lock
  // it is a guess.
  bool stocked() const noexcept { return has_stock.load(std::memory_order_relaxed); }

  // With the links above a cache line that all cores read and that is hardly ever written, so that
  // to look a lane up, and to pass by one on the way, does not wait.
  std::atomic<Peer> peer{0};           // kAnyPeer: this is a ContextLane
  std::atomic<MatchContext> id{0};     // 0: serves none
  std::atomic<Lane*> chain{nullptr};   // the directory's: written with its lock, read without
  std::atomic<bool> has_stock{false};  // set with both locks, cleared with the stock's
  // Lanes of the same source: messages need a time. Set with the lock before another can be found.
  std::atomic<bool> has_siblings{false};
  // The ring, while it is open; see there for its guards.
  std::atomic<EagerRing*> open_ring{nullptr};

  // In the lock's line is what a message for a posted receive touches.
  // Lock: guards what is not said otherwise: what one rank has posted for and received from one
  // peer of a communicator with some of the tags, or, of a ContextLane, a communicator's receives
  // with wildcards; held across a sender's copy of up to 1 KiB, the stock's and the ring's lock,
  // delivery of ring messages, now and then a sender's sorting or memory for a ring or for a
  // message of it that is kept, never a switch; a ContextLane's is taken before a lane's, by
  // arrivals only while such a receive may want their tag.
  alignas(platform::kCacheLine) PassedLock lock;
  bool listed = false;       // in the match context's news or busy
  bool sorts_early = false;  // see pile()
  std::uint32_t fresh_count = 0;
  ContextLane* context = nullptr;  // set with id
  MessageRing fresh;               // what no receiver has seen
  PostedQueue posted;

  IntrusiveList<Watcher> watchers;
  Spares spares;    // the senders'
  Spares returned;  // by receives: were it `spares`, both sides would write the same message
  std::unique_ptr<EagerRing> ring;  // made when it is first opened
  Lane* next_of_context = nullptr;  // guarded by the directory's lock
  // The number of its last receive when the directory last looked for silent lanes.
  std::uint64_t order_then = kNotLookedAt;
  static constexpr std::uint64_t kNotLookedAt = ~std::uint64_t{0};

  Stock stock;

  // Called for a guess, or with the lane's lock.
  bool ring_is_open() const noexcept {
    return open_ring.load(std::memory_order_relaxed) != nullptr;
  }
  bool may_open_ring() const noexcept {
    return stock.spun.load(std::memory_order_relaxed) >= kSpunOften;
  }
  void count_spin() noexcept {
    const std::uint8_t before = stock.spun.load(std::memory_order_relaxed);
    if (before < kSpunOften) {
      stock.spun.store(static_cast<std::uint8_t>(before + 1), std::memory_order_relaxed);
    }
  }
  void forget_spins() noexcept {
    if (stock.spun.load(std::memory_order_relaxed) != 0)
      stock.spun.store(0, std::memory_order_relaxed);
  }
#if defined(HEDDLE_FORCED_YIELDS)
  static constexpr std::uint8_t kSpunOften = 0;  // so that tests meet it
#else
  static constexpr std::uint8_t kSpunOften = 4;
#endif

  // A sender that is this many messages ahead moves them to the stock, sorted: it has them at hand,
  // and a receiver that wants another one than the first would have to sort them all. If a receiver
  // has lately sorted, the number is small; else it is large, so that streams do not pay for it.
  // With forced yields it is smaller still, so that tests meet it. A power of two.
  std::uint32_t pile() const noexcept {
#if defined(HEDDLE_FORCED_YIELDS)
    return sorts_early ? 2 : 8;
#else
    return sorts_early ? 16 : 512;
#endif
  }
};
static_assert(sizeof(Lane) / platform::kCacheLine == 6);

// As a Lane it holds the receives with a wildcard, and no messages. Its lock is taken before a
// lane's, and its queue numbers those receives: `epoch` is the number of the last one.
struct ContextLane : Lane {
  // True if a receive or a probe with a wildcard may want this tag. For certain with a lane's lock.
  bool awaits(int tag) const noexcept {
    // acquire is not needed for itself: see "the handshake" in matcher.h.
    return (awaited.load(std::memory_order_relaxed) & bit_of(tag)) != 0;
  }

  static std::uint64_t bit_of(int tag) noexcept { return std::uint64_t{1} << hash_of(tag); }

  // Read by every arrival, written when a receive or probe with a wildcard begins or ends to wait.
  alignas(platform::kCacheLine) std::atomic<std::uint64_t> awaited{0};
  std::atomic<std::uint64_t> epoch{0};

  Inbox news;                           // lanes that got a message; any strand pushes
  IntrusiveList<Lane, BusyLanes> busy;  // taken from news
  Lane* lanes = nullptr;           // linked by next_of_context; guarded by the directory's lock
  std::uint64_t awaited_tags = 0;  // places whose count in `waiting` is not 0
  std::uint32_t waiting_for_any_tag = 0;
  Deliverer* deliverer = nullptr;  // nullptr: its lanes open no ring
  std::array<std::uint32_t, 64> waiting{};
};

}  // namespace heddle::match
