// channel_lock.h — a lock without waiting: a thread that does not get it leaves a note, and the
// holder does not let go before it has read the note.
//
// So a thread may put work where the holder looks, leave a note and go away: the holder will do the
// work. The whole state is one word:
//
//   from    to      who       by
//   ------  ------  --------  ----------------------------------------------------------------
//   free    held    any       try_lock, lock_or_note                                      [A1]
//   held    noted   others    lock_or_note, which returns false                           [R1]
//   noted   noted   others    lock_or_note, which returns false                           [R1]
//   held    free    holder    try_unlock, which returns true                              [R2]
//   noted   held    holder    try_unlock, which returns false: look again                 [A2]
//   noted   free    holder    unlock_anyway, which returns true: a thread must look   [R2] [A2]
//   held    free    holder    unlock_anyway, which returns false                          [R2]
//
// Memory order
//   [R1] release, pairs with [A2] acquire: the holder sees what was done before the note: the work,
//        and that the thread that left it is listed as a sleeper (poller.h), which the holder may
//        have to wake.
//   [R2] release, pairs with [A1] acquire: the next holder sees what this one wrote. It sees a note
//        that unlock_anyway has thrown away, too, since each change of the word is a
//        read-modify-write and so continues the release sequence.
//
// The holder may not switch: it counts as a section without one (standing.h).
//
// Thread safety: any thread; the thread that locked it unlocks it.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/standing.h"

namespace heddle::channel {

class ChannelLock {
 public:
  ChannelLock() = default;
  ChannelLock(ChannelLock&&) = delete;

  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t expected = kFree;
    if (!word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,  // [A1]
                                       std::memory_order_relaxed)) {
      return false;
    }
    Standing::enter(Standing::kSection);
    return true;
  }

  // Returns false if another thread holds it, which will look again before it unlocks.
  [[nodiscard]] bool lock_or_note() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    // acq_rel: [A1] or [R1], whichever it becomes.
    while (!word_.compare_exchange_weak(seen, seen == kFree ? kHeld : kNoted,
                                        std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    if (seen != kFree) return false;
    Standing::enter(Standing::kSection);
    return true;
  }

  // Returns false if there was a note: the lock is still held, and the note is removed.
  [[nodiscard]] bool try_unlock() noexcept {
    std::uint32_t expected = kHeld;
    if (word_.compare_exchange_strong(expected, kFree, std::memory_order_release,  // [R2]
                                      std::memory_order_relaxed)) {
      Standing::leave(Standing::kSection);
      return true;
    }
    word_.exchange(kHeld, std::memory_order_acquire);  // [A2]
    return false;
  }

  // Returns true if there was a note: the caller must find a thread that looks.
  [[nodiscard]] bool unlock_anyway() noexcept {
    Standing::leave(Standing::kSection);
    return word_.exchange(kFree, std::memory_order_acq_rel) == kNoted;  // [R2] [A2]
  }

 private:
  static constexpr std::uint32_t kFree = 0, kHeld = 1, kNoted = 2;

  std::atomic<std::uint32_t> word_{kFree};
};

}  // namespace heddle::channel
