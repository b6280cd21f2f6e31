#include "mpi/match/lane.h"

#include <unordered_set>

namespace heddle::match {

void Lane::tell_watchers(const Key& message) noexcept {
  for (auto it = watchers.begin(); it != watchers.end();) {
    Watcher& watcher = *it;
    ++it;
    if (!fits(watcher.wanted, message)) continue;
    IntrusiveList<Watcher>::erase(watcher);
    if (is_wildcard(watcher.wanted)) {
      static_cast<Scope*>(this)->remove_waiting(watcher.wanted.tag);
    }
    watcher.arrived();
  }
}

void Lane::take_delivery() noexcept {
  if (fresh.empty()) return;
  stock.messages.take_over(fresh, fresh_count);
  fresh_count = 0;
  sorts_early = stock.messages.out_of_order();
  ++stock.deliveries;
  stock.last_order = posted.set_aside(stock.messages.length());
}

bool Lane::is_valid() const noexcept {
  if (!posted.is_valid() || !fresh.is_valid(fresh_count) || !stock.messages.is_valid())
    return false;
  if (!watchers.is_valid() || stocked() == stock.messages.empty()) return false;
  bool sound = listed || (fresh.empty() && stock.messages.empty());
  std::unordered_set<int> tags;  // of the messages: all else of their envelopes is the lane's
  const auto look_at = [&](const UnexpectedMessage& message) {
    sound &= message.lane == this && message.key.source == source();
    tags.insert(message.key.tag);
  };
  fresh.for_each(look_at);
  stock.messages.for_each(look_at);
  posted.for_each([&](const PostedReceive& receive) {
    sound &= receive.lane == this && !tags.contains(receive.key.tag);
  });
  return sound;
}

UnexpectedMessage* Lane::take_any() noexcept {
  take_delivery();
  return stock.messages.take({id.load(std::memory_order_relaxed), source(), MPI_ANY_TAG});
}

void Lane::find_spares(MPI_Count bytes) noexcept {
  spares.swap(returned, bytes);
  if (spares.next(bytes) != nullptr || !stock.lock.try_lock()) return;  // who has it may be sorting
  spares.swap(stock.used, bytes);
  stock.lock.unlock();
}

void Lane::sort_pile() noexcept {
  if (!stock.lock.try_lock()) return;  // a receiver is there
  take_delivery();
  stock.messages.sort_all();
  show_stock();
  stock.lock.unlock();
}

void Scope::take_news() noexcept {
  for (InboxNode* node = news.take_all_visibly(); node != nullptr;) {
    Lane& lane = static_cast<Lane&>(*node);
    node = node->next;
    busy.push_back(lane);
  }
}

void Scope::add_waiting(int tag) noexcept {
  if (tag == MPI_ANY_TAG) {
    ++waiting_for_any_tag;
  } else if (waiting[place_of(tag)]++ == 0) {
    awaited_tags |= bit_of(tag);
  }
  show_awaited();
}

void Scope::remove_waiting(int tag) noexcept {
  if (tag == MPI_ANY_TAG) {
    --waiting_for_any_tag;
  } else if (--waiting[place_of(tag)] == 0) {
    awaited_tags &= ~bit_of(tag);
  }
  show_awaited();
}

void Scope::show_awaited() noexcept {
  awaited.store(waiting_for_any_tag != 0 ? ~std::uint64_t{0} : awaited_tags,
                std::memory_order_relaxed);
}

}  // namespace heddle::match
