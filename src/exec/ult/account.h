// account.h — a sum of processor time, of a ult or of a rank. Time added to a ult's account is also
// added to its rank's. A rank's may also keep what each worker has added.
//
// processor_time.h says what is charged to which account.
//
// Thread safety: open() before anything is added; the rest any thread.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::ult {

class Account {
 public:
  // Makes it empty; `whole`, if not null, is the account that receives the same additions.
  void open(Account* whole) noexcept {
    whole_ = whole;
    nanoseconds_.store(0, std::memory_order_relaxed);
  }
  // Keeps in cell `w` what worker w adds. The cells live as long as the account.
  void keep_by_worker(std::span<std::atomic<std::int64_t>> cells) noexcept { by_worker_ = cells; }

  // `worker`: that has spent it; -1: another kernel thread.
  void add(std::int64_t nanoseconds, int worker) noexcept {
    // relaxed: sums, which order nothing else.
    nanoseconds_.fetch_add(nanoseconds, std::memory_order_relaxed);
    if (const auto at = static_cast<std::size_t>(worker); at < by_worker_.size()) {
      by_worker_[at].fetch_add(nanoseconds, std::memory_order_relaxed);
    }
    if (whole_ != nullptr) whole_->add(nanoseconds, worker);
  }
  std::int64_t nanoseconds() const noexcept { return nanoseconds_.load(std::memory_order_relaxed); }

 private:
  Account* whole_ = nullptr;
  std::span<std::atomic<std::int64_t>> by_worker_;
  std::atomic<std::int64_t> nanoseconds_{0};
};

}  // namespace heddle::ult
