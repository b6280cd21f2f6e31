#include "exec/ult/switch/worker_thread.h"

#include <cerrno>
#include <new>

#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "base/platform/signals.h"
#include "base/platform/thread_pointer.h"
#include "base/spin_lock.h"

namespace heddle::ult {

namespace {

struct Spares {
  // Lock: guards the list of spare kernel threads.
  SpinLock lock;
  IntrusiveList<WorkerThread> list;
};
// Never destroyed: a thread may come back from a call while the process ends.
Spares& spares() noexcept {
  static Spares* instance = new Spares();
  return *instance;
}

// A spare thread handles no signals of the process.
void block_all_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  platform::change_mask_of_this_thread(SIG_SETMASK, all, nullptr);
}

}  // namespace

WorkerThread* WorkerThread::take_spare() noexcept {
  SpinGuard guard(spares().lock);
  return spares().list.pop_front();
}

WorkerThread* WorkerThread::take_spare(int id) noexcept {
  SpinGuard guard(spares().lock);
  for (WorkerThread& one : spares().list) {
    if (one.id_ != id) continue;
    IntrusiveList<WorkerThread>::erase(one);
    return &one;
  }
  return nullptr;
}

WorkerThread* WorkerThread::take(int* error) noexcept {
  if (WorkerThread* spare = take_spare()) return spare;
  auto* made = new (std::nothrow) WorkerThread();
  *error = made != nullptr
               ? platform::start_own_thread({"heddle-worker", thread_main, made}, &made->thread_)
               : ENOMEM;
  if (*error == 0) {
    platform::count_own_thread(1);
    return made;
  }
  delete made;
  return nullptr;
}

void WorkerThread::put_back(WorkerThread& spare) noexcept {
  SpinGuard guard(spares().lock);
  spares().list.push_back(spare);
}

void WorkerThread::end_spares() noexcept {
  IntrusiveList<WorkerThread> ending;
  {
    SpinGuard guard(spares().lock);
    while (WorkerThread* spare = spares().list.pop_front()) ending.push_back(*spare);
  }
  while (WorkerThread* thread = ending.pop_front()) {
    platform::count_own_thread(-1);
    thread->order_.store(kEnd, std::memory_order_release);
    platform::futex_wake_one(thread->order_);
    pthread_join(thread->thread_, nullptr);
    delete thread;
  }
}

WorkerThread& WorkerThread::of_caller() noexcept {
  alignas(
      WorkerThread) static thread_local constinit unsigned char storage[sizeof(WorkerThread)] = {};
  static thread_local constinit WorkerThread* thread = nullptr;
  if (thread == nullptr) {
    thread = new (storage) WorkerThread();
    thread->id_ = platform::kernel_thread_id();
    thread->root.thread_pointer = platform::thread_pointer();
  }
  return *thread;
}

void WorkerThread::give(ThreadTask& worker) noexcept {
  task_ = &worker;
  order_.store(kGiven, std::memory_order_release);  // [R1]
  platform::futex_wake_one(order_);
}

void* WorkerThread::thread_main(void* self) {
  static_cast<WorkerThread*>(self)->main();
  return nullptr;
}

// False: it is to end.
bool WorkerThread::wait_for_task() noexcept {
  std::uint32_t order = kNone;
  while ((order = order_.load(std::memory_order_acquire)) == kNone) {  // [A1]
    platform::futex_wait(order_, kNone);
  }
  order_.store(kNone, std::memory_order_relaxed);  // before it can be taken again
  return order == kGiven;
}

void WorkerThread::main() noexcept {
  move_rseq(rseq_);
  id_ = platform::kernel_thread_id();
  root.thread_pointer = platform::thread_pointer();
  sched_getaffinity(0, sizeof cpus_, &cpus_);
  while (wait_for_task()) {
    ThreadTask& task = *task_;
    const bool stopped = task.run_on(*this);
    block_all_signals();
    sched_setaffinity(0, sizeof cpus_, &cpus_);
    put_back(*this);  // and may be given another task at once
    if (stopped) task.tell_stopped();
  }
}

}  // namespace heddle::ult
