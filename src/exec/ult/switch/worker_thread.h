// worker_thread.h — a kernel thread that runs a worker, or waits for one to run.
//
// A worker is its run queue, inbox and timers; the kernel thread that runs it may be replaced by
// another one while its ult stands in a system call (away.h):
//
//   state    means                                     leaves by
//   -------  ----------------------------------------  --------------------------------------------
//   spare    sleeps, in the list or kept by the thread    give [R1] [A1]: it runs the worker;
//            that took it                                   end_spares: it ends
//   running  it runs a worker, on its own stack or     the worker stops: spare;
//            on a ult's                                its ult goes away: away
//   away     in the call of a ult whose worker         the call returns, the ult is sent home:
//            another thread runs                       spare
//
// Memory order: [R1] release pairs with [A1] acquire: the thread that takes a worker up sees what
// the one before has written.
//
// Thread safety: by function. Instances live until end_spares(); one that is away then, for good.

#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "exec/ult/switch/context.h"
#include "exec/ult/switch/rseq.h"

namespace heddle::ult {

class Ult;
class WorkerThread;

// The task of a kernel thread. Workers are the only tasks; by this interface the file need not know
// worker.h.
class ThreadTask {
 public:
  // Runs on `thread` until it has stopped (true), or until another thread has got it (false).
  virtual bool run_on(WorkerThread& thread) noexcept = 0;
  // Called after run_on has returned true, when the thread is a spare one again.
  virtual void tell_stopped() noexcept = 0;

 protected:
  ~ThreadTask() = default;
};

class WorkerThread : public ListNode<> {
 public:
  // A spare thread from the list, or a new one. If the kernel gives none: nullptr and an errno. Any
  // thread.
  static WorkerThread* take(int* error) noexcept;
  // A spare thread from the list; nullptr if the list is empty. Waits for no lock of libc.
  static WorkerThread* take_spare() noexcept;
  // The one with this number; nullptr: it is not in the list.
  static WorkerThread* take_spare(int id) noexcept;
  static void put_back(WorkerThread& spare) noexcept;
  // Joins those in the list. The scheduler has stopped.
  static void end_spares() noexcept;
  // For a kernel thread that lends itself to ults (lend.h): what it needs to switch to them and
  // back.
  static WorkerThread& of_caller() noexcept;

  // Lets it run `worker`, whose strands all stand still. Called by the thread that took it; also in
  // a signal handler.
  void give(ThreadTask& worker) noexcept;

  // The kernel's number of it. By a thread that knows from [R1] or later that it runs.
  int id() const noexcept { return id_; }

  // Its own stack and TLS block, for ults that end or go home.
  Context root;
  // For the root: the ult whose call, in which it was away, has returned. Its own.
  Ult* returned = nullptr;

 private:
  WorkerThread() = default;

  static void* thread_main(void* self);
  void main() noexcept;
  bool wait_for_task() noexcept;

  static constexpr std::uint32_t kNone = 0, kGiven = 1, kEnd = 2;

  pthread_t thread_{};
  int id_ = 0;
  cpu_set_t cpus_{};  // where it ran before a worker bound it
  ThreadTask* task_ = nullptr;
  std::atomic<std::uint32_t> order_{kNone};
  RseqArea rseq_;
};

}  // namespace heddle::ult
