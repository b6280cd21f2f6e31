#include "exec/ult/preempt/away.h"

#include <pthread.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/signals.h"
#include "base/sanitizer.h"
#include "base/standing.h"
#include "exec/ult/interruption.h"
#include "exec/ult/outside.h"
#include "exec/ult/run/away_request.h"
#include "exec/ult/run/thread_worker.h"
#include "exec/ult/run/ticks.h"
#include "exec/ult/switch/transfer.h"
#include "exec/ult/switch/worker_thread.h"
#include "exec/ult/ult.h"

namespace heddle::ult {

namespace {

// What has to be made again. kNot: the ult is not, or no longer, in the call that was seen.
Interrupted find_call(const AwayRequest& request, const Worker& worker,
                      const ucontext_t& interrupted, SystemCall* call) noexcept {
  if (request.switches != worker.switches()) return Interrupted::kNot;
  const Interrupted how = find_interrupted_call(interrupted, &request.call, call);
  return *call == request.call ? how : Interrupted::kNot;
}

// A file that close() was about to close is closed, whatever it returns. What changes the memory
// waits for no rank; it is made by holders of locks of libc for which a section without switch may
// wait (decision 70).
bool is_never_left(const SystemCall& call) noexcept {
  constexpr long kNumbers[] = {SYS_close,    SYS_mmap,    SYS_munmap, SYS_mremap,
                               SYS_mprotect, SYS_madvise, SYS_brk};
  return std::find(std::begin(kNumbers), std::end(kNumbers), call.number) != std::end(kNumbers);
}

void block_interrupts() noexcept {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, kInterrupt);
  platform::change_mask_of_this_thread(SIG_BLOCK, ours, nullptr);
}

// Stands in the TLS block of a ult; null: it is not away.
struct Absence {
  Ult* ult;
  std::uintptr_t frame;   // in which it has left its worker
  SystemCall call;        // as the program has made it; unknown in call_outside()
  std::int64_t since_ns;  // when it was first seen in the call
  timespec left;          // of its duration
  Account* account;       // to which its processor time goes; null: none is counted
  std::int64_t began_ns;  // the thread's processor time when it left
};
thread_local constinit Absence absence{};

// The call as it has to be made now.
SystemCall rest_of_call() noexcept {
  SystemCall rest = absence.call;
  shorten(rest, platform::now_ns() - absence.since_ns, &absence.left);
  return rest;
}

// From now on the ult is away on the calling thread, and `spare` runs its worker.
void leave(Ult& self, WorkerThread& spare, const Absence& how) noexcept {
  ThreadWorker& worker = *self.here().with_thread();
  block_interrupts();
  worker.leave_in_call(self);
  absence = how;
  absence.ult = &self;
  if (metering()) {
    absence.account = current_account();
    absence.began_ns = thread_processor_time();
  }
  self.away_on.store(&worker.thread(), std::memory_order_release);
  Ult::set_current(nullptr);
  tsan_release(&worker);
  spare.give(worker);
}

// Returns on the kernel thread that runs its worker now.
void go_home(Ult& self) noexcept {
  // No worker's meter sees what this thread has done.
  if (absence.account != nullptr) {
    absence.account->add(thread_processor_time() - absence.began_ns, -1);
  }
  WorkerThread& here = *self.away_on.exchange(nullptr, std::memory_order_relaxed);
  here.returned = &self;
  absence = {};
  tsan_release(&here);
  switch_context(self.context, here.root);
  tsan_acquire(&self.here());
  Ult::set_current(&self);
  self.here().show_resumed();
}

// Runs function(argument) while the ult is away, which may be unwound there: to its worker first.
void run_away(Ult& self, WorkerThread& spare, const Absence& how, ucontext_t& interrupted,
              void (*function)(void*), void* argument) {
  const auto return_home = [](void* ult) {
    Standing::enter(Standing::kCrossing);
    go_home(*static_cast<Ult*>(ult));
    Standing::leave(Standing::kCrossing);
  };
  Standing::enter(Standing::kCrossing);
  leave(self, spare, how);
  pthread_cleanup_push(return_home, &self);
  Standing::leave(Standing::kCrossing);
  call_interruption_hook(interrupted);
  function(argument);
  Standing::enter(Standing::kCrossing);
  pthread_cleanup_pop(0);
  return_home(&self);
  Standing::leave(Standing::kCrossing);
  call_interruption_hook(interrupted);
}

// `result`: what the call has moved by now; then the call's result.
void make_call_away(void* result) noexcept {
  long& moved = *static_cast<long*>(result);
  moved = moved != 0 ? make_rest(absence.call, moved) : make_whole(rest_of_call());
}

// For a ult that leaves by itself. A new thread may handle no signals of the process.
WorkerThread* take_thread() noexcept {
  if (WorkerThread* const spare = WorkerThread::take_spare()) return spare;
  sigset_t all, before;
  sigfillset(&all);
  platform::change_mask_of_this_thread(SIG_SETMASK, all, &before);
  int error = 0;
  WorkerThread* const made = WorkerThread::take(&error);
  platform::change_mask_of_this_thread(SIG_SETMASK, before, nullptr);
  return made;
}

}  // namespace

bool go_away(Ult& self, ucontext_t& interrupted, bool in_handler) noexcept {
  ThreadWorker* const worker = self.here().with_thread();
  if (worker == nullptr) return false;
  AwayRequest& request = worker->away_request();
  std::uint32_t asked = AwayRequest::kAsked;
  if (!request.state.compare_exchange_strong(asked, AwayRequest::kTaken,
                                             std::memory_order_acquire,  // [A1]
                                             std::memory_order_relaxed)) {
    return false;
  }
  SystemCall call;
  const Interrupted found = find_call(request, *worker, interrupted, &call);
  const bool stands_in_it = found != Interrupted::kNot;
  const bool leaves = stands_in_it && may(Act::kLeaveCall) && !in_handler && !is_never_left(call);
  const std::int64_t since_ns = request.since_ns;
  request.refused = stands_in_it && !leaves && has_duration(call);
  WorkerThread* const spare = leaves ? std::exchange(request.spare, nullptr) : nullptr;
  request.state.store(AwayRequest::kIdle, std::memory_order_release);  // [R2]
  if (spare == nullptr) return false;

  Absence how{};
  how.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  how.call = call;
  how.since_ns = since_ns;
  long result = found == Interrupted::kReturned ? result_of(interrupted) : 0;
  run_away(self, *spare, how, interrupted, make_call_away, &result);
  set_result(interrupted, call, result);
  return true;
}

namespace {

bool has_worker_with_thread() noexcept {
  const Ult* const self = Ult::current_;
  return self != nullptr && self->here().with_thread() != nullptr;
}

// `spare`, which may be null, runs the worker meanwhile.
bool call_outside_of(WorkerThread* spare, void (*function)(void*), void* argument) noexcept {
  Ult* const self = Ult::current_;
  if (spare == nullptr) return false;
  Absence how{};
  how.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  self->here().with_thread()->expect_back(platform::now_ns());
  struct Made {
    void (*function)(void*);
    void* argument;
    int error;
  } made = {function, argument, 0};
  ucontext_t nothing{};
  run_away(
      *self, *spare, how, nothing,
      [](void* it) {
        auto& call = *static_cast<Made*>(it);
        call.function(call.argument);
        call.error = errno;
      },
      &made);
  errno = made.error;
  return true;
}

}  // namespace

bool call_outside(void (*function)(void*), void* argument) noexcept {
  return may(Act::kGoOutside) && has_worker_with_thread() &&
         call_outside_of(take_thread(), function, argument);
}

bool move_to_thread(int kernel_thread) noexcept {
  return may(Act::kLeaveCall) && has_worker_with_thread() &&
         call_outside_of(
             WorkerThread::take_spare(kernel_thread), [](void*) {}, nullptr);
}

void shorten_if_away(SystemCall& call) noexcept {
  if (absence.ult == nullptr || call.number != absence.call.number) return;
  const SystemCall rest = rest_of_call();
  std::copy(std::begin(rest.arguments), std::end(rest.arguments), std::begin(call.arguments));
}

WorkerThread* thread_of_caller() noexcept {
  if (const Ult* const ult = Ult::current_) return &ult->here().thread();
  return absence.ult != nullptr ? absence.ult->away_on.load(std::memory_order_relaxed) : nullptr;
}

void leave_call_before_jump(std::uintptr_t target) noexcept {
  if (absence.ult != nullptr && target > absence.frame) go_home(*absence.ult);
}

}  // namespace heddle::ult
