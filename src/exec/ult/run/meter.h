// meter.h — charges the processor time of a worker's kernel thread to the accounts of its ults.
//
// To read the thread's own clock (CLOCK_THREAD_CPUTIME_ID) takes a system call. So a switch after a
// short run reads CLOCK_MONOTONIC instead, and charges the time that has passed. This is usually
// right: a thread that loses its core usually loses it for longer than a short run. After a long
// run, or many short ones, the meter reads the thread's clock and settles. The last ult is charged
// with what the thread has used since the previous reading, minus what was charged since then. If
// too much was charged, it gets nothing, and the rest is taken from later charges. So the accounts
// contain time of other processes only until the next settling, and never more than I1 allows.
//
// Invariants
//   I1  The accounts' sum is not more than what the threads used, apart from kMostEstimated for
//       each meter.
//   I2  `busy_` holds while the fields change: a signal that comes then leaves them alone.
//
// Thread safety: the strands of its worker, and signal handlers on them, unless a function says
// otherwise.

#pragma once

#include <atomic>
#include <cstdint>

#include "exec/ult/account.h"

namespace heddle::ult {

enum class Settle { kIfLong, kNow };

// metering() is true if meters run. start_metering() returns false if they ran before.
bool metering() noexcept;
bool start_metering() noexcept;

// The processor time of the calling kernel thread.
std::int64_t thread_processor_time() noexcept;

// The account of the calling strand.
Account* current_account() noexcept;
void set_current_account(Account* account) noexcept;

class Meter {
 public:
  explicit Meter(int worker) noexcept : worker_(worker) {}
  // Charges the account of the ult that has run; `next` is that of the one that runs from now on.
  void turn_to(Account* next, Settle settle = Settle::kIfLong) noexcept;
  // Called in a signal handler: charges the ult that the signal has interrupted. `account` is that
  // ult's; a meter that has not started needs it.
  void tick(Account* account) noexcept;
  // All that it has charged to accounts. Any thread.
  std::int64_t charged_ns() const noexcept { return charged_ns_.load(std::memory_order_relaxed); }
  // Called when another kernel thread runs the worker.
  void forget() noexcept { started_ = false; }

 private:
  static constexpr std::int64_t kShort = 20'000;
  static constexpr std::int64_t kMostEstimated = 1'000'000;

  void start(Account* next) noexcept;
  std::int64_t spent_until(std::int64_t now, Settle settle) noexcept;

  const int worker_;  // its number
  bool started_ = false;
  std::atomic<bool> busy_{false};
  Account* running_ = nullptr;
  std::int64_t wall_ns_ = 0;                 // CLOCK_MONOTONIC when `running_` began
  std::int64_t processor_ns_ = 0;            // the thread's clock when it was read last
  std::int64_t estimated_ns_ = 0;            // charged since then
  std::atomic<std::int64_t> charged_ns_{0};  // one writer, the thread of the worker
};

}  // namespace heddle::ult
