// mailbox.h — small messages that senders leave beside a lane without its lock: letters.
//
//   senders:                                            receivers:
//   the mailbox's lock  ──write──► [ ][x][x][x][ ][ ]   ──read──►  the lane's lock
//
// Without a mailbox each message of a pair of ranks moves two lines there and back: that of the
// lane's lock, and that of the receive that is posted. With one, the lane is the receiver's alone,
// and a message moves one line, which the receiver watches.
//
// A mailbox is open or closed. Lane::open_mailbox says which. It is written with both locks and
// read with either; without a lock it is a guess. A mailbox without its lane is only a ring; held.h
// opens, reads and closes it.
//
//   opens    when a receive is about to be posted, after Lane::kSpunOften waits in a row that ended
//            in a spin, with a message that fits into a letter
//   closes   before a strand parks that waits for a receive in the lane; and when a message has to
//            be kept. A receive that no strand attends, a probe, a wildcard and a cancellation
//            close it, too. What is in it goes to the posted receives, and what is left is kept in
//            the lane.
//
// A receive is attended if the strand that waits for it, or asks whether it is done, reads the
// letters first.
//
// Invariants, when the lane's lock is free
//   M1  A closed mailbox is empty.
//   M2  The lane of an open one keeps no message, has no watcher, and only attended receives. It is
//       listed. No receive or probe with a wildcard waits that has looked at this lane; one for
//       other tags passes it by.
//   M3  A letter is younger than what its strand sent by the lane's lock before. It is older than
//       what its strand sends so afterwards: such a message has all letters read before it looks
//       for its receive (LaneHeld::make_way).
//
// So a letter needs no wake-up and no second look by its sender, and it is never compared with
// posted wildcards. models/mailbox.pml checks this. Messages of one source in several lanes keep
// their order by `sent_at`, as others by `kept_at`.
//
// Thread safety: full(), write() and fetch_next() any strand with `lock`; take(), count() and
// for_each() with the lane's lock; front() too, and as a guess any strand; awaited() any strand.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/platform/cpu.h"
#include "base/spin_lock.h"

namespace heddle::match {

// Two cache lines; a payload of up to 44 bytes touches only the first.
struct alignas(platform::kCacheLine) Letter {
  static constexpr std::int64_t kMost = 108;

  std::atomic<std::uint32_t> number{0};  // which one is here, counted from 1
  int tag = 0;
  std::int64_t sent_at = 0;  // as UnexpectedMessage::kept_at
  std::uint32_t bytes = 0;
  std::byte data[kMost];
};
static_assert(sizeof(Letter) / platform::kCacheLine == 2);

class Mailbox {
 public:
#if defined(HEDDLE_FORCED_YIELDS)
  static constexpr std::uint32_t kLetters = 4;  // so that tests meet a full one
#else
  static constexpr std::uint32_t kLetters = 64;
#endif

  // ---- senders
  bool full() noexcept {
    if (written_ - seen_read_ < kLetters) [[likely]]
      return false;
    seen_read_ = shown_read_.load(std::memory_order_acquire);  // [A2]
    return written_ - seen_read_ >= kLetters;
  }
  // Requires that it is not full.
  void write(int tag, std::int64_t sent_at, const void* data, std::size_t bytes) noexcept {
    Letter& letter = letters_[written_ % kLetters];
    letter.tag = tag;
    letter.sent_at = sent_at;
    letter.bytes = static_cast<std::uint32_t>(bytes);
    if (bytes == sizeof(std::int64_t)) {
      std::memcpy(letter.data, data, sizeof(std::int64_t));
    } else if (bytes != 0) {
      std::memcpy(letter.data, data, bytes);
    }
    letter.number.store(++written_, std::memory_order_release);  // [R1]
  }
  // The next letter's line, which the receiver had last.
  void fetch_next() const noexcept {
    platform::fetch_for_writing(&letters_[written_ % kLetters], 1);
  }

  // ---- receivers
  const Letter* front() const noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed);
    const Letter& letter = letters_[read % kLetters];
    return letter.number.load(std::memory_order_acquire) == read + 1 ? &letter : nullptr;  // [A1]
  }
  // Takes out the one in front. It is shown to senders now and then, so that they keep their line.
  void take() noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed) + 1;
    read_.store(read, std::memory_order_relaxed);
    if (read % (kLetters / 4) == 0) shown_read_.store(read, std::memory_order_release);  // [R2]
  }
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed);
    for (std::uint32_t number = read + 1; number - read <= kLetters; ++number) {
      const Letter& letter = letters_[(number - 1) % kLetters];
      if (letter.number.load(std::memory_order_acquire) != number) return;  // [A1]
      visit(letter);
    }
  }
  std::uint32_t count() const noexcept {
    std::uint32_t there = 0;
    for_each([&there](const Letter&) { ++there; });
    return there;
  }

  // ---- any strand
  // The next letter is there once *word has come to `number`.
  struct Awaited {
    const std::atomic<std::uint32_t>* word;
    std::uint32_t number;
  };
  Awaited awaited() const noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed);
    return {&letters_[read % kLetters].number, read + 1};
  }

  // Lock: guards what senders write; held across a copy of two cache lines; taken after the lane's,
  // or alone.
  alignas(platform::kCacheLine) SpinLock lock;

 private:
  // [R1] pairs with [A1]: the receiver sees the letter. [R2] pairs with [A2]: its place has been
  // read.
  std::uint32_t written_ = 0, seen_read_ = 0;
  alignas(platform::kCacheLine) std::atomic<std::uint32_t> read_{0};
  std::atomic<std::uint32_t> shown_read_{0};
  Letter letters_[kLetters];
};

}  // namespace heddle::match
