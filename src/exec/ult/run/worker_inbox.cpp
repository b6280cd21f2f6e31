// What others tell a worker, and what it does with that. The tsan_release() and tsan_acquire() here
// say what the atomics beside them do: ThreadSanitizer sees none of these while the ult that takes
// the inbox is in its pthread_create.

#include "base/platform/futex.h"
#include "base/sanitizer.h"
#include "exec/ult/idle/bell_place.h"
#include "exec/ult/run/worker.h"

namespace heddle::ult {

void Worker::wake_from_afar(Ult& ult) noexcept {
  // Not the first wake-up since the last look: the record is in the inbox or on its way there.
  tsan_release(&ult.news);
  if (ult.news.fetch_add(1, std::memory_order_acq_rel) != 0) return;  // [R1]
  tsan_acquire(&ult.news);
  ult.here().put_into_inbox(ult);
}

void Worker::tell(Ult& ult, std::uint32_t news) noexcept {
  tsan_release(&ult.news);
  if (ult.news.fetch_or(news, std::memory_order_acq_rel) != 0) return;  // [R1]
  tsan_acquire(&ult.news);
  ult.here().put_into_inbox(ult);
}

// The item may be gone when this returns.
void Worker::put_into_inbox(InboxItem& item) noexcept {
  tsan_release(&inbox_);
  if (inbox_.push(item)) {
    // relaxed: the push has seen what was written before the sleep.
    const bool at_bell = awake_.load(std::memory_order_relaxed) == kAtBell;
    awake_.store(kAwake, std::memory_order_release);  // [R2]
    at_bell ? host_bell()->ring() : platform::futex_wake_one(awake_);
  } else if (const std::uint32_t awake = awake_.load(std::memory_order_relaxed); awake != kAwake)
      [[unlikely]] {
    interrupt(awake);
  }
}

void Worker::take_nodes(InboxNode* node) noexcept {
  tsan_acquire(&inbox_);
  while (node != nullptr) {
    InboxNode* rest = node->next;  // the node may be pushed again as soon as it is taken
    take_from_inbox(static_cast<InboxItem&>(*node));
    node = rest;
  }
}

void Worker::take_from_inbox(InboxItem& item) noexcept {
  switch (item.kind) {
    case ItemKind::kNews:
      return take_news(static_cast<Ult&>(item));
    case ItemKind::kThawed:
      count(remote_wakes_);
      return thaw_here(static_cast<FrozenUlts&>(item));
    case ItemKind::kHome:
      count(remote_wakes_);
      return make_ready(static_cast<Ult::Home&>(item).ult);
    case ItemKind::kLook:
      // A strand counts on it, even if there is something to run by now.
      look_outside(PollEffort::kThorough);
      return;
    case ItemKind::kTurn:
      has_turn_item_.store(false, std::memory_order_relaxed);
      return queue_.pass_all();
    case ItemKind::kStop:
      stopping_ = true;
  }
}

void Worker::take_news(Ult& ult) noexcept {
  ult.worker.store(this, std::memory_order_relaxed);  // [T1]
  tsan_release(&ult.news);
  const std::uint32_t news = ult.news.exchange(0, std::memory_order_acq_rel);  // [A1]
  tsan_acquire(&ult.news);
  ult.local_wakes += news & Ult::kWakes;
  count(remote_wakes_);
  if (news > Ult::kWakes) [[unlikely]]
    return take_rare_news(ult, news);
  if (ult.state == State::kCreated) {
    ult.prepare();
    --ult.local_wakes;  // spawn's
    make_ready(ult);
  } else if (ult.state == State::kParked) {
    make_ready(ult);
  }
}

void Worker::take_rare_news(Ult& ult, std::uint32_t news) noexcept {
  if ((news & Ult::kToMove) != 0) ult.turn.moves = true;
  if ((news & Ult::kAlert) != 0) ult.alerted.store(true, std::memory_order_relaxed);
  if ((news & Ult::kMoved) != 0 || ult.state == State::kCreated) {
    if (ult.state == State::kCreated) {
      ult.prepare();
      --ult.local_wakes;  // spawn's
    }
    make_ready(ult);
  } else if (ult.state == State::kParked && (news & (Ult::kWakes | Ult::kAlert)) != 0) {
    make_ready(ult);
  } else if (ult.state == State::kFrozen && (news & Ult::kAlert) != 0 &&
             ult.frozen_among->ults.remove(ult)) {
    ++ult.frozen_among->answering;
    ult.frozen_among = nullptr;
    ult.stays = true;
    make_ready(ult);
  }
}

}  // namespace heddle::ult
