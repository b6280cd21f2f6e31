#include "exec/ult/own_sleep.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "base/fork.h"
#include "base/intrusive_list.h"
#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "base/platform/signals.h"
#include "base/spin_lock.h"
#include "exec/ult/wait/kernel_wait.h"

namespace heddle::ult {

namespace {

constinit std::atomic<void (*)(const OwnSleep&) noexcept> the_sleep_judge{nullptr};
constinit std::atomic<std::int64_t> judgement_ns{platform::kNever};

// Not later than the time of judge_also_at, if that is yet to come.
std::int64_t at_most(std::int64_t next_ns, std::int64_t now_ns) noexcept {
  const std::int64_t ns = judgement_ns.load(std::memory_order_relaxed);
  return ns > now_ns ? std::min(next_ns, ns) : next_ns;
}

// Lock: guards the list of threads that sleep for good; no other lock is taken under it.
constinit SpinLock lock;
constinit IntrusiveList<KernelWait> threads;

// A thread is listed while it sleeps, and no longer: a destructor at the thread's end would be
// registered under the dynamic linker's lock, which the thread that waits for this one may hold in
// a constructor. A child of fork leaves the list alone, since another thread may have held its
// lock.
void enlist() noexcept {
  if (kernel_wait.linked() || is_child()) return;
  if (kernel_wait.thread == 0) kernel_wait.thread = platform::kernel_thread_id();
  SpinGuard guard(lock);
  threads.push_back(kernel_wait);
}

void strike_off() noexcept {
  if (!kernel_wait.linked() || is_child()) return;
  SpinGuard guard(lock);
  IntrusiveList<KernelWait>::erase(kernel_wait);
}

}  // namespace

thread_local constinit KernelWait kernel_wait;

void set_sleep_judge(void (*judge)(const OwnSleep&) noexcept) noexcept {
  the_sleep_judge.store(judge, std::memory_order_release);
}

bool has_sleep_judge() noexcept {
  return the_sleep_judge.load(std::memory_order_relaxed) != nullptr;
}

// relaxed, here and below: of the calling thread.
bool may_judge_own_sleep(bool has_timer) noexcept {
  const KernelWait& own = kernel_wait;
  const WaitNote* const note = own.note.load(std::memory_order_relaxed);
  return note != nullptr && note->reason != WaitReason::kNoTask &&
         (!has_timer || own.answered.load(std::memory_order_relaxed) != Ult::kAsksNothing) &&
         has_sleep_judge();
}

void judge_own_sleep(bool (*has_ended)(void*), void* sleep) noexcept {
  // The judge reads files, and so calls cancellation points of libc. A thread that is unwound there
  // stays in the lists that it waits in.
  int before = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  the_sleep_judge.load(std::memory_order_acquire)({has_ended, sleep});
  pthread_setcancelstate(before, nullptr);
}

void forget_own_wait() noexcept {
  strike_off();
  kernel_wait.note.store(nullptr, std::memory_order_relaxed);
}

SleepForGood::SleepForGood() noexcept {
  enlist();
}

SleepForGood::~SleepForGood() {
  strike_off();
}

void judge_also_at(std::int64_t ns) noexcept {
  judgement_ns.store(ns, std::memory_order_relaxed);
}

Looks::Looks() noexcept {
  const std::int64_t now = platform::now_ns();
  next_ns_ = at_most(now + pause_ns_, now);
}

void Looks::go_on(std::int64_t now) noexcept {
  constexpr int kLooks = 8;  // the last one after 8 s
  pause_ns_ *= 2;
  next_ns_ = at_most(++looks_ < kLooks ? now + pause_ns_ : platform::kNever, now);
}

void Looks::go_on_for_ever(std::int64_t now) noexcept {
  constexpr std::int64_t kLongest = 1'000'000'000;
  pause_ns_ = std::min(2 * pause_ns_, kLongest);
  next_ns_ = at_most(now + pause_ns_, now);
}

Sleepers count_sleepers() noexcept {
  Sleepers found{.answered = Ult::kAsksNothing};
  SpinGuard guard(lock);
  for (const KernelWait& one : threads) {
    ++found.all;
    found.steps += one.steps.load(std::memory_order_relaxed);
    found.answered = std::min(found.answered, one.answered.load(std::memory_order_relaxed));
  }
  return found;
}

void for_each_sleeper(void (*visit)(const SleeperLine& line, void* context), void* context) {
  SpinGuard guard(lock);
  for (const KernelWait& one : threads) {
    const WaitNote* const note = one.note.load(std::memory_order_relaxed);
    if (note == nullptr || note->reason == WaitReason::kNoTask) continue;
    visit({one.thread, std::string(note->call) + " waits for " + note->what(note->subject)},
          context);
  }
}

}  // namespace heddle::ult
