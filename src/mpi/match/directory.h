// directory.h — finds the lane of a (match context, peer), and makes it when there is none.
//
//   table ─► [ ]──► Lane ──chain──► Lane          a hash table; it grows and never shrinks
//            [ ]──► ContextLane
//
// Finding takes no lock. It may return a lane that has meanwhile been given to another (match
// context, peer), or miss one while the table grows: the caller locks what it gets and asks
// serves(), and make() looks again with the directory's lock.
//
// Lanes are given up when their communicator is freed. So are silent ones of any communicator, when
// a lane is asked for, none is at hand and there are many: those that are idle, and have had no
// receive between two looks in which the others have had many. The next message makes a new one.
//
// Thread safety: any strand. Lock order: a match context's lock, the directory's, a lane's. make()
// locks a match context that serves no lanes yet under the directory's lock: the holder of such a
// match context's lock has come by a stale pointer, and lets go of it at once. A look for silent
// lanes only tries match contexts' locks: the caller may hold one.
//
// Memory order
//   [R1] release, pairs with [A1] acquire: a strand that finds a lane or a table sees it made.

#pragma once

#include <atomic>
#include <memory>
#include <memory_resource>
#include <vector>

#include "mpi/match/held.h"

namespace heddle::match {

class Directory {
 public:
  Directory(TagShares shares, Deliverer* deliverer);
  ~Directory();  // requires that no strand has a message or receive in a lane
  Directory(Directory&&) = delete;

  TagShares shares() const noexcept { return shares_; }

  // nullptr: probably none.
  Lane* find(MatchContext context, Peer peer) const noexcept {
    const Table* table = table_.load(std::memory_order_acquire);  // [A1]
    Lane* lane = table->slot(context, peer).load(std::memory_order_acquire);
    // Probably the one, and the caller will lock it: with many ranks its lines have gone.
    if (lane != nullptr && !lane->ring_is_open()) platform::fetch_for_writing(&lane->lock, 1);
    while (lane != nullptr && !lane->serves(context, peer)) {
      lane = lane->chain.load(std::memory_order_acquire);
    }
    return lane;
  }

  // The lane; made if there is none.
  Lane& make(MatchContext context, Peer peer);

  // Gives up the match context's idle lanes; the memory that they keep for messages goes to
  // `spares`.
  void remove_idle(ContextHeld context, Spares* spares) noexcept;
  // Gives up the context's idle lanes as remove_idle() does, and the context's own if none is left.
  void remove(ContextHeld context, Spares* spares) noexcept;
  void discard(Spares spares) const noexcept;

  // All lanes and match contexts that have ever been made; they live as long as the directory.
  std::vector<Lane*> all();

  // Visits all lanes and match contexts, without a copy. Requires that no strand uses the
  // directory.
  template <class Visit>
  void for_each(Visit&& visit) noexcept {
    for (auto& lane : all_lanes_) visit(*lane);
    for (auto& context : all_contexts_) visit(*context);
  }

 private:
  struct Table {
    explicit Table(std::uint32_t count) : mask(count - 1), slots(new std::atomic<Lane*>[count]()) {}

    std::atomic<Lane*>& slot(MatchContext context, Peer peer) const noexcept {
      const std::uint64_t mixed = (context * 0xD6E8FEB86659FD93u ^ peer) * 0x9E3779B97F4A7C15u;
      return slots[static_cast<std::uint32_t>(mixed >> 40) & mask];
    }

    const std::uint32_t mask;
    const std::unique_ptr<std::atomic<Lane*>[]> slots;
  };

  // Requires the lock.
  Lane* find_exactly(MatchContext context, Peer peer) const noexcept;
  ContextLane& context_lane(MatchContext id);
  // Tells the lane of the same source that it will not be alone; true if there is one. Before the
  // new lane can be found.
  bool announce_sibling(MatchContext context, Peer peer) noexcept;
  Lane& find_or_make(MatchContext context, Peer peer, Spares* spares);
  Lane& take_lane(Spares* spares);
  // Gives up the idle lanes of a match context; or of them those without a receive since the last
  // look.
  enum class Which : bool { kIdle, kSilent };
  void give_up(ContextHeld context, Which which, Spares* spares) noexcept;
  void give_up_silent(Spares* spares) noexcept;
  bool silence_means_something() noexcept;
  void link(Lane& lane, MatchContext context, Peer peer) noexcept;
  void unlink(Lane& lane) noexcept;
  void grow();

  // With this many lanes it looks for silent ones, and again with twice as many as were in use
  // then.
#if defined(HEDDLE_FORCED_YIELDS)
  static constexpr std::size_t kManyLanes = 8;  // so that tests meet it
#else
  static constexpr std::size_t kManyLanes = 256;
#endif
  // A lane without a receive is silent if the others have had so many each: a rank may talk to all
  // others in turn.
  static constexpr std::uint64_t kReceivesOfOthers = 16;

  const TagShares shares_;
  Deliverer* const postman_;
  std::atomic<const Table*> table_{nullptr};

  // Lock: guards the rest: lanes that are made and given up; held across lanes' and stocks' locks;
  // taken after a match context's, before a lane's; lookups take none.
  SpinLock lock_;
  std::uint32_t in_use_ = 0;
  // Older tables stay: a thread may still be reading them.
  std::vector<std::unique_ptr<Table>> tables_;
  // Adjacent: malloc takes 64 bytes more for one that lies on a cache line.
  std::pmr::monotonic_buffer_resource memory_of_lanes_{4 * sizeof(Lane)};
  std::vector<Lane*> all_lanes_;
  std::vector<std::unique_ptr<ContextLane>> all_contexts_;
  std::vector<Lane*> free_lanes_;
  std::size_t next_search_ = kManyLanes;  // for silent lanes, with so many
  std::uint64_t highest_order_ = 0;       // of a receive's number in a lane that was given up
  std::vector<ContextLane*> free_contexts_;
};

}  // namespace heddle::match
