#include "mpi/object/transient_pool.h"

#include <algorithm>
#include <new>
#include <utility>

#include "mpi/object/lifetimes.h"

// glibc's, and what the compiler calls for a thread_local object.
extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library);
extern "C" void* __dso_handle;

namespace heddle::object {

thread_local constinit TransientCache* TransientCache::mine_ = nullptr;
thread_local constinit bool TransientCache::awaits_strand_end_ = false;

// Runs when a strand ends: for a ult when it is joined, with the strand's thread_locals. Registered by
// hand, since a block that serves several threads in turn would register a destructor once only.
void TransientCache::at_strand_end(void*) noexcept {
  awaits_strand_end_ = false;
  enter_section_without_switch();  // the strand can no longer park
  hand_back_mine();
  leave_section_without_switch();
}

void TransientCache::link(const Transient& transient, Transient* next) noexcept {
  new (transient.storage()) Link{next, next != nullptr ? next->storage() : nullptr, nullptr};
}

TransientCache& TransientCache::lease() noexcept {
  hand_back_mine();
  if (!std::exchange(awaits_strand_end_, true)) {
    __cxa_thread_atexit_impl(at_strand_end, nullptr, &__dso_handle);
  }
  mine_ = &lifetimes().pool.lease_cache();
  return *mine_;
}

void TransientCache::hand_back_mine() noexcept {
  if (TransientCache* const cache = std::exchange(mine_, nullptr)) cache->pool_->take_in(*cache);
}

bool TransientCache::refill() noexcept {
  constexpr unsigned kFreshAtOnce = 8;  // so that a rank with few operations touches little memory
  if (spare_ != nullptr) {
    free_ = std::exchange(spare_, nullptr);
    free_count_ = kBatch;
    return true;
  }
  if (fresh_count_ == 0) {
    free_ = pool_->take_batch();
    if (free_ != nullptr) {
      free_count_ = kBatch;
      return true;
    }
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
  if (spare_ != nullptr) pool_->put_batch(spare_);
  spare_ = std::exchange(free_, nullptr);
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
  std::size_t used = chunk_count_ * kBatch;
  for (Transient* batch = batches_; batch != nullptr;
       batch = static_cast<TransientCache::Link*>(batch->storage())->next_batch) {
    used -= kBatch;
  }
  // relaxed: nobody else is left.
  TransientCache* cache = caches_.load(std::memory_order_relaxed);
  while (cache != nullptr) {
    used -= cache->free_count_ + cache->fresh_count_ + (cache->spare_ != nullptr ? kBatch : 0);
    delete std::exchange(cache, cache->next_);
  }
  // A program that ended without waiting for its operations: another rank may still complete one.
  if (used != 0) return;
  Chunk* chunk = chunks_.load(std::memory_order_relaxed);
  while (chunk != nullptr) delete std::exchange(chunk, chunk->next);
}

Transient* TransientPool::take_batch() noexcept {
  SpinGuard guard(lock_);
  Transient* const first = batches_;
  if (first == nullptr) return nullptr;
  batches_ = static_cast<TransientCache::Link*>(first->storage())->next_batch;
  return first;
}

void TransientPool::put_batch(Transient* first) noexcept {
  SpinGuard guard(lock_);
  static_cast<TransientCache::Link*>(first->storage())->next_batch = std::exchange(batches_, first);
}

Transient* TransientPool::add_chunk() noexcept {
  auto* chunk = new (std::nothrow) Chunk;  // no parentheses: the slots are not to be touched
  if (chunk == nullptr) return nullptr;
  for (unsigned i = 0; i < kBatch; ++i) chunk->transients[i].set_storage(&chunk->slots[i]);
  SpinGuard guard(lock_);
  chunk->next = chunks_.load(std::memory_order_relaxed);
  chunks_.store(chunk, std::memory_order_release);  // [R1]
  ++chunk_count_;
  return chunk->transients.data();
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

}  // namespace heddle::object
