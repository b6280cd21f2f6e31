#include "mpi/match/posted_queue.h"

#include <numeric>

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

bool PostedQueue::is_valid() const noexcept {
  if (!posted_.is_valid()) return false;
  std::array<std::uint32_t, kShapes> of_shape{};
  bool in_order = true;
  const PostedReceive* last = nullptr;
  for_each([&](const PostedReceive& receive) {
    if (const Shape shape = shape_of(receive.key); shape != kExact) ++of_shape[shape];
    in_order &= receive.order <= last_order_;
    if (last != nullptr && last->key == receive.key) in_order &= last->order < receive.order;
    last = &receive;
  });
  return in_order && of_shape == posted_of_shape_ &&
         wildcards_ == std::accumulate(of_shape.begin(), of_shape.end(), 0u);
}

}  // namespace heddle::match
