// eager_ring.h — the eager ring: messages that senders leave beside a lane, without its lock.
//
//   senders:                                            the receiver:
//   the ring's lock  ──write──► [ ][x][x][x][ ][ ]   ──read──►  the lane's lock
//
// By the lane alone each message of a pair of ranks moves two cache lines there and back: that of
// the lane's lock, and that of the receive that is posted. With a ring, the lane is the receiver's
// alone, and a message moves one line, or two, of which the receiver watches the first.
//
// A ring is open or closed. Lane::open_ring says which. It is written with both locks and read with
// either; without a lock it is a guess. held.h opens, reads and closes it.
//
//   opens    when a receive is about to be posted, after Lane::kSpunOften waits in a row that ended
//            in a spin, with a message that fits into a slot
//   closes   before a strand parks that waits for a receive in the lane; and when a message has to
//            be kept. A receive that no strand attends, a probe, a wildcard and a cancellation
//            close it, too. What is in it goes to the posted receives, and what is left is kept in
//            the lane.
//
// A receive is attended if the strand that waits for it, or asks whether it is done, reads the ring
// first.
//
// Invariants, when the lane's lock is free
//   M1  A closed ring is empty.
//   M2  The lane of an open one keeps no message, has no watcher, and only attended receives. It is
//       listed. No receive or probe with a wildcard waits that has looked at this lane; one for
//       other tags passes it by.
//   M3  A message in the ring is younger than what its strand sent by the lane's lock before. It is
//       older than what its strand sends so afterwards: such a message has the ring read before it
//       looks for its receive (LaneHeld::make_way).
//
// So a message in the ring needs no wake-up and no second look by its sender, and it is never
// compared with posted wildcards. models/eager_ring.pml checks this. Messages of one source in
// several lanes keep their order by `sent_at`, as others by `kept_at`.
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

// Two cache lines; a payload of up to 44 bytes touches only the first. More lines would gain where
// cores are far from each other, and lose where they share a cache (decision 186).
struct alignas(platform::kCacheLine) EagerSlot {
  static constexpr std::int64_t kMost = 108;

  std::atomic<std::uint32_t> number{0};  // which message is here, counted from 1
  int tag = 0;
  std::int64_t sent_at = 0;  // as UnexpectedMessage::kept_at
  std::uint32_t bytes = 0;
  std::byte data[kMost];

  static int lines_for(std::size_t bytes) noexcept {
    return offsetof(EagerSlot, data) + bytes <= platform::kCacheLine ? 1 : 2;
  }
};
static_assert(sizeof(EagerSlot) / platform::kCacheLine == 2);

class EagerRing {
 public:
#if defined(HEDDLE_FORCED_YIELDS)
  static constexpr std::uint32_t kSlots = 4;  // so that tests meet a full one
#else
  static constexpr std::uint32_t kSlots = 64;
#endif

  // ---- senders
  bool full() noexcept {
    if (written_ - seen_read_ < kSlots) [[likely]]
      return false;
    seen_read_ = shown_read_.load(std::memory_order_acquire);  // [A2]
    return written_ - seen_read_ >= kSlots;
  }
  // Requires that it is not full.
  void write(int tag, std::int64_t sent_at, const void* data, std::size_t bytes) noexcept {
    EagerSlot& slot = slots_[written_ % kSlots];
    slot.tag = tag;
    slot.sent_at = sent_at;
    slot.bytes = static_cast<std::uint32_t>(bytes);
    if (bytes == sizeof(std::int64_t)) {
      std::memcpy(slot.data, data, sizeof(std::int64_t));
    } else if (bytes != 0) {
      std::memcpy(slot.data, data, bytes);
    }
    slot.number.store(++written_, std::memory_order_release);  // [R1]
  }
  // The lines of a message like the last one, which the receiver had last.
  void fetch_next(std::size_t bytes) const noexcept {
    platform::fetch_for_writing(&slots_[written_ % kSlots], EagerSlot::lines_for(bytes));
  }

  // ---- receivers
  const EagerSlot* front() const noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed);
    const EagerSlot& slot = slots_[read % kSlots];
    return slot.number.load(std::memory_order_acquire) == read + 1 ? &slot : nullptr;  // [A1]
  }
  // Takes out the one in front. It is shown to senders now and then, so that they keep their line.
  void take() noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed) + 1;
    read_.store(read, std::memory_order_relaxed);
    if (read % (kSlots / 4) == 0) shown_read_.store(read, std::memory_order_release);  // [R2]
  }
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed);
    for (std::uint32_t number = read + 1; number - read <= kSlots; ++number) {
      const EagerSlot& slot = slots_[(number - 1) % kSlots];
      if (slot.number.load(std::memory_order_acquire) != number) return;  // [A1]
      visit(slot);
    }
  }
  std::uint32_t count() const noexcept {
    std::uint32_t there = 0;
    for_each([&there](const EagerSlot&) { ++there; });
    return there;
  }

  // ---- any strand
  // The next message is there once *word has come to `number`.
  struct Awaited {
    const std::atomic<std::uint32_t>* word;
    std::uint32_t number;
  };
  Awaited awaited() const noexcept {
    const std::uint32_t read = read_.load(std::memory_order_relaxed);
    return {&slots_[read % kSlots].number, read + 1};
  }

  // Lock: guards what senders write; held across a copy of two cache lines; taken after the
  // lane's, or alone.
  alignas(platform::kCacheLine) SpinLock lock;

 private:
  // [R1] pairs with [A1]: the receiver sees the message. [R2] pairs with [A2]: its place has been
  // read.
  std::uint32_t written_ = 0, seen_read_ = 0;
  alignas(platform::kCacheLine) std::atomic<std::uint32_t> read_{0};
  std::atomic<std::uint32_t> shown_read_{0};
  EagerSlot slots_[kSlots];
};

}  // namespace heddle::match
