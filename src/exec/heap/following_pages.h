// following_pages.h — pages that go where their rank goes, after it and not with it.
//
// A move copies all pages, for up to seconds. MPIX_Rank_migrate returns at once and the rank goes
// on at its next turn, so a kernel thread of this library copies meanwhile. It ends when the pages
// are where they were last told to be.
//
//   moving_  wanted_    meaning                            leaves by
//   -------  ---------  ---------------------------------  ----------------------------------------
//   false    n          the pages are on n, or stay        follow(m): true, m, and a thread begins
//   true     n          a thread moves them to n or has    follow(m): true, m, no thread begins
//                       just done so                       the thread: false, n; it looks at
//                                                          wanted_ again, and if that is another m,
//                                                          and it gets moving_ back, it goes on
//
// Ranges of pages are added while the rank lives, and a range that is added during a move goes to
// the same node by the strand that adds it. stop() ends it all; a thread that is in the middle of a
// range finishes that one. If its memory is another mapping's by then, pages of that mapping lie on
// another node than they might, which is slower and not wrong.
//
// Invariants
//   I1  After the last follow(n), and when moving_ is false and no add() runs, the pages of all
//       ranges were tried to be moved to n.
//   I2  One thread moves them at a time.
//
// Thread safety: any strand, any thread. Never switches.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/spin_lock.h"

namespace heddle::heap {

class FollowingPages {
 public:
  // Makes the object for a rank that begins on `node`.
  static std::shared_ptr<FollowingPages> on(int node);

  FollowingPages(FollowingPages&&) = delete;

  // Adds these pages: what is there goes to the rank's node, and what is touched later comes from
  // there. They are whole pages, which stay mapped until stop().
  void add(void* low, std::size_t bytes);

  // All pages are to be on `node`. Returns at once.
  static void follow(const std::shared_ptr<FollowingPages>& pages, int node) noexcept;

  // No range is left.
  void stop() noexcept;

  bool is_moving() const noexcept { return moving_.load(std::memory_order_acquire); }  // with [F1]

 private:
  struct Range {
    void* low;
    std::size_t bytes;
  };

  explicit FollowingPages(int node) noexcept : wanted_(node) {}
  static void* thread_main(void* pages);
  bool find_range(std::size_t index, Range* out) noexcept;
  void move_all() noexcept;

  // follow writes wanted_ and then tries moving_; the thread clears moving_ and then reads wanted_:
  // seq_cst orders these two.
  std::atomic<int> wanted_;
  std::atomic<bool> moving_{false};
  // Lock: guards the ranges of one rank.
  SpinLock lock_;
  std::vector<Range> ranges_ GUARDED_BY(lock_);
};

}  // namespace heddle::heap
