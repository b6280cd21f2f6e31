#include "mpi/request/detached.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace heddle::request {

void Detached::add(object::Ref<Request> request) {
  // Looked at and ended without the lock: a look may copy a section (following.h).
  std::array<object::Ref<Request>, kLooks> next;
  {
    SpinGuard guard(lock_);
    waiting_.push_back(std::move(request));
    for (std::size_t i = 0; i < kLooks && !waiting_.empty(); ++i) {
      next[i] = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }
  for (object::Ref<Request>& looked_at : next) {
    if (!looked_at || looked_at->done()) continue;
    SpinGuard guard(lock_);
    waiting_.push_back(std::move(looked_at));
  }
}

bool Detached::any_active() noexcept {
  std::deque<object::Ref<Request>> all = take_all();
  const bool any = std::ranges::any_of(all, [](const auto& request) { return !request->done(); });
  SpinGuard guard(lock_);
  waiting_.insert(waiting_.end(), std::make_move_iterator(all.begin()),
                  std::make_move_iterator(all.end()));
  return any;
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
