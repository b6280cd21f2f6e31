#include "mpi/match/match_table.h"

namespace heddle::match {

PostedReceive* MatchTable::oldest_posted(const Key& message) const noexcept {
  PostedReceive* oldest = posted_.front(message);
  for (unsigned shape = kAnyTag; shape < kShapes; ++shape) {
    if (posted_of_shape_[shape] == 0) continue;
    PostedReceive* receive = posted_.front(pattern_for(message, shape));
    if (receive != nullptr && (oldest == nullptr || receive->order < oldest->order)) {
      oldest = receive;
    }
  }
  return oldest;
}

UnexpectedMessage* MatchTable::oldest_unexpected(const Pattern& wanted) noexcept {
  for (UnexpectedMessage& message : arrivals_) {
    if (fits(wanted, message.key)) return &message;
  }
  return nullptr;
}

}  // namespace heddle::match
