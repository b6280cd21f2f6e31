// ult_pool.h — ended ults whose stack and TLS block wait for the next function to run.
//
// A new block costs two kernel threads, 80 us: glibc makes the block with one, and another one ends
// it. To use a block again costs a list operation. The pool does not make a used block look new to
// the program. The caller that sets Attributes::reusable does.
//
//   spawn ── take() ── found: prepared like a new one ─┐
//              └── none: map, Orphan::create ──────────┴─► runs ─► join ── put() ── full: destroyed
//
// The last one in is the first one out: its stack is likely to be in the cache. Sanitizers follow
// threads from beginning to end, so their builds keep nothing.
//
// Thread safety: any strand.

#pragma once

#include <cstddef>

#include "base/spin_lock.h"
#include "exec/ult/run/ult_record.h"

namespace heddle::ult {

class UltPool {
 public:
  // A ult with a stack of this size, or nullptr.
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

  // Returns false if the pool is full: the caller must destroy the ult.
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

  // Lock: guards the free list of ended ults.
  SpinLock lock_;
  Ult* first_ = nullptr;
  int count_ = 0;
};

}  // namespace heddle::ult
