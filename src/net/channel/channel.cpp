#include "net/channel/channel.h"

#include "base/platform/clock.h"
#include "base/schedule_point.h"
#include "exec/ult/poller.h"

namespace heddle::channel {

namespace {
// After this many notes the holder has done enough for others; another thread may go on.
constexpr int kMostNotes = 16;
// How many pieces of each large message leave in a row, as long as there is room: then packets that
// have come get their turn.
constexpr int kRounds = 8;
// How long a thread polls for room before it may sleep. To wake one takes up to half of that;
// without it a sender and a receiver that run side by side would wake each other for each ring of
// data.
constexpr std::int64_t kPatienceNs = 100'000;
// Where no room came so, as where the receiver waits for this thread's core, a thread sleeps at
// once, but for each so many times.
constexpr unsigned kTries = 16;
}  // namespace

Channel::Channel(int number, transport::Transport& transport, transport::Upcall& upcall)
    : told_of_room_(transport.traits().tells_of_room),
      endpoint_(transport.open(number, upcall)),
      scratch_(transport.traits().packet_bytes) {}

Channel::~Channel() {
  take_inbox();
  for (IntrusiveList<Outbound>* list : {&kept_, &free_}) {
    while (Outbound* left = list->pop_front()) left->dropped();
  }
}

bool Channel::send_now(int to_host, transport::Bytes head, transport::Bytes body) noexcept {
  schedule_point();
  if (!lock_.try_lock()) return false;
  const bool sent =
      !inbox_.has_news() && kept_.empty() && endpoint_->send(to_host, head, body);  // I2
  unlock_and_leave();
  return sent;
}

void Channel::put(Outbound& outbound) noexcept {
  schedule_point();
  static_cast<void>(inbox_.push(outbound));  // no thread sleeps there
  schedule_point();
  if (!lock_.lock_or_note()) return;
  send_waiting();
  if (waiting()) set_busy(true);
  unlock_and_leave();
}

bool Channel::advance() noexcept {
  return lock_.try_lock() && look();
}

bool Channel::advance_surely() noexcept {
  return lock_.lock_or_note() && look();
}

bool Channel::look() noexcept {
  const bool progress = work();
  const Left left = unlock();
  if (left.more && left.counted_on) ult::nudge();
  return progress || left.more;
}

bool Channel::work() noexcept {
  const bool sent = send_waiting();
  const bool came = endpoint_->poll();
  set_busy(sent || came || waiting());
  return sent || came || needs_polls();
}

Channel::Left Channel::unlock() noexcept {
  bool more = needs_polls();
  for (int notes = 0; notes < kMostNotes; ++notes) {
    if (lock_.try_unlock()) return {more, notes > 0};
    more = work();
  }
  set_busy(true);
  return {lock_.unlock_anyway() || more, true};
}

void Channel::unlock_and_leave() noexcept {
  if (unlock().more) ult::nudge();
}

void Channel::take_inbox() noexcept {
  InboxNode* node = inbox_.take_all();
  while (node != nullptr) {
    auto& outbound = static_cast<Outbound&>(*node);
    node = node->next;
    (outbound.order() == Outbound::Order::kKept ? kept_ : free_).push_back(outbound);
  }
}

bool Channel::send_waiting() noexcept {
  bool progress = false, none = false;
  for (int round = 0; round < kRounds && !none; ++round) {
    take_inbox();
    const bool kept = send_kept();
    const bool free = send_free();
    none = !kept && !free;
    progress |= !none;
  }
  if (!none || !waiting()) {
    refused_since_ns_ = 0;
  } else if (progress || refused_since_ns_ == 0) {
    refused_since_ns_ = platform::now_ns();
    patient_ = patience_pays_ || ++refusals_ % kTries == 0;
  }
  return progress;
}

bool Channel::needs_polls() noexcept {
  if (!waiting()) return false;
  if (!told_of_room_ || refused_since_ns_ == 0) return true;
  patient_ = patient_ && platform::now_ns() - refused_since_ns_ < kPatienceNs;
  patience_pays_ = patient_;
  return patient_;
}

bool Channel::send_kept() noexcept {
  bool progress = false;
  while (Outbound* first = kept_.front()) {
    const Outbound::Step step = first->send_next(*endpoint_, scratch_);
    if (step == Outbound::Step::kRefused) break;
    progress = true;
    if (step == Outbound::Step::kMore) continue;
    kept_.pop_front();
    first->sent();
  }
  return progress;
}

// Sends one packet of each.
bool Channel::send_free() noexcept {
  bool progress = false;
  IntrusiveList<Outbound> again;
  while (Outbound* next = free_.pop_front()) {
    const Outbound::Step step = next->send_next(*endpoint_, scratch_);
    progress |= step != Outbound::Step::kRefused;
    if (step == Outbound::Step::kLast) {
      next->sent();
    } else {
      again.push_back(*next);
    }
  }
  while (Outbound* next = again.pop_front()) free_.push_back(*next);
  return progress;
}

}  // namespace heddle::channel
