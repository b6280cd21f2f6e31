#include "mpi/match/unexpected_queue.h"

#include <unordered_map>

namespace heddle::match {

UnexpectedMessage* UnexpectedQueue::take_slow(const Pattern& wanted) noexcept {
  if (is_wildcard(wanted)) {
    UnexpectedMessage* message = peek(wanted);
    if (message != nullptr) remove(*message);
    return message;
  }
  if (UnexpectedMessage* message = sorted_.front(wanted)) {
    if (message != arrivals_.front()) taken_out_of_order_ = true;
    remove(*message);
    return message;
  }
  taken_out_of_order_ = true;
  while (!unsorted_.empty()) {
    UnexpectedMessage& message = unsorted_.pop();
    if (message.key == wanted) {
      --count_;
      return &message;
    }
    sort(message);
  }
  return nullptr;
}

UnexpectedMessage* UnexpectedQueue::find_for_wildcard(const Pattern& wanted) noexcept {
  for (UnexpectedMessage& message : arrivals_) {
    if (fits(wanted, message.key)) return &message;
  }
  return nullptr;
}

bool UnexpectedQueue::is_valid() const noexcept {
  if (!sorted_.is_valid() || !arrivals_.is_valid()) return false;
  std::unordered_map<const UnexpectedMessage*, std::uint64_t> places;  // in arrivals_
  for (const UnexpectedMessage& message : arrivals_) places.emplace(&message, places.size());
  std::uint64_t sorted = 0;
  bool in_order = true;
  const UnexpectedMessage* last = nullptr;
  sorted_.for_each([&](const UnexpectedMessage& message) {
    ++sorted;
    in_order &= places.contains(&message);
    if (last != nullptr && last->key == message.key) in_order &= places[last] < places[&message];
    last = &message;
  });
  return in_order && sorted == places.size() && sorted <= count_ &&
         unsorted_.is_valid(count_ - sorted);
}

}  // namespace heddle::match
