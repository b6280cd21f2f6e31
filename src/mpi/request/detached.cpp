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

bool Detached::any_active() noexcept {
  SpinGuard guard(lock_);
  return std::ranges::any_of(waiting_,
                             [](const auto& request) { return !request->completion().done(); });
}

std::deque<object::Ref<Request>> Detached::take_all() {
  std::deque<object::Ref<Request>> all;
  SpinGuard guard(lock_);
  all.swap(waiting_);
  return all;
}

void Detached::await_all() {
  for (const object::Ref<Request>& request : take_all()) request->wait();
}

void Detached::end_all() {
  take_all();
}

}  // namespace heddle::request
