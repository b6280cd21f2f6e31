#include "runtime/crew/resident.h"

#include <atomic>

#include "exec/heap/heap.h"
#include "exec/process/own/own.h"
#include "exec/process/threads/threads.h"
#include "exec/process/time/processor_time.h"
#include "exec/ult/move.h"
#include "exec/ult/scheduler.h"
#include "net/world/host.h"

namespace heddle::runtime {

void Resident::begin(Rank& rank) noexcept {
  world::Process* const process = world::here().process;
  process::Load& load = process::own(rank).load.get();
  process::begin_processor_time(nullptr);
  const SpinGuard guard(lock_);
  main_ = ult::current();
  rank_ = &rank;
  process_ = process;
  load_ = &load;
}

void Resident::end() noexcept {
  process::end_processor_time();
  const SpinGuard guard(lock_);
  main_ = nullptr;
  spent_ns_ = load_->spent.nanoseconds();
}

Resident::Weight Resident::weight() noexcept {
  const SpinGuard guard(lock_);
  if (main_ == nullptr) return {spent_ns_, -1};
  return {load_->spent.nanoseconds(),
          std::atomic_ref(process_->worker).load(std::memory_order_relaxed)};
}

void Resident::weight_by_worker(std::span<std::int64_t> out) noexcept {
  const SpinGuard guard(lock_);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool known = main_ != nullptr && i < load_->spent_by_worker.size();
    out[i] = known ? load_->spent_by_worker[i].load(std::memory_order_relaxed) : 0;
  }
}

std::shared_ptr<heap::FollowingPages> Resident::move(int worker) noexcept {
  const SpinGuard guard(lock_);
  if (main_ == nullptr) return nullptr;
  // relaxed: the reader learns the number and nothing else.
  std::atomic_ref(process_->worker).store(worker, std::memory_order_relaxed);
  load_->moves.fetch_add(1, std::memory_order_relaxed);
  ult::move(*main_, worker);
  process::move_threads(*rank_, worker);
  return heap::pages_of(*rank_);
}

void move_with_pages(Resident& resident, int worker) noexcept {
  const std::shared_ptr<heap::FollowingPages> pages = resident.move(worker);
  if (pages != nullptr) heap::FollowingPages::follow(pages, ult::core_of(worker).numa_node);
}

}  // namespace heddle::runtime
