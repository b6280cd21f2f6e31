// ult_pool.h — ended ults whose stack and TLS block wait for the next function to run.
//
// A new block costs two kernel threads, one that glibc makes it with and one that ends it: 80 us.
// One that is used again costs a list operation. What it cannot do by itself is to look like new to
// the program: the caller that sets Attributes::reusable sees to that.
//
//   spawn ── take() ── found: prepared like a new one ─┐
//              └── none: map, Orphan::create ──────────┴─► runs ─► join ── put() ── full: destroyed
//
// The last one in is the first one out: its stack is likely to be in the cache. Sanitizers follow
// threads by their beginning and end, so for them nothing is kept.
//
// Thread safety: any strand.

#pragma once

#include <cstddef>

#include "base/spin_lock.h"
#include "exec/ult/run/ult_record.h"

namespace heddle::ult {

class UltPool {
 public:
  // One with such a stack, or nullptr.
  Ult* take(std::size_t stack_bytes) noexcept {
    SpinGuard guard(lock_);
    for (Ult** link = &first_; *link != nullptr; link = &(*link)->next_idle) {
      Ult* ult = *link;
      if (ult->stack_bytes != stack_bytes) continue;
      *link = ult->next_idle;
      --count_;
      return ult;
    }
    return nullptr;
  }

  // False: the caller must destroy it.
  bool put(Ult& ult) noexcept {
    SpinGuard guard(lock_);
    if (count_ == kMost) return false;
    ult.next_idle = first_;
    first_ = &ult;
    ++count_;
    return true;
  }

 private:
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  static constexpr int kMost = 0;
#else
  static constexpr int kMost = 256;  // touched pages stay: some 20 KB each
#endif

  SpinLock lock_;
  Ult* first_ = nullptr;
  int count_ = 0;
};

}  // namespace heddle::ult
