// following_pages.h — pages that go where their rank goes, after it and not with it.
//
// A move copies all pages, for up to seconds. MPIX_Rank_migrate returns at once and the rank goes on at its next turn, so a kernel thread of
// this library copies meanwhile. It ends when the pages are where they were last told to be.
//
//   moving_  wanted_    meaning                            leaves by
//   -------  ---------  ---------------------------------  ---------------------------------------------------------
//   false    n          the pages are on n, or stay        follow(m): true, m, and a thread begins
//   true     n          a thread moves them to n or has    follow(m): true, m, no thread begins
//                       just done so                       the thread: false, n; it looks at wanted_ again, and if that is
//                                                          another m, and it gets moving_ back, it goes on
//
// Invariants
//   I1  After the last follow(n), and when moving_ is false, the thread has tried to move the pages to n.
//   I2  One thread moves them at a time.
//
// Thread safety: any strand, any thread. Never switches. The object and its pages stay until the process ends.

#pragma once

#include <atomic>
#include <cstddef>

namespace heddle::heap {

class FollowingPages {
 public:
  FollowingPages(void* low, std::size_t bytes) noexcept : low_(low), bytes_(bytes) {}
  FollowingPages(const FollowingPages&) = delete;
  FollowingPages& operator=(const FollowingPages&) = delete;

  void* low() const noexcept { return low_; }
  std::size_t bytes() const noexcept { return bytes_; }

  // Pages that are touched from now on come from `node`; those that are there stay. For a rank that begins.
  void begin_on(int node) noexcept;

  // All pages are to be on `node`. Returns at once.
  void follow(int node) noexcept;

  bool is_moving() const noexcept { return moving_.load(std::memory_order_acquire); }  // with [F1]

 private:
  static void* thread_main(void* pages);
  void move_all() noexcept;

  void* const low_;
  const std::size_t bytes_;
  // follow writes wanted_ and then tries moving_; the thread clears moving_ and then reads wanted_: seq_cst orders these two.
  std::atomic<int> wanted_{-1};
  std::atomic<bool> moving_{false};
};

}  // namespace heddle::heap
