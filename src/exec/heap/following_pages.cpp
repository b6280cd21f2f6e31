#include "exec/heap/following_pages.h"

#include <pthread.h>
#include <signal.h>

#include "base/platform/numa_pages.h"
#include "base/platform/topology.h"

namespace heddle::heap {

namespace {

// Detached, and no signal is delivered to it.
bool start_thread(void* (*function)(void*), void* argument) noexcept {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setsigmask_np(&attributes, &all);
  const bool runs = pthread_create(&thread, &attributes, function, argument) == 0;
  pthread_attr_destroy(&attributes);
  return runs;
}

}  // namespace

std::shared_ptr<FollowingPages> FollowingPages::on(int node) {
  return std::shared_ptr<FollowingPages>(new FollowingPages(node));
}

void FollowingPages::add(void* low, std::size_t bytes) {
  {
    const SpinGuard guard(lock_);
    ranges_.push_back({low, bytes});
  }
  // A follow() that this does not see begins a thread that finds the range.
  int node = -1;
  while (node != wanted_.load(std::memory_order_seq_cst)) {
    node = wanted_.load(std::memory_order_seq_cst);
    platform::move_to_node(low, bytes, node);  // refused where the kernel has no nodes
  }
}

void FollowingPages::follow(const std::shared_ptr<FollowingPages>& pages, int node) noexcept {
  if (pages->wanted_.exchange(node, std::memory_order_seq_cst) == node) return;
  if (pages->moving_.exchange(true, std::memory_order_seq_cst)) return;
  auto* const kept = new std::shared_ptr<FollowingPages>(pages);
  if (start_thread(thread_main, kept)) return;
  // Without a thread the pages stay where they are, which is slower and not wrong.
  delete kept;
  pages->moving_.store(false, std::memory_order_seq_cst);
}

void FollowingPages::stop() noexcept {
  const SpinGuard guard(lock_);
  ranges_.clear();
}

void* FollowingPages::thread_main(void* pages) {
  const std::unique_ptr<std::shared_ptr<FollowingPages>> kept(
      static_cast<std::shared_ptr<FollowingPages>*>(pages));
  // The worker that has started it has a core of its own.
  platform::bind_this_thread(platform::usable_cpus());
  (*kept)->move_all();
  return nullptr;
}

bool FollowingPages::find_range(std::size_t index, Range* out) noexcept {
  const SpinGuard guard(lock_);
  if (index >= ranges_.size()) return false;
  *out = ranges_[index];
  return true;
}

void FollowingPages::move_all() noexcept {
  for (;;) {
    const int node = wanted_.load(std::memory_order_seq_cst);
    Range range;
    for (std::size_t i = 0; find_range(i, &range); ++i)
      platform::move_to_node(range.low, range.bytes, node);
    moving_.store(
        false,
        std::memory_order_seq_cst);  // [F1] release: a thread that sees it finds the pages moved
    if (wanted_.load(std::memory_order_seq_cst) == node) return;
    if (moving_.exchange(true, std::memory_order_seq_cst)) return;
  }
}

}  // namespace heddle::heap
