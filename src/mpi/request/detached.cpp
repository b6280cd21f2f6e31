#include "mpi/request/detached.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::request {

void Detached::add(object::Ref<Request> request) {
  std::array<object::Ref<Request>, kLooks> finished;  // ended without the lock
  SpinGuard guard(lock_);
  waiting_.push_back(std::move(request));
  const std::size_t looks = std::min(kLooks, waiting_.size());
  for (std::size_t i = 0; i < looks; ++i) {
    object::Ref<Request> next = std::move(waiting_.front());
    waiting_.pop_front();
    if (next->completion().done()) {  // it stands alone
      finished[i] = std::move(next);
    } else {
      waiting_.push_back(std::move(next));
    }
  }
}

void Detached::end_all() {
  std::deque<object::Ref<Request>> all;  // ended without the lock
  SpinGuard guard(lock_);
  all.swap(waiting_);
}

}  // namespace heddle::request
