#include "mpi/io/pool.h"

#include <atomic>
#include <cstdint>

#include "base/mutex.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"

namespace heddle::io {

class Pool {
 public:
  bool add(Work& work) noexcept {
    bool starts = false;
    {
      const MutexGuard guard(mutex_);
      starts = idle_ <= waiting_ && threads_ < kMostThreads;
      if (starts && platform::start_detached_own_thread({"heddle-files", serve, this}) != 0) {
        starts = false;
      }
      threads_ += starts ? 1 : 0;
      if (threads_ == 0) return false;
      // seq_cst: a rank waits for the work only after it is counted (the judge reads both).
      unfinished_.fetch_add(1, std::memory_order_seq_cst);
      work.next_ = nullptr;
      *last_ = &work;
      last_ = &work.next_;
      ++waiting_;
      work_.fetch_add(1, std::memory_order_release);
    }
    platform::futex_wake_one(work_);
    return true;
  }

  bool is_busy() const noexcept { return unfinished_.load(std::memory_order_seq_cst) != 0; }

 private:
  static constexpr int kMostThreads = 8;

  static void* serve(void* pool) noexcept {
    static_cast<Pool*>(pool)->serve_all();
    return nullptr;
  }

  [[noreturn]] void serve_all() noexcept {
    for (;;) {
      const std::uint32_t seen = work_.load(std::memory_order_acquire);
      if (Work* const work = take()) {
        work->run();
        unfinished_.fetch_sub(1, std::memory_order_seq_cst);
      } else {
        platform::futex_wait(work_, seen);
        const MutexGuard guard(mutex_);
        --idle_;
      }
    }
  }

  // Null: the thread is idle now.
  Work* take() noexcept {
    const MutexGuard guard(mutex_);
    Work* const work = first_;
    if (work == nullptr) {
      ++idle_;
      return nullptr;
    }
    first_ = work->next_;
    if (first_ == nullptr) last_ = &first_;
    --waiting_;
    return work;
  }

  std::atomic<std::uint32_t> work_{0};  // counts what has come; a futex
  std::atomic<int> unfinished_{0};

  // Lock: guards the list of nonblocking accesses that wait, and the count of threads that perform
  // them; held across the start of such a thread.
  Mutex mutex_;
  Work* first_ GUARDED_BY(mutex_) = nullptr;
  Work** last_ GUARDED_BY(mutex_) = &first_;
  int waiting_ GUARDED_BY(mutex_) = 0;
  int threads_ GUARDED_BY(mutex_) = 0;
  int idle_ GUARDED_BY(mutex_) = 0;
};

namespace {
// Its threads never end, so it stays, too.
Pool& pool() noexcept {
  static auto& all = *new Pool;
  return all;
}
std::atomic<bool> is_used{false};
}  // namespace

bool hand_to_pool(Work& work) noexcept {
  is_used.store(true, std::memory_order_relaxed);
  return pool().add(work);
}

bool pool_is_busy() noexcept {
  return is_used.load(std::memory_order_relaxed) && pool().is_busy();
}

}  // namespace heddle::io
