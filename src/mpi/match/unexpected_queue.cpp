#include "mpi/match/unexpected_queue.h"

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

}  // namespace heddle::match
