#include "exec/ult/host_bell.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "base/test_seeds.h"
#include "exec/ult/another_process.h"
#include "exec/ult/completion.h"
#include "exec/ult/stillness.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

// Ults of two workers, and a kernel thread. The ults also wait for each other, so the worker at the bell is woken from
// inside, too. A lost ring hangs.
void exchange(std::int64_t spin_ns, std::uint64_t yield_seed) {
  SCOPED_TRACE(testing::Message() << "spin " << spin_ns << ", yield seed " << yield_seed);
  const int rounds = TestSeeds::rounds(kSanitized ? 200 : 1000);
  AnotherProcess outside;
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

// Keeps a kernel thread that waits in its poll, as one with a transport's lock and a packet in its hands is.
class SlowPoller final : public Poller {
 public:
  SlowPoller() { add_poller(*this); }
  ~SlowPoller() override { remove_poller(*this); }
  bool poll(int worker, PollEffort) noexcept override {
    if (worker >= 0) return false;
    inside.store(true);
    while (!may_leave.load()) std::this_thread::yield();
    return false;
  }
  std::atomic<bool> inside{false}, may_leave{false};
};

bool stands_still() {
  const Stillness before;
  return before.holds();
}

// Outlives the scheduler, as host_bell.h asks.
struct ScopedBell {
  ScopedBell() { set_host_bell(&bell); }
  ~ScopedBell() { set_host_bell(nullptr); }
  platform::Bell bell;
};

TEST(HostBell, AProcessWhoseKernelThreadPollsDoesNotStandStill) {
  ScopedBell bell;
  ScopedScheduler scheduler(1);
  SlowPoller poller;
  Completion end;
  std::thread judge([&] {
    while (!poller.inside.load() || rings_before_sleep() == 0) std::this_thread::yield();
    for (int looks = 0; looks < 1000; ++looks) EXPECT_FALSE(stands_still());  // the worker sleeps
    poller.may_leave = true;
    while (!stands_still()) std::this_thread::yield();
    end.set();
  });
  end.wait();
  judge.join();
}

}  // namespace
}  // namespace heddle::ult
