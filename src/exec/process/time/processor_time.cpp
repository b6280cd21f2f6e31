#include "exec/process/time/processor_time.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <new>
#include <type_traits>

#include "base/fork.h"
#include "base/intrusive_list.h"
#include "base/platform/signals.h"
#include "base/spin_lock.h"
#include "exec/process/own/own.h"
#include "exec/process/state/rank_state.h"
#include "exec/process/time/load.h"
#include "exec/ult/processor_time.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/ult.h"

namespace heddle::process {

namespace {

// A kernel thread of a rank, in that thread's TLS block while it is listed.
struct KernelThread : ListNode<> {
  ult::Account* account;
  clockid_t clock;
  std::int64_t from_ns;  // what it had used when metering began
};
thread_local constinit KernelThread this_thread{};
thread_local constinit ult::Account account_of_ult{};

struct KernelThreads {
  // Lock: guards the list of ranks' kernel threads, whose processor time is added up; held across
  // reading their clocks; its holder has all signals blocked.
  SpinLock lock;
  IntrusiveList<KernelThread> list;
  bool metered = false;
  std::int64_t share_ns = 0;  // of each rank
};
// This is no static variable of a function: a child of fork would wait for ever for the thread that
// was making it there.
constinit KernelThreads threads_of_process;
// Threads may end while the process does.
static_assert(std::is_trivially_destructible_v<KernelThreads>);

// The lock; a handler of the program that asks, too, does not come while this thread has it.
class Locked {
 public:
  Locked() noexcept {
    sigset_t all;
    sigfillset(&all);
    platform::change_mask_of_this_thread(SIG_SETMASK, all, &mask_);
    // lock() may switch in debug builds, and here would do so with this mask.
    while (!threads_of_process.lock.try_lock()) sched_yield();
  }
  ~Locked() {
    threads_of_process.lock.unlock();
    platform::change_mask_of_this_thread(SIG_SETMASK, mask_, nullptr);
  }
  Locked(Locked&&) = delete;

 private:
  sigset_t mask_;
};

std::int64_t read(clockid_t clock) noexcept {
  timespec now = {};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Under the lock.
void begin_metering(int ranks) noexcept {
  KernelThreads& all = threads_of_process;
  if (all.metered) return;
  for (KernelThread& thread : all.list) thread.from_ns = read(thread.clock);
  all.share_ns = read(CLOCK_PROCESS_CPUTIME_ID) / ranks;
  all.metered = true;
  ult::begin_metering();
}

// The kernel knows the time of a child.
void forget_threads(bool) noexcept {
  new (&threads_of_process) KernelThreads();
  this_thread.account = nullptr;
}
[[maybe_unused]] const bool times_at_forks =
    at_fork(ForkPart::kProcessorTime, {.become_child = forget_threads});

}  // namespace

Load::Load() : spent_by_worker(static_cast<std::size_t>(ult::worker_count())) {
  spent.keep_by_worker(spent_by_worker);
}

void measure_loads() noexcept {
  const RankState* const state = hosted_state();
  measure_loads(state != nullptr ? state->ranks : 1);
}

void measure_loads(int ranks) noexcept {
  {
    const Locked locked;
    begin_metering(ranks);
  }
  ult::charge_now();
}

void begin_processor_time(RankState* state) noexcept {
  if (Rank::current() == nullptr || is_child()) return;
  ult::Account& of_rank = own().load.get().spent;
  if (ult::current() != nullptr) {
    account_of_ult.open(&of_rank);
    return ult::adopt_account(&account_of_ult);
  }
  if (state == nullptr) return;
  if (pthread_getcpuclockid(pthread_self(), &this_thread.clock) != 0) return;
  this_thread.account = &state->processor_time;
  this_thread.from_ns = 0;
  const Locked locked;
  threads_of_process.list.push_back(this_thread);
}

void end_processor_time() noexcept {
  if (ult::current() != nullptr) return ult::adopt_account(nullptr);
  if (this_thread.account == nullptr) return;
  const Locked locked;
  if (threads_of_process.metered) {
    this_thread.account->add(read(this_thread.clock) - this_thread.from_ns, -1);
  }
  IntrusiveList<KernelThread>::erase(this_thread);
  this_thread.account = nullptr;
}

std::int64_t processor_time_of_rank() noexcept {
  const RankState* const state = hosted_state();
  if (state == nullptr || state->ranks == 1) return -1;
  const Locked locked;
  begin_metering(state->ranks);
  ult::charge_now();
  std::int64_t sum = threads_of_process.share_ns + own().load.get().spent.nanoseconds() +
                     state->processor_time.nanoseconds();
  for (const KernelThread& thread : threads_of_process.list) {
    if (thread.account == &state->processor_time) sum += read(thread.clock) - thread.from_ns;
  }
  return sum;
}

std::int64_t processor_time_of_strand() noexcept {
  const RankState* const state = hosted_state();
  if (state == nullptr || ult::current() == nullptr) return -1;
  const Locked locked;
  begin_metering(state->ranks);
  ult::charge_now();
  return account_of_ult.nanoseconds();
}

}  // namespace heddle::process
