// account.h — a sum of processor time, of a ult or of a rank. Time added to a ult's account is also
// added to its rank's.
//
// processor_time.h says what is charged to which account.
//
// Thread safety: open() before anything is added; the rest any thread.

#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::ult {

class Account {
 public:
  // Makes it empty; `whole`, if not null, is the account that receives the same additions.
  void open(Account* whole) noexcept {
    whole_ = whole;
    nanoseconds_.store(0, std::memory_order_relaxed);
  }
  void add(std::int64_t nanoseconds) noexcept {
    // relaxed: a sum, which orders nothing else.
    nanoseconds_.fetch_add(nanoseconds, std::memory_order_relaxed);
    if (whole_ != nullptr) whole_->add(nanoseconds);
  }
  std::int64_t nanoseconds() const noexcept { return nanoseconds_.load(std::memory_order_relaxed); }

 private:
  Account* whole_ = nullptr;
  std::atomic<std::int64_t> nanoseconds_{0};
};

}  // namespace heddle::ult
