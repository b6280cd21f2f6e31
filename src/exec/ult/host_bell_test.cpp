#include "exec/ult/host_bell.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/test_seeds.h"
#include "exec/ult/completion.h"
#include "exec/ult/poller.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

constexpr int kWaiters = 3;

// Another process: it answers requests, and rings; it never nudges.
class Outside final : public Poller {
 public:
  Outside() {
    set_host_bell(&bell_);
    add_poller(*this);
    thread_ = std::thread([this] { answer(); });
  }
  ~Outside() override {
    ends_.store(true, std::memory_order_relaxed);
    thread_.join();
    remove_poller(*this);
    set_host_bell(nullptr);
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

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

// Ults of two workers, and a kernel thread. The ults also wait for each other, so the worker at the bell is woken from
// inside, too. A lost ring hangs.
void exchange(std::int64_t spin_ns, std::uint64_t yield_seed) {
  SCOPED_TRACE(testing::Message() << "spin " << spin_ns << ", yield seed " << yield_seed);
  const int rounds = TestSeeds::rounds(kSanitized ? 200 : 1000);
  Outside outside;
  ScopedScheduler scheduler({.workers = 2, .spin_ns = spin_ns, .yield_seed = yield_seed});
  std::vector<std::array<Completion, 2>> met(static_cast<std::size_t>(rounds));
  Ults ults;
  for (int self = 0; self < 2; ++self) {
    ults.run_on(self, [&, self] {
      for (auto& both : met) {
        outside.ask(self);
        both[static_cast<std::size_t>(self)].set();
        both[static_cast<std::size_t>(1 - self)].wait();
      }
    });
  }
  for (int i = 0; i < rounds; ++i) outside.ask(2);
  ults.join_all();
}

TEST(HostBell, WakesWorkersAndKernelThreads) {
  for (const unsigned seed : TestSeeds(1, 3)) {
    for (const std::int64_t spin_ns : {0, 20'000}) exchange(spin_ns, seed);
  }
}

}  // namespace
}  // namespace heddle::ult
