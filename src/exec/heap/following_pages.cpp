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

void FollowingPages::begin_on(int node) noexcept {
  wanted_.store(node, std::memory_order_seq_cst);
  platform::prefer_node(low_, bytes_, node);  // refused where the kernel has no nodes
}

void FollowingPages::follow(int node) noexcept {
  if (wanted_.exchange(node, std::memory_order_seq_cst) == node) return;
  if (moving_.exchange(true, std::memory_order_seq_cst)) return;
  // Without a thread the pages stay where they are, which is slower and not wrong.
  if (!start_thread(thread_main, this)) moving_.store(false, std::memory_order_seq_cst);
}

void* FollowingPages::thread_main(void* pages) {
  // The worker that has started it has a core of its own.
  platform::bind_this_thread(platform::usable_cpus());
  static_cast<FollowingPages*>(pages)->move_all();
  return nullptr;
}

void FollowingPages::move_all() noexcept {
  for (;;) {
    const int node = wanted_.load(std::memory_order_seq_cst);
    platform::move_to_node(low_, bytes_, node);
    moving_.store(
        false,
        std::memory_order_seq_cst);  // [F1] release: a thread that sees it finds the pages moved
    if (wanted_.load(std::memory_order_seq_cst) == node) return;
    if (moving_.exchange(true, std::memory_order_seq_cst)) return;
  }
}

}  // namespace heddle::heap
