#include "mpi/match/posted_queue.h"

namespace heddle::match {

PostedReceive* PostedQueue::find_beside_wildcards(const Key& message) noexcept {
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

}  // namespace heddle::match
