// transient_pool.h — where a rank's pending operations live: Transients with their storage.
//
//   TransientCache   one strand's: takes and gives back without a lock
//        ▲  │  128 at a time
//        │  ▼
//   TransientPool    one rank's: batches that no strand needs, and all chunks
//        │  in a cycle of the collector
//        ▼
//   Chunk            128 Transients, side by side for the collector, and their 128 slots of storage
//
//   chunk is   its Transients                               for the collector
//   ---------  -------------------------------------------  ------------------
//   in use     with operations, strands or in batches       in the list
//   partial    the same, and some sorted into its own list  in the list
//   parked     all in its own list: the last cycle's tidy() looked at by no strand
//
// So a cycle costs what is in use today, not what once was: it sorts the batches that have come
// since the last one, parks what is empty, and looks at the rest. What is in use keeps its chunk;
// so does what the caches of other strands hold, 256 each at most. Strands take from batches first,
// then from partial chunks, then from parked ones, which are then in the list again.
//
// A strand may give back what another took: its cache keeps up to two batches and returns the
// second one whole. So where one strand begins operations and another waits for them, the slots
// come back 128 at a time.
//
// A strand leases a cache of its rank's pool when it first needs one, and hands it back when it
// ends or becomes another rank's. Chunks are freed with the pool, which lives as long as the rank
// and its leases.
//
// Thread safety: a cache belongs to its strand; the pool's functions any strand.
//
// Invariants
//   I1  Chunks and caches are added while the pool lives, each by a release [R1] that pairs with
//       [A1] acquire in for_each: the collector sees whole ones.
//   I2  A batch is a list of exactly kBatch Transients, linked through their storage.

#pragma once

#include <atomic>
#include <cstddef>

#include "base/intrusive_list.h"
#include "base/platform/cpu.h"
#include "base/spin_lock.h"
#include "exec/rank/rank.h"
#include "mpi/lifetime/transient.h"

namespace heddle::lifetime {

class TransientPool;

class TransientCache {
 public:
  // The calling strand's, in its rank's pool. Requires Rank::current().
  static TransientCache& of_strand() noexcept {
    TransientCache* cache = mine_;
    // relaxed: only its strand and the end of the rank write it.
    if (cache != nullptr && cache->rank_.load(std::memory_order_relaxed) == Rank::current())
        [[likely]] {
      return *cache;
    }
    return lease();
  }

  // nullptr if no memory is left.
  Transient* take() noexcept {
    if (free_ == nullptr && !refill()) [[unlikely]]
      return nullptr;
    Transient* taken = free_;
    const Link& linked = link_of(*taken);
    free_ = linked.next;
    --free_count_;
    // The next one: with many ranks its lines have gone, and operations come in groups.
    platform::fetch_for_writing(free_, 1);
    platform::fetch_for_writing(linked.next_storage, kLinesOfRequest);
    return taken;
  }
  // Clears it.
  void give_back(Transient& transient) noexcept {
    transient.clear();
    if (free_count_ == kBatch) [[unlikely]]
      make_room();
    link(transient, free_);
    free_ = &transient;
    ++free_count_;
  }

  // What the strand's blocking call refers to; see in_call.h.
  Transient& in_call() noexcept { return in_call_; }

  // True if its lists are as long as they should be. By its strand.
  bool is_valid() const noexcept;

  static constexpr unsigned kBatch = 128;
  static constexpr std::size_t kStorage = 256;  // bytes of a slot, on cache lines of its own
  static constexpr int kLinesOfRequest = 3;     // of them, that a receive fills

 private:
  friend class TransientPool;

  // What a slot holds while it is free.
  struct Link {
    Transient* next;
    void* next_storage;     // of `next`, so that it can be fetched without a look at it
    Transient* next_batch;  // in the pool, of a batch's first one
  };
  static Link& link_of(const Transient& transient) noexcept {
    return *static_cast<Link*>(transient.storage());
  }
  static void link(const Transient& transient, Transient* next) noexcept;
  // True if the list has this many Transients, each with the address of the next one's storage.
  static bool has_length(const Transient* first, unsigned length) noexcept;

  [[gnu::noinline]] static TransientCache& lease() noexcept;
  static void hand_back_mine() noexcept;
  [[gnu::noinline]] bool refill() noexcept;
  [[gnu::noinline]] void make_room() noexcept;
  void sort_into_chunks() noexcept;  // with the pool's lock

  static void at_strand_end(void*) noexcept;
  static thread_local constinit TransientCache* mine_;
  static thread_local constinit bool awaits_strand_end_;

  Transient* free_ = nullptr;
  unsigned free_count_ = 0;     // of free_, at most kBatch
  Transient* spare_ = nullptr;  // null or a batch
  Transient* fresh_ = nullptr;  // of a chunk; their storage has not been touched
  unsigned fresh_count_ = 0;
  Transient in_call_;
  TransientPool* pool_ = nullptr;        // constant
  std::atomic<Rank*> rank_{nullptr};     // null: not leased, or the rank has ended
  TransientCache* next_ = nullptr;       // constant: all caches of the pool
  TransientCache* next_idle_ = nullptr;  // of the pool, with its lock
};

class TransientPool {
 public:
  // Starts with one user, the rank.
  explicit TransientPool(Rank& rank) noexcept : rank_(rank) {}
  TransientPool(TransientPool&&) = delete;

  // The calling rank's. Requires Rank::current().
  static TransientPool& of_rank() noexcept;

  // The end of the rank: no strand finds its cache any more. The pool goes with its last lease.
  void close() noexcept;

  // Sorts what strands have given back since the last time, and parks the chunks that are not in
  // use; what the calling strand's cache holds too, where there are more than a few chunks. For the
  // collector's cycle, before for_each().
  void tidy() noexcept;

  // True if batches are whole (I2), free lists of chunks hold as many of their own Transients as
  // they say, and the collector looks at all chunks that are not parked.
  bool is_valid() noexcept;

  // Calls visit(const Transient&) for each that may be in use. Returns how many. For the
  // collector's cycle.
  template <class Visit>
  std::size_t for_each(Visit visit) const {
    std::size_t seen = 0;
    for (const Chunk* chunk = chunks_.load(std::memory_order_acquire); chunk != nullptr;  // [A1]
         chunk = chunk->next) {
      for (const Transient& transient : chunk->transients) visit(transient);
      seen += kBatch;
    }
    for (const TransientCache* cache = caches_.load(std::memory_order_acquire);  // [A1]
         cache != nullptr; cache = cache->next_) {
      visit(cache->in_call_);
      ++seen;
    }
    return seen;
  }

 private:
  friend class TransientCache;
  static constexpr unsigned kBatch = TransientCache::kBatch;
  static constexpr std::size_t kFewChunks = 4;

  struct Transients {
    std::array<Transient, kBatch> transients;
  };
  struct alignas(64) Chunk : Transients, ListNode<> {
    // The list of the chunks that the collector looks at. The strand that adds the chunk changes
    // this, and so do cycles.
    Chunk* next = nullptr;

    // Guarded by the pool's lock. ListNode: of partial_ or parked_.
    Transient* free = nullptr;
    unsigned free_count = 0;

    struct alignas(64) Storage {
      std::byte bytes[TransientCache::kStorage];
    };
    std::array<Storage, kBatch> slots;
  };
  static Chunk& chunk_of(Transient& transient) noexcept;
  static bool is_valid(const Chunk& chunk) noexcept;

  ~TransientPool();
  void leave() noexcept;  // one user less

  // nullptr if there is none.
  Transient* take_batch(unsigned* count) noexcept;
  // The Transients of a new chunk; nullptr if no memory is left.
  Transient* add_chunk() noexcept;
  void put_batch(Transient* first) noexcept;
  void delete_chunks() noexcept;

  // Requires the lock.
  void show(Chunk& chunk) noexcept;  // to the collector
  void hide(Chunk& chunk, Chunk* before) noexcept;
  void sort(Transient* batch) noexcept;
  TransientCache& lease_cache() noexcept;
  void take_in(TransientCache& cache) noexcept;

  Rank& rank_;
  std::atomic<Chunk*> chunks_{nullptr};           // I1
  std::atomic<TransientCache*> caches_{nullptr};  // I1
  std::atomic<int> users_{1};                     // the rank and the leases

  // Lock: guards a rank's free requests, in batches and sorted by chunks, and the adding of chunks
  // and caches; strands take up to 128 requests at a time.
  SpinLock lock_;
  Transient* batches_ = nullptr;
  IntrusiveList<Chunk> partial_;
  IntrusiveList<Chunk> parked_;
  TransientCache* idle_ = nullptr;
  std::size_t chunk_count_ = 0;
  std::size_t shown_count_ = 0;  // of them, those that the collector looks at
};

}  // namespace heddle::lifetime
