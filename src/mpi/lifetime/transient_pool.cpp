#include "mpi/lifetime/transient_pool.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "base/standing.h"

// glibc's, and what the compiler calls for a thread_local object.
extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library);
extern "C" void* __dso_handle;

namespace heddle::lifetime {

namespace {

// The rank's use of its pool, which may live longer.
struct PoolOfRank {
  ~PoolOfRank() { pool.close(); }
  TransientPool& pool = *new TransientPool(*Rank::current());
};

// Destroyed after the collector (collector.cpp), which looks at it a last time.
[[gnu::init_priority(201)]] const RankLocal<PoolOfRank> pool_of_rank;

}  // namespace

TransientPool& TransientPool::of_rank() noexcept {
  return pool_of_rank.get().pool;
}

thread_local constinit TransientCache* TransientCache::mine_ = nullptr;
thread_local constinit bool TransientCache::awaits_strand_end_ = false;

// Runs when a strand ends: for a ult when it is joined, with the strand's thread_locals. Registered
// by hand, since a block that serves several threads in turn would register a destructor once only.
void TransientCache::at_strand_end(void*) noexcept {
  awaits_strand_end_ = false;
  Standing::enter(Standing::kSection);  // the strand can no longer park
  hand_back_mine();
  Standing::leave(Standing::kSection);
}

void TransientCache::link(const Transient& transient, Transient* next) noexcept {
  new (transient.storage()) Link{next, next != nullptr ? next->storage() : nullptr, nullptr};
}

bool TransientCache::has_length(const Transient* first, unsigned length) noexcept {
  for (; first != nullptr && length > 0; --length) {
    const Link& linked = link_of(*first);
    if (linked.next != nullptr && linked.next->storage() != linked.next_storage) return false;
    first = linked.next;
  }
  return first == nullptr && length == 0;
}

bool TransientCache::is_valid() const noexcept {
  return free_count_ <= kBatch && has_length(free_, free_count_) &&
         (spare_ == nullptr || has_length(spare_, kBatch));
}

TransientCache& TransientCache::lease() noexcept {
  hand_back_mine();
  if (!std::exchange(awaits_strand_end_, true)) {
    __cxa_thread_atexit_impl(at_strand_end, nullptr, &__dso_handle);
  }
  mine_ = &TransientPool::of_rank().lease_cache();
  return *mine_;
}

void TransientCache::hand_back_mine() noexcept {
  if (TransientCache* const cache = std::exchange(mine_, nullptr)) cache->pool_->take_in(*cache);
}

bool TransientCache::refill() noexcept {
  constexpr unsigned kFreshAtOnce = 8;  // so that a rank with few operations touches little memory
  assert(is_valid());
  if (spare_ != nullptr) {
    free_ = std::exchange(spare_, nullptr);
    free_count_ = kBatch;
    return true;
  }
  if (fresh_count_ == 0) {
    free_ = pool_->take_batch(&free_count_);
    if (free_ != nullptr) return true;
    fresh_ = pool_->add_chunk();
    if (fresh_ == nullptr) return false;
    fresh_count_ = kBatch;
  }
  for (unsigned i = std::min(kFreshAtOnce, fresh_count_); i > 0; --i) {
    link(*fresh_, free_);
    free_ = fresh_++;
    ++free_count_;
    --fresh_count_;
  }
  return true;
}

void TransientCache::make_room() noexcept {
  assert(is_valid());
  if (spare_ != nullptr) pool_->put_batch(spare_);
  spare_ = std::exchange(free_, nullptr);
  free_count_ = 0;
}

void TransientCache::sort_into_chunks() noexcept {
  pool_->sort(std::exchange(free_, nullptr));
  pool_->sort(std::exchange(spare_, nullptr));
  free_count_ = 0;
}

void TransientPool::close() noexcept {
  for (TransientCache* cache = caches_.load(std::memory_order_acquire); cache != nullptr;  // [A1]
       cache = cache->next_) {
    // relaxed: the rank's strands make no calls any more; another rank may have this one's address.
    cache->rank_.store(nullptr, std::memory_order_relaxed);
  }
  leave();
}

void TransientPool::leave() noexcept {
  // acq_rel: the last one sees what the others did to the pool.
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

TransientPool::~TransientPool() {
  tidy();  // batches are in their chunks now
  std::size_t used = chunk_count_ * kBatch;
  for (IntrusiveList<Chunk>* list : {&partial_, &parked_}) {
    for (const Chunk& chunk : *list) used -= chunk.free_count;
  }
  // relaxed: no other strand is left.
  TransientCache* cache = caches_.load(std::memory_order_relaxed);
  while (cache != nullptr) {
    used -= cache->free_count_ + cache->fresh_count_ + (cache->spare_ != nullptr ? kBatch : 0);
    delete std::exchange(cache, cache->next_);
  }
  // A program that ended without waiting for its operations: another rank may still complete one.
  if (used == 0) delete_chunks();
}

void TransientPool::delete_chunks() noexcept {
  while (Chunk* chunk = parked_.pop_front()) delete chunk;
  Chunk* chunk = chunks_.load(std::memory_order_relaxed);
  while (chunk != nullptr) delete std::exchange(chunk, chunk->next);
}

TransientPool::Chunk& TransientPool::chunk_of(Transient& transient) noexcept {
  Transient* const first = &transient - transient.index();
  return static_cast<Chunk&>(*reinterpret_cast<Transients*>(first));
}

Transient* TransientPool::take_batch(unsigned* count) noexcept {
  SpinGuard guard(lock_);
  if (batches_ != nullptr) {
    *count = kBatch;
    return std::exchange(batches_, TransientCache::link_of(*batches_).next_batch);
  }
  Chunk* chunk = partial_.pop_front();
  if (chunk == nullptr) {
    chunk = parked_.pop_front();
    if (chunk == nullptr) return nullptr;
    show(*chunk);
  }
  *count = std::exchange(chunk->free_count, 0);
  return std::exchange(chunk->free, nullptr);
}

void TransientPool::put_batch(Transient* first) noexcept {
  SpinGuard guard(lock_);
  TransientCache::link_of(*first).next_batch = std::exchange(batches_, first);
}

Transient* TransientPool::add_chunk() noexcept {
  auto* chunk = new (std::nothrow) Chunk;  // no parentheses: the slots are not to be touched
  if (chunk == nullptr) return nullptr;
  for (unsigned i = 0; i < kBatch; ++i) chunk->transients[i].set_home(&chunk->slots[i], i);
  SpinGuard guard(lock_);
  show(*chunk);
  ++chunk_count_;
  return chunk->transients.data();
}

void TransientPool::show(Chunk& chunk) noexcept {
  chunk.next = chunks_.load(std::memory_order_relaxed);
  chunks_.store(&chunk, std::memory_order_release);  // [R1]
  ++shown_count_;
}

// `before`: the chunk before it when the cycle looked; null if it was the first. Others may have
// been added in front since.
void TransientPool::hide(Chunk& chunk, Chunk* before) noexcept {
  --shown_count_;
  if (before == nullptr && chunks_.load(std::memory_order_relaxed) == &chunk) {
    chunks_.store(chunk.next, std::memory_order_release);  // [R1]
    return;
  }
  if (before == nullptr) before = chunks_.load(std::memory_order_relaxed);
  while (before->next != &chunk) before = before->next;
  before->next = chunk.next;
}

void TransientPool::sort(Transient* batch) noexcept {
  while (batch != nullptr) {
    Transient& transient = *std::exchange(batch, TransientCache::link_of(*batch).next);
    Chunk& chunk = chunk_of(transient);
    TransientCache::link(transient, chunk.free);
    chunk.free = &transient;
    if (chunk.free_count++ == 0) partial_.push_back(chunk);
  }
}

void TransientPool::tidy() noexcept {
  Transient* batch;
  {
    SpinGuard guard(lock_);
    batch = std::exchange(batches_, nullptr);
    TransientCache* const mine = TransientCache::mine_;
    if (shown_count_ > kFewChunks && mine != nullptr && mine->pool_ == this)
      mine->sort_into_chunks();
  }
  while (batch != nullptr) {
    Transient* const next = TransientCache::link_of(*batch).next_batch;
    SpinGuard guard(lock_);  // for each by itself: strands wait for it
    sort(std::exchange(batch, next));
  }
  Chunk* before = nullptr;
  Chunk* chunk = chunks_.load(std::memory_order_acquire);  // [A1]
  while (chunk != nullptr) {
    Chunk* const next = chunk->next;
    SpinGuard guard(lock_);
    if (chunk->free_count == kBatch) {
      hide(*chunk, before);
      IntrusiveList<Chunk>::erase(*chunk);
      parked_.push_front(*chunk);
    } else {
      before = chunk;
    }
    chunk = next;
  }
  assert(is_valid());
}

bool TransientPool::is_valid(const Chunk& chunk) noexcept {
  if (!TransientCache::has_length(chunk.free, chunk.free_count)) return false;
  for (Transient* free = chunk.free; free != nullptr; free = TransientCache::link_of(*free).next) {
    if (&chunk_of(*free) != &chunk) return false;
  }
  return true;
}

bool TransientPool::is_valid() noexcept {
  SpinGuard guard(lock_);
  for (const Transient* batch = batches_; batch != nullptr;
       batch = TransientCache::link_of(*batch).next_batch) {
    if (!TransientCache::has_length(batch, kBatch)) return false;
  }
  std::size_t parked = 0, shown = 0;
  for (const Chunk& chunk : parked_) {
    if (chunk.free_count != kBatch || !is_valid(chunk)) return false;
    ++parked;
  }
  for (const Chunk& chunk : partial_) {
    if (chunk.free_count == 0 || !is_valid(chunk)) return false;
  }
  // relaxed: chunks are added and taken away with the lock.
  for (const Chunk* chunk = chunks_.load(std::memory_order_relaxed); chunk != nullptr;
       chunk = chunk->next) {
    ++shown;
  }
  return shown == shown_count_ && shown + parked == chunk_count_;
}

TransientCache& TransientPool::lease_cache() noexcept {
  users_.fetch_add(1, std::memory_order_relaxed);
  TransientCache* cache;
  {
    SpinGuard guard(lock_);
    cache = idle_;
    if (cache != nullptr) idle_ = cache->next_idle_;
  }
  if (cache == nullptr) {
    cache = new TransientCache();
    cache->pool_ = this;
    SpinGuard guard(lock_);
    cache->next_ = caches_.load(std::memory_order_relaxed);
    caches_.store(cache, std::memory_order_release);  // [R1]
  }
  cache->rank_.store(&rank_, std::memory_order_relaxed);
  return *cache;
}

void TransientPool::take_in(TransientCache& cache) noexcept {
  cache.in_call_.clear();  // a thread may be cancelled inside a call
  cache.rank_.store(nullptr, std::memory_order_relaxed);
  {
    SpinGuard guard(lock_);
    cache.next_idle_ = std::exchange(idle_, &cache);
  }
  leave();
}

}  // namespace heddle::lifetime
