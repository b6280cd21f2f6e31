// another_process.h — for tests: a thread that stands for another process, which answers requests
// and rings the host's bell.
//
// Thread safety: ask() by any strand, one at a time for each number.

#pragma once

#include <array>
#include <atomic>
#include <thread>

#include "exec/ult/completion.h"
#include "exec/ult/host_bell.h"
#include "exec/ult/poller.h"

namespace heddle::ult {

// It never nudges.
class AnotherProcess final : public Poller {
 public:
  static constexpr int kWaiters = 8;

  AnotherProcess() {
    set_host_bell(&bell_);
    add_poller(*this);
    thread_ = std::thread([this] { answer(); });
  }
  ~AnotherProcess() override {
    ends_.store(true, std::memory_order_relaxed);
    thread_.join();
    remove_poller(*this);
    set_host_bell(nullptr);
  }
  AnotherProcess(AnotherProcess&&) = delete;

  // May switch.
  void ask(int waiter) {
    Completion answered;
    asked_[static_cast<std::size_t>(waiter)].store(&answered, std::memory_order_release);
    answered.wait();
  }

  bool poll(int, PollEffort) noexcept override {
    bool progress = false;
    for (auto& each : arrived_) {
      Completion* const answered = each.load(std::memory_order_seq_cst) != nullptr  // with asleep_
                                       ? each.exchange(nullptr, std::memory_order_acquire)
                                       : nullptr;
      if (answered == nullptr) continue;
      answered->set();
      progress = true;
    }
    return progress;
  }

 private:
  void answer() {
    while (!ends_.load(std::memory_order_relaxed)) {
      for (std::size_t i = 0; i < kWaiters; ++i) {
        Completion* const asked = asked_[i].exchange(nullptr, std::memory_order_acquire);
        if (asked == nullptr) continue;
        arrived_[i].store(asked, std::memory_order_seq_cst);  // with asleep_
        bell_.ring_if_awaited();
      }
      std::this_thread::yield();
    }
  }

  platform::Bell bell_;
  std::array<std::atomic<Completion*>, kWaiters> asked_{};
  std::array<std::atomic<Completion*>, kWaiters> arrived_{};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace heddle::ult
