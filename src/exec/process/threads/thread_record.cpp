#include "exec/process/threads/thread_record.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <type_traits>

#include "base/fork.h"
#include "exec/process/own/own.h"
#include "exec/ult/move.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/strand.h"

namespace heddle::process {

namespace {

std::atomic<int> ults_alive{0};

// Detached threads that are over.
struct Ended {
  // Lock: guards detached threads that are over; held across a fork, after that of the rank's
  // `Threads`.
  SpinLock lock;
  IntrusiveList<Thread> threads GUARDED_BY(lock);
};

// This is no static variable of a function: a child of fork would wait for ever for the thread that
// was making it there.
constinit Ended ended_threads;
static_assert(std::is_trivially_destructible_v<Ended>);  // threads may end while the process does

// A fork holds both locks, so that the child finds them free and the lists whole. No lock(), which
// may switch in debug builds, and here with the other lock held.
void hold(SpinLock& lock) noexcept NO_THREAD_SAFETY_ANALYSIS {
  while (!lock.try_lock()) sched_yield();
}
thread_local constinit bool has_forked_as_ult = false;

void hold_for_fork() noexcept NO_THREAD_SAFETY_ANALYSIS {
  if (Threads* const own = find_own(&Own::threads)) hold(own->lock);
  hold(ended_threads.lock);
}
void release_after_fork() noexcept NO_THREAD_SAFETY_ANALYSIS {
  ended_threads.lock.unlock();
  if (Threads* const own = find_own(&Own::threads)) own->lock.unlock();
}
void become_only_thread(bool) noexcept {
  if (ult::current() != nullptr) has_forked_as_ult = true;
  new (&ended_threads.lock) SpinLock();
  if (Threads* const own = find_own(&Own::threads)) own->become_child();
}
[[maybe_unused]] const bool at_forks =
    at_fork(ForkPart::kThreads, {hold_for_fork, release_after_fork, become_only_thread});

void leave_to_reap(Thread& thread) noexcept {
  SpinGuard guard(ended_threads.lock);
  ended_threads.threads.push_back(thread);
}

// Frees a record that is in no list.
void destroy(Thread* thread) noexcept {
  if (thread->ult != nullptr) ult::join(thread->ult);
  delete thread;
}

}  // namespace

void reap() noexcept {
  for (;;) {
    Thread* thread = nullptr;
    {
      SpinGuard guard(ended_threads.lock);
      thread = ended_threads.threads.pop_front();
    }
    if (thread == nullptr) return;
    destroy(thread);
  }
}

int live_ult_threads() noexcept {
  return ults_alive.load(std::memory_order_acquire);
}

Threads::Threads() noexcept
    : home_(ult::current() != nullptr ? std::max(0, ult::worker_of(*ult::current())) : 0),
      on_worker_(static_cast<std::size_t>(std::max(1, ult::worker_count()))) {}

Threads::~Threads() {
  while (Thread* thread = threads_.pop_front()) destroy(thread);
}

void Threads::become_child() noexcept {
  live_.store(1, std::memory_order_relaxed);  // the process has no other thread
  new (&lock) SpinLock();                     // where the fork has not held it
  new (&all_ended_) ult::Completion();        // a strand of the parent may wait for it
}

bool leads_child() noexcept {
  return has_forked_as_ult;
}

// The worker with the fewest threads of the rank, counted without the main strand, which often only
// joins; the first behind its worker if there are several. So N threads of a rank run on N workers,
// whether its main strand is one of those that work or not.
int Threads::choose_worker(int kept) noexcept {
  const int workers = static_cast<int>(on_worker_.size());
  int best = -1;
  for (int i = 1; i <= workers; ++i) {
    const int worker = (home_ + i) % workers;
    if (worker == kept) continue;
    if (best < 0 ||
        on_worker_[static_cast<std::size_t>(worker)] < on_worker_[static_cast<std::size_t>(best)]) {
      best = worker;
    }
  }
  assert(best >= 0);
  ++on_worker_[static_cast<std::size_t>(best)];
  return best;
}

void Threads::add(Thread& thread) noexcept {
  live_.fetch_add(1, std::memory_order_relaxed);
  SpinGuard guard(lock);
  thread.number = ++numbers_;
  threads_.push_front(thread);
}

int Threads::place(Thread& thread, int kept) noexcept {
  ults_alive.fetch_add(1, std::memory_order_relaxed);
  SpinGuard guard(lock);
  return thread.worker = choose_worker(kept);
}

void Threads::move(int worker) noexcept {
  SpinGuard guard(lock);
  home_ = worker;
  for (Thread& thread : threads_) {
    if (thread.worker < 0 || thread.over) continue;
    --on_worker_[static_cast<std::size_t>(thread.worker)];
    ++on_worker_[static_cast<std::size_t>(worker)];
    thread.worker = worker;
    if (thread.begun) ult::move(*thread.ult, worker);  // else begin() does
  }
}

void Threads::drop(Thread& thread) noexcept {
  {
    SpinGuard guard(lock);
    IntrusiveList<Thread>::erase(thread);
    forget_place(thread);
  }
  leave();
  delete &thread;
}

void Threads::forget_place(const Thread& thread) noexcept {
  if (thread.worker < 0) return;
  --on_worker_[static_cast<std::size_t>(thread.worker)];
  ults_alive.fetch_sub(1, std::memory_order_release);
}

void Threads::begin(Thread& thread) noexcept {
  SpinGuard guard(lock);
  thread.id = pthread_self();
  thread.begun = true;
  if (thread.ult != nullptr && ult::worker_of(*thread.ult) != thread.worker) {
    ult::move(*thread.ult, thread.worker);
  }
}

void Threads::publish(Thread& thread, pthread_t id) noexcept {
  bool unowned = false;
  {
    SpinGuard guard(lock);
    thread.id = id;
    thread.published = true;
    unowned = thread.over && thread.detached;
    if (unowned) IntrusiveList<Thread>::erase(thread);
  }
  if (unowned) leave_to_reap(thread);
}

void Threads::end(Thread& thread) noexcept {
  bool unowned = false;
  bool detached = false;
  {
    SpinGuard guard(lock);
    thread.over = true;
    if (thread.canceled && thread.ult != nullptr) ult::forbid_reuse();
    forget_place(thread);
    detached = thread.detached;
    unowned = detached && thread.published;
    if (unowned) IntrusiveList<Thread>::erase(thread);
  }
  if (unowned) {
    leave_to_reap(thread);
  } else if (!detached) {
    thread.ended.set();
  }
}

void Threads::free(Thread& thread) noexcept {
  for (;;) {
    {
      SpinGuard guard(lock);
      if (thread.published) {
        IntrusiveList<Thread>::erase(thread);
        break;
      }
    }
    ult::yield();  // its pthread_create is about to return
  }
  destroy(&thread);
}

int Threads::number_of(const ult::Ult& ult) noexcept {
  SpinGuard guard(lock);
  for (const Thread& thread : threads_) {
    if (thread.ult == &ult) return thread.number;
  }
  return 0;
}

Thread* Threads::find(pthread_t id) noexcept {
  for (Thread& thread : threads_) {
    if (pthread_equal(thread.id, id)) return &thread;
  }
  return nullptr;
}

}  // namespace heddle::process
