#include "exec/process/threads/threads.h"

#include <dlfcn.h>
#include <link.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/platform/clock.h"
#include "base/settings.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/exports/libc.h"
#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/wait_notes.h"
#include "exec/process/main/run_main.h"
#include "exec/process/own/own.h"
#include "exec/process/signals/signals.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/process/state/rank_state.h"
#include "exec/process/threads/cancel_signal.h"
#include "exec/process/threads/kernel_thread.h"
#include "exec/process/threads/thread_record.h"
#include "exec/process/threads/ult_thread.h"
#include "exec/ult/scheduler.h"
#include "exec/ult/worker_core.h"

namespace heddle::process {

const ThreadKind chosen_kind =
    static_cast<ThreadKind>(settings::value(settings::Id::kPosixThreads));

namespace {

// libgomp's teams wait for each other by futex calls of their own; sanitizers wait for a new thread
// without letting its worker go, and take what follows for a thread of the kernel.
constexpr std::string_view kWaitInTheKernel[] = {"libgomp.", "libtsan.", "libasan.", "liblsan."};

bool has_own_stack(const pthread_attr_t* attributes) noexcept {
  if (attributes == nullptr) return false;
  void* low = nullptr;
  std::size_t bytes = 0;
  // libc counts from the top of a stack that was not set: address 0.
  return pthread_attr_getstack(attributes, &low, &bytes) == 0 && low != nullptr &&
         reinterpret_cast<std::uintptr_t>(low) + bytes != 0;
}

bool wants_detached(const pthread_attr_t* attributes) noexcept {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_DETACHED;
}

// The calling rank's thread with this id; nullptr if it was not made here.
Thread* find_thread(pthread_t id) noexcept {
  if (Rank::current() == nullptr) return nullptr;
  Threads& threads = own().threads.get();
  SpinGuard guard(threads.lock);
  return threads.find(id);
}

int join_libc(pthread_t thread, void** result, std::int64_t deadline_ns) noexcept {
  if (deadline_ns == kNever) return libc().pthread_join(thread, result);
  if (deadline_ns == 0) return libc().pthread_tryjoin_np(thread, result);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec time = {deadline_ns / kSecond, deadline_ns % kSecond};
  return libc().pthread_clockjoin_np(thread, result, CLOCK_MONOTONIC, &time);
}

// Takes `thread` for the caller; no other strand may join it.
int claim(pthread_t id, Thread** out) noexcept {
  if (Rank::current() == nullptr) return 0;
  Threads& threads = own().threads.get();
  SpinGuard guard(threads.lock);
  Thread* thread = threads.find(id);
  if (thread == nullptr) return 0;
  if (pthread_equal(id, pthread_self())) return EDEADLK;
  if (thread->detached || thread->joining) return EINVAL;
  thread->joining = true;
  *out = thread;
  return 0;
}

void release(Thread& thread) noexcept {
  Threads& threads = own().threads.get();
  SpinGuard guard(threads.lock);
  thread.joining = false;
}

// dladdr serves only where libc has no other function: a constructor may hold its lock while it
// waits for its threads, which make threads.
const char* file_of(const void* code) noexcept {
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
  dl_find_object place;
  return _dl_find_object(const_cast<void*>(code), &place) == 0 ? place.dlfo_link_map->l_name
                                                               : nullptr;
#else
  Dl_info place;
  return dladdr(code, &place) != 0 ? place.dli_fname : nullptr;
#endif
}

// The library of the calling rank, which keeps the name of the main strand; null in a rank that has
// none (MPIX_Run).
const heddle_libc_image* image_of_caller() noexcept {
  const RankState* const rank = hosted_state();
  return rank != nullptr ? rank->image : nullptr;
}

}  // namespace

bool creates_kernel_threads(const void* caller) noexcept {
  const char* const path = file_of(caller);
  if (path == nullptr) return false;
  std::string_view file = path;
  file.remove_prefix(file.rfind('/') + 1);
  return std::any_of(std::begin(kWaitInTheKernel), std::end(kWaitInTheKernel),
                     [file](std::string_view name) { return file.substr(0, name.size()) == name; });
}

int create_thread(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                  void* argument, ThreadKind kind) noexcept {
  reap();
  auto* thread = new (std::nothrow) Thread();
  if (thread == nullptr) return EAGAIN;
  thread->rank = Rank::current();
  Threads& threads = own(*thread->rank).threads.get();
  threads.add(*thread);
  thread->entry = {thread->rank,
                   thread->number,
                   function,
                   argument,
                   uselocale(nullptr),
                   signals::inherited_mask(),
                   nullptr,
                   0,
                   nullptr,
                   -1,
                   ult::chosen_cpus()};
  const int kept = worker_that_loads();
  const bool has_worker = ult::running() && !ends_rank() && (kept < 0 || ult::worker_count() > 1);
  const bool is_ult = kind == ThreadKind::kUlt && has_worker && !has_own_stack(attributes);
  if (is_ult) thread->detached = wants_detached(attributes);
  pthread_t made = 0;
  const int error = is_ult ? start_ult_thread(*thread, attributes, kept, &made)
                           : start_kernel_thread(*thread, attributes, &made);
  if (error != 0) {
    threads.drop(*thread);
    return error;
  }
  *id = made;
  threads.publish(*thread, made);
  return 0;
}

int join_thread(pthread_t id, void** result, std::int64_t deadline_ns) noexcept {
  Thread* thread = nullptr;
  if (const int error = claim(id, &thread)) return error;
  if (thread == nullptr) return join_libc(id, result, deadline_ns);
  const Cancels cancels = deadline_ns == 0 ? Cancels::kNo : Cancels::kYes;
  WaitEnd waited;
  {
    const ult::NotedWait noted(note_end_of_threads("pthread_join"));
    waited = wait_until(thread->ended, deadline_ns, cancels);
  }
  if (waited != WaitEnd::kDone) {
    release(*thread);
    if (waited == WaitEnd::kCancelled) return ECANCELED;
    return deadline_ns == 0 ? EBUSY : ETIMEDOUT;
  }
  const bool is_ult = thread->ult != nullptr;
  if (is_ult && result != nullptr) *result = thread->result;
  own().threads.get().free(*thread);
  // A kernel thread has only a few instructions left to run.
  return is_ult ? 0 : libc().pthread_join(id, result);
}

int detach_thread(pthread_t id) noexcept {
  Thread* thread = find_thread(id);
  if (thread == nullptr) return libc().pthread_detach(id);
  Threads& threads = own().threads.get();
  bool over = false;
  const bool is_ult = thread->ult != nullptr;
  {
    SpinGuard guard(threads.lock);
    if (is_ult && (thread->detached || thread->joining)) return EINVAL;
    over = thread->over;
    // Detached, it would belong to its creator, which may not have published it yet.
    if (is_ult) (over ? thread->joining : thread->detached) = true;
  }
  if (over) {
    thread->ended.wait();  // its last touch of the record
    threads.free(*thread);
  }
  return is_ult ? 0 : libc().pthread_detach(id);
}

int cancel_thread(pthread_t id) noexcept {
  if (Rank::current() == nullptr || pthread_equal(id, pthread_self())) {
    if (Thread* self = this_ult_thread()) self->canceled = true;
    return libc().pthread_cancel(id);
  }
  Threads& threads = own().threads.get();
  {
    // Under the lock, so that its block does not serve another thread meanwhile.
    SpinGuard guard(threads.lock);
    if (Thread* thread = threads.find(id)) {
      if (thread->over) return 0;
      thread->canceled = true;
      // For a ult libc may answer that it has no kernel thread; that is no error.
      const int error = libc().pthread_cancel(id);
      if (error != 0 && thread->ult == nullptr) return error;
      thread->interrupt.request();
      if (thread->ult != nullptr) send_cancel_signal(*thread);
      return 0;
    }
  }
  return libc().pthread_cancel(id);
}

int set_cancel_type(int type, int* old) {
  return ult::current() != nullptr ? set_cancel_type_of_ult(type, old)
                                   : libc().pthread_setcanceltype(type, old);
}

void exit_thread(void* result) {
  Thread* const thread = leads_child() ? nullptr : this_ult_thread();
  if (thread != nullptr) {
    thread->result = result;
  } else if (Rank::current() != nullptr && (ult::current() != nullptr || leads_child())) {
    Threads& threads = own().threads.get();
    threads.leave();
    {
      const ult::NotedWait noted(note_end_of_threads("pthread_exit"));
      threads.await_all();
    }
    exit_current_rank(0);
  }
  libc().pthread_exit(result);
  __builtin_unreachable();
}

int get_attributes(pthread_t id, pthread_attr_t* attributes) noexcept {
  const ult::Ult* self = ult::current();
  const Thread* thread = find_thread(id);
  const bool is_self = self != nullptr && pthread_equal(id, pthread_self());
  const ult::Ult* subject = is_self ? self : thread != nullptr ? thread->ult : nullptr;
  if (subject == nullptr) return libc().pthread_getattr_np(id, attributes);
  if (const int error = pthread_attr_init(attributes)) return error;
  if (thread != nullptr && thread->detached) {
    pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
  }
  const ult::StackRange stack = ult::stack_of(*subject);
  return pthread_attr_setstack(attributes, stack.low, stack.bytes);
}

int get_processor_clock(pthread_t id, clockid_t* clock) noexcept {
  const bool scheduled = ult::current() != nullptr;
  if (scheduled && pthread_equal(id, pthread_self())) {
    *clock = CLOCK_THREAD_CPUTIME_ID;
    return 0;
  }
  if (scheduled && is_ult_thread(id)) return ENOENT;
  return libc().pthread_getcpuclockid(id, clock);
}

int get_scheduling(pthread_t id, int* policy, sched_param* parameters) noexcept {
  if (Rank::current() == nullptr || !is_ult_thread(id)) {
    return libc().pthread_getschedparam(id, policy, parameters);
  }
  *policy = sched_getscheduler(0);
  return *policy < 0 || sched_getparam(0, parameters) != 0 ? errno : 0;
}

bool set_name(pthread_t id, const char* name, int* error) noexcept {
  Thread* thread = find_thread(id);
  if (thread == nullptr) {
    const heddle_libc_image* const image = image_of_caller();
    return image != nullptr && (*error = image->set_name_of_main(id, name)) >= 0;
  }
  if (thread->ult == nullptr) return false;
  const std::size_t length = std::strlen(name);
  *error = length < thread->name.size() ? 0 : ERANGE;
  if (*error == 0) std::memcpy(thread->name.data(), name, length + 1);
  return true;
}

bool get_name(pthread_t id, char* name, size_t size, int* error) noexcept {
  const Thread* thread = find_thread(id);
  if (thread == nullptr) {
    const heddle_libc_image* const image = image_of_caller();
    return image != nullptr && (*error = image->get_name_of_main(id, name, size)) >= 0;
  }
  if (thread->ult == nullptr) return false;
  *error = size >= thread->name.size() ? 0 : ERANGE;
  if (*error == 0) std::memcpy(name, thread->name.data(), thread->name.size());
  return true;
}

int number_of(Rank& rank, const ult::Ult& ult) noexcept {
  return own(rank).threads.get().number_of(ult);
}

int live_threads(Rank& rank) noexcept {
  return own(rank).threads.get().live();
}

void move_threads(Rank& rank, int worker) noexcept {
  own(rank).threads.get().move(worker);
}

bool is_ult_thread(pthread_t id) noexcept {
  const Thread* thread = find_thread(id);
  return thread == nullptr || thread->ult != nullptr;  // the main strand is none of the list
}

bool ults_remain() noexcept {
  reap();
  return live_ult_threads() != 0;
}

}  // namespace heddle::process
