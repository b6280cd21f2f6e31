#include "exec/heap/following_pages.h"

#include "base/platform/numa_pages.h"
#include "base/platform/own_thread.h"

namespace heddle::heap {

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
  if (platform::start_detached_own_thread({"heddle-pages", thread_main, kept}) == 0) return;
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
