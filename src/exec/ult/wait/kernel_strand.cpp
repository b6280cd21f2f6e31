#include "exec/ult/wait/kernel_strand.h"

#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/cpu.h"
#include "base/platform/futex.h"
#include "exec/ult/idle/bell_place.h"
#include "exec/ult/idle/pollers.h"
#include "exec/ult/own_sleep.h"
#include "exec/ult/run/worker_table.h"
#include "exec/ult/under_way.h"
#include "exec/ult/wait/lending.h"

namespace heddle::ult {

namespace {
// Shorter than a worker's: this thread may be taking a core from one.
constexpr std::int64_t kSpinNs = 5'000;
// Looks before the first one at the clock, which takes longer.
constexpr int kFirstLooks = 8;
// How often it gives the core away before it sleeps. Where no other thread wants the core, that
// takes 10 us.
constexpr int kYields = 20;

// seq_cst, both: a thread counts as awake before it takes what another one then finds taken, and
// goes to sleep without it.
constinit std::atomic<int> awake_in_waits{0};
constinit std::atomic<std::uint64_t> sleeps_for_good{0};

// True if it found something.
bool look_around() noexcept {
  const bool progress = poll_all(-1, PollEffort::kIdle);
  return look_after_ults() || progress;
}

// Called before a sleep.
bool finds_something() noexcept {
  return poll_all(-1, PollEffort::kThorough) || ults_want_a_thread();
}
}  // namespace

KernelStrand& KernelStrand::mine() noexcept {
  alignas(
      KernelStrand) static thread_local constinit unsigned char storage[sizeof(KernelStrand)] = {};
  static thread_local constinit KernelStrand* strand = nullptr;
  if (strand == nullptr) strand = new (storage) KernelStrand();
  return *strand;
}

void KernelStrand::wake() noexcept {
  // Only the address of word_ is used after the wake-up is visible.
  const std::uint32_t before = word_.fetch_add(kOneWake, std::memory_order_release);  // [R1]
  if ((before & kAsleep) != 0) let_go(before);
}

void KernelStrand::let_go(std::uint32_t asleep) noexcept {
  if ((asleep & kAtBell) == 0) return platform::futex_wake_one(word_);
  // The bell is the process's: it stays until no thread waits any more.
  if (platform::Bell* const bell = host_bell()) bell->ring();
}

void KernelStrand::rouse() noexcept {
  std::uint32_t asleep = word_.load(std::memory_order_relaxed);
  // relaxed: the work that it shall find has a lock of its own. If it is not asleep, it has been
  // woken, and polls as it goes on.
  while (asleep == kAsleep || asleep == (kAsleep | kAtBell)) {
    if (word_.compare_exchange_weak(asleep, 0, std::memory_order_relaxed)) return let_go(asleep);
  }
}

bool KernelStrand::absorb_one() noexcept {
  std::uint32_t seen = word_.load(std::memory_order_relaxed);
  // Only this thread lowers the word, so a failure means more wake-ups.
  while (seen != 0) {
    if (word_.compare_exchange_weak(seen, seen - kOneWake, std::memory_order_acquire,  // [A1]
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

// If the last wait was longer than a spin, this one does not begin with one: most likely another
// process needs the core to do what is waited for. A wait that ends at the first looks says
// nothing.
bool KernelStrand::wait_awake(std::int64_t deadline_ns) noexcept {
  bool more_to_poll = false;
  for (int look = 0; look < kFirstLooks; ++look) {
    more_to_poll = look_around();
    if (absorb_one()) return true;
    platform::cpu_relax();
  }
  const std::int64_t began = platform::now_ns();
  const std::int64_t spin_end = deadline_ns - began < kSpinNs ? deadline_ns : began + kSpinNs;
  std::int64_t now = began;
  bool woken = false;
  for (int yields = 0; !woken && now < deadline_ns && (yields < kYields || more_to_poll);) {
    if (spins_ && now < spin_end) {
      platform::cpu_relax();
    } else {
      sched_yield();
      ++yields;
    }
    more_to_poll = look_around();
    woken = absorb_one();
    now = platform::now_ns();
  }
  spins_ = now < began + kSpinNs;
  return woken;
}

void KernelStrand::sleep_until(std::int64_t deadline_ns) noexcept {
  std::uint32_t none = 0;
  // relaxed: the waker looks only at the word. Before it is listed, so that it can be roused.
  if (!word_.compare_exchange_strong(none, kAsleep, std::memory_order_relaxed)) return;
  platform::Bell* bell = nullptr;
  {
    ListedSleeper sleeper(*this, have_pollers());
    bell = sleeper.listed() ? take_bell() : nullptr;
    if (bell != nullptr) {
      sleep_at(*bell, deadline_ns);
    } else if (!sleeper.listed() || !finds_something()) {
      sleep_listed(deadline_ns);
    }
    owes_nudge_ = sleeper.leave() && bell == nullptr;
  }
  // The wake-ups are absorbed later.
  word_.fetch_and(~(kAsleep | kAtBell), std::memory_order_relaxed);
  // It is not listed any more, and so not the one that is nudged.
  if (bell != nullptr) give_bell_back();
}

bool KernelStrand::all_sleep_for_good(std::uint64_t* count) noexcept {
  *count = sleeps_for_good.load(std::memory_order_seq_cst);
  return awake_in_waits.load(std::memory_order_seq_cst) == 0;
}

// Called by a thread after its last look.
bool KernelStrand::begin_sleep(std::int64_t deadline_ns) noexcept {
  if (!counts_ || deadline_ns != platform::kNever) return false;
  sleeps_for_good.fetch_add(1, std::memory_order_seq_cst);
  awake_in_waits.fetch_sub(1, std::memory_order_seq_cst);
  return true;
}

void KernelStrand::end_sleep(bool for_good) noexcept {
  if (for_good) awake_in_waits.fetch_add(1, std::memory_order_seq_cst);
}

void KernelStrand::sleep_listed(std::int64_t deadline_ns) noexcept {
  const bool for_good = begin_sleep(deadline_ns);
  if (deadline_ns == platform::kNever && may_judge_own_sleep(false)) {
    sleep_and_look();
  } else {
    while (word_.load(std::memory_order_relaxed) == kAsleep && platform::now_ns() < deadline_ns) {
      platform::futex_wait(word_, kAsleep, deadline_ns);
    }
  }
  end_sleep(for_good);
}

// Another thread is at the bell, or none: it looks as long as it sleeps.
void KernelStrand::sleep_and_look() noexcept {
  const SleepForGood asleep;
  const auto is_awake = [](void* strand) {
    return static_cast<KernelStrand*>(strand)->word_.load(std::memory_order_relaxed) != kAsleep;
  };
  for (Looks looks; !is_awake(this);) {
    platform::futex_wait(word_, kAsleep, looks.next_ns());
    const std::int64_t now = platform::now_ns();
    if (is_awake(this) || now < looks.next_ns()) continue;
    judge_own_sleep(is_awake, this);
    looks.go_on_for_ever(now);
  }
}

// Sleeps once: what has rung is found by polling.
void KernelStrand::sleep_at(platform::Bell& bell, std::int64_t deadline_ns) noexcept {
  const std::uint32_t rings = bell.begin();
  std::uint32_t asleep = kAsleep;
  // relaxed: a thread that wakes it from now on rings, and the bell then has another word than
  // `rings`.
  if (word_.compare_exchange_strong(asleep, kAsleep | kAtBell, std::memory_order_relaxed) &&
      !finds_something()) {
    const bool looks = may_judge_own_sleep(deadline_ns != platform::kNever);
    if (looks || deadline_ns == platform::kNever) note_rings_before_sleep(rings);
    const bool for_good = begin_sleep(deadline_ns);
    if (looks) {
      sleep_and_look(bell, rings, deadline_ns);
    } else {
      while (!bell.has_rung(rings) && platform::now_ns() < deadline_ns) {
        bell.sleep(rings, deadline_ns);
      }
    }
    end_sleep(for_good);
    forget_rings_before_sleep();
  }
  bell.end();
}

// Waits that are short end before the first look.
void KernelStrand::sleep_and_look(platform::Bell& bell, std::uint32_t rings,
                                  std::int64_t deadline_ns) noexcept {
  struct AtBell {
    const platform::Bell& bell;
    std::uint32_t rings;
  } at_bell = {bell, rings};
  const auto has_rung = [](void* sleep) {
    const auto& it = *static_cast<AtBell*>(sleep);
    return it.bell.has_rung(it.rings);
  };
  const SleepForGood asleep;
  for (Looks looks; !bell.has_rung(rings);) {
    bell.sleep(rings, std::min(deadline_ns, looks.next_ns()));
    if (bell.has_rung(rings)) return;
    const std::int64_t now = platform::now_ns();
    // Other processes are to see that this one goes on (runtime/judge/deadlock_between.h).
    if (now >= deadline_ns) return bell.ring_for_itself();
    if (now < looks.next_ns()) continue;
    judge_own_sleep(has_rung, &at_bell);
    looks.go_on(now);
  }
}

bool KernelStrand::park_self_until(std::int64_t deadline_ns) noexcept {
  const Attendance attendance;
  return wait_until(deadline_ns);
}

bool KernelStrand::doze_until(std::int64_t deadline_ns) noexcept {
  std::uint32_t none = 0;
  // relaxed: as sleep_until.
  if (word_.compare_exchange_strong(none, kAsleep, std::memory_order_relaxed)) {
    sleep_listed(deadline_ns);
    word_.fetch_and(~kAsleep, std::memory_order_relaxed);
  }
  return absorb_one();
}

bool KernelStrand::wait_until(std::int64_t deadline_ns) noexcept {
  bool woken = false;
  // A lent worker's thread would pay for it at each wait, and proves nothing.
  counts_ = the_lent_worker.load(std::memory_order_acquire) == nullptr;
  if (counts_) awake_in_waits.fetch_add(1, std::memory_order_seq_cst);
  while (!(woken = wait_awake(deadline_ns)) && platform::now_ns() < deadline_ns) {
    sleep_until(deadline_ns);
  }
  if (std::exchange(owes_nudge_, false)) nudge();
  if (std::exchange(counts_, false)) awake_in_waits.fetch_sub(1, std::memory_order_seq_cst);
  return woken;
}

}  // namespace heddle::ult
