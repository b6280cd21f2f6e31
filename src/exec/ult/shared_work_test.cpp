#include "exec/ult/shared_work.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "base/platform/cpu.h"
#include "base/test_seeds.h"
#include "exec/ult/poller.h"
#include "exec/ult/strand.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

// So many that a sleeping worker is woken for them.
constexpr std::uint32_t kMany = 128;

class Parts final : public SharedWork {
 public:
  explicit Parts(std::function<void(std::uint32_t)> body) : body_(std::move(body)) {}
  void do_part(std::uint32_t part) noexcept override { body_(part); }

 private:
  std::function<void(std::uint32_t)> body_;
};

TEST(SharedWork, IsDoneInOrderWhereNobodyCanHelp) {
  const ScopedScheduler scheduler(1);
  std::vector<std::uint32_t> order;
  Parts work([&](std::uint32_t part) { order.push_back(part); });
  Ults ults;
  ults.run([&] { share(work, 5); });
  ults.join_all();
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(SharedWork, LetsOthersOfItsWorkerRunBetweenParts) {
  const ScopedScheduler scheduler(1);
  std::uint32_t done = 0, done_when_run = 0;
  Parts work([&](std::uint32_t) { ++done; });
  Ults ults;
  ults.run([&] {
    Ults inner;
    inner.run([&] { done_when_run = done; });
    share(work, 5);
  });
  ults.join_all();
  EXPECT_EQ(done, 5U);
  EXPECT_EQ(done_when_run, 1U);
}

// The owner cannot end its first part before a helper has done another one, from the back.
void someone_helps(std::int64_t spin_ns) {
  const ScopedScheduler scheduler(SchedulerOptions{.workers = 2, .spin_ns = spin_ns});
  std::atomic<std::uint32_t> first_of_helper{0};
  Parts work([&](std::uint32_t part) {
    if (part != 0) {
      std::uint32_t none = 0;
      first_of_helper.compare_exchange_strong(none, part);
    } else {
      while (first_of_helper.load() == 0) platform::cpu_relax();
    }
  });
  Ults ults;
  ults.run_on(0, [&] {
    while (spin_ns == 0 && counters().kernel_sleeps == 0) platform::cpu_relax();
    share(work, kMany);
  });
  ults.join_all();
  EXPECT_EQ(first_of_helper.load(), kMany - 1);
}

TEST(SharedWork, IsHelpedByAWorkerThatSpins) {
  someone_helps(1'000'000'000);
}

TEST(SharedWork, WakesAWorkerThatSleeps) {
  someone_helps(0);
}

TEST(SharedWork, OfAKernelThreadIsHelpedToo) {
  const ScopedScheduler scheduler(2);
  std::atomic<std::uint32_t> helped{0};
  const std::thread::id owner = std::this_thread::get_id();
  Parts work([&](std::uint32_t part) {
    if (std::this_thread::get_id() != owner) ++helped;
    while (part == 0 && helped.load() == 0) std::this_thread::yield();
  });
  share(work, kMany);
  EXPECT_NE(helped.load(), 0U);
}

// A helper ends the part that it is at, and perhaps one that it has taken just then.
TEST(SharedWork, IsLeftByAHelperThatHasSomethingToRun) {
  const ScopedScheduler scheduler(2);
  Strand* sleeper = nullptr;
  std::atomic<bool> parked{false}, woken{false}, ran{false};
  std::atomic<int> helped{0}, too_late{0};
  Ults ults;
  ults.run_on(1, [&] {
    sleeper = &Strand::current();
    parked = true;
    Strand::park();
    ran = true;
  });
  Parts work([&](std::uint32_t part) {
    if (part != 0) {
      ++helped;
      if (woken && !ran) ++too_late;
      return;
    }
    while (helped == 0) platform::cpu_relax();
    sleeper->wake();
    woken = true;
    while (!ran) platform::cpu_relax();
  });
  ults.run_on(0, [&] {
    while (!parked) yield();
    share(work, 1 << 20);
  });
  ults.join_all();
  EXPECT_LE(too_late.load(), 1);
}

// Every part writes to a page of its own. Pages cannot be written to before the owner comes to them.
class Pages {
 public:
  static constexpr std::size_t kBytes = 4096;

  Pages() : memory_(mmap(nullptr, kMany * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    faults = 0;
    struct sigaction action = {};
    action.sa_sigaction = [](int, siginfo_t* info, void* context) {
      ++faults;
      give_part_back(*info, static_cast<const ucontext_t*>(context)->uc_sigmask);
      _exit(1);  // it is the owner's
    };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &previous_);
  }
  ~Pages() {
    sigaction(SIGSEGV, &previous_, nullptr);
    munmap(memory_, kMany * kBytes);
  }
  int* at(std::uint32_t part) {
    return reinterpret_cast<int*>(static_cast<std::byte*>(memory_) + part * kBytes);
  }
  void allow(std::uint32_t part) { mprotect(at(part), kBytes, PROT_READ | PROT_WRITE); }

  static inline std::atomic<int> faults{0};

 private:
  void* const memory_;
  struct sigaction previous_ = {};
};

TEST(SharedWork, TakesBackPartsInWhichHelpersCrash) {
  const ScopedScheduler scheduler(3);
  Pages pages;
  std::atomic<const Ult*> owner{nullptr};
  Parts work([&](std::uint32_t part) {
    if (current() == owner.load()) pages.allow(part);
    while (part == 0 && Pages::faults == 0) platform::cpu_relax();
    ++*pages.at(part);
  });
  Ults ults;
  ults.run_on(0, [&] {
    owner = current();
    share(work, kMany);
  });
  ults.join_all();
  EXPECT_GE(Pages::faults.load(), 1);
  EXPECT_LE(Pages::faults.load(), 2);
  for (std::uint32_t part = 0; part < kMany; ++part) EXPECT_EQ(*pages.at(part), 1) << part;
}

// A program's handler that aborts is no fault of the part: were that given back, the job would go on.
TEST(SharedWork, DoesNotTakeBackPartsInWhichASignalIsSent) {
  const ScopedScheduler scheduler(2);
  struct sigaction action = {}, previous = {};
  action.sa_sigaction = [](int, siginfo_t* info, void* context) {
    give_part_back(*info, static_cast<const ucontext_t*>(context)->uc_sigmask);
  };
  action.sa_flags = SA_SIGINFO;
  for (const int signal : {SIGABRT, SIGSEGV}) {
    sigaction(signal, &action, &previous);
    const std::thread::id main = std::this_thread::get_id();
    std::array<std::atomic<int>, kMany> begun{}, ended{};
    Parts work([&](std::uint32_t part) {
      ++begun[part];
      if (std::this_thread::get_id() != main) raise(signal);
      while (part == 0 && begun[kMany - 1] == 0) platform::cpu_relax();
      ++ended[part];
    });
    share(work, kMany);
    sigaction(signal, &previous, nullptr);
    for (std::uint32_t part = 0; part < kMany; ++part) {
      EXPECT_EQ(begun[part].load(), 1) << part;
      EXPECT_EQ(ended[part].load(), 1) << part;
    }
  }
}

// Makes a strand ready, once: on the worker that polls, if that is the strand's.
class WakesOnce final : public Poller {
 public:
  WakesOnce() { add_poller(*this); }
  ~WakesOnce() override { remove_poller(*this); }
  bool poll(int worker, PollEffort) noexcept override {
    if (worker != 1 || !due || woken.exchange(true)) return false;
    sleeper.load()->wake();
    return true;
  }
  std::atomic<Strand*> sleeper{nullptr};
  std::atomic<bool> due{false}, woken{false};
};

TEST(SharedWork, IsLeftAloneByAWorkerThatHasFoundSomethingToRun) {
  const ScopedScheduler scheduler(SchedulerOptions{.workers = 2, .spin_ns = 1'000'000'000});
  WakesOnce poller;
  std::atomic<bool> ran{false};
  std::atomic<int> too_late{0};
  Ults ults;
  ults.run_on(1, [&] {
    poller.sleeper = &Strand::current();
    Strand::park();
    ran = true;
  });
  Parts work([&](std::uint32_t part) {
    if (part != 0) {
      if (poller.woken && !ran) ++too_late;
      return;
    }
    poller.due = true;
    while (!ran) platform::cpu_relax();
  });
  ults.run_on(0, [&] {
    while (poller.sleeper == nullptr) yield();
    share(work, 1 << 20);
  });
  ults.join_all();
  EXPECT_EQ(too_late.load(), 0);
}

// Strands that share work after work, with other ults in between that keep workers from helping. Each
// part is a plain variable that is written once: a part done twice, late or never shows.
void storm(std::uint64_t seed, int owners) {
  const ScopedScheduler scheduler(3, seed);
  const int rounds = TestSeeds::rounds(kSanitized ? 40 : 200);
  std::atomic<int> wrong{0};
  const auto own = [&](int me) {
    Random random(seed * 1000 + static_cast<std::uint64_t>(me));
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> done(1 + random.below(200));
      Parts work([&](std::uint32_t part) { ++done[part]; });
      share(work, static_cast<std::uint32_t>(done.size()));
      if (!std::ranges::all_of(done, [](int times) { return times == 1; })) ++wrong;
      if (random.below(4) == 0) yield();
    }
  };
  std::thread kernel_thread([&] { own(owners); });
  {
    Ults ults;
    for (int i = 0; i < owners; ++i) ults.run_on(i % 2, [&own, i] { own(i); });
  }
  kernel_thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(SharedWork, IsDoneOnceInAnyScheduleOfManySeeds) {
  for (const unsigned seed : TestSeeds(1, 5)) storm(seed, 4);
}

TEST(SharedWork, OfMoreStrandsThanHavePlacesIsDone) {
  storm(1, 50);
}

}  // namespace
}  // namespace heddle::ult
