#include "exec/process/threads/ult_thread.h"

#include <locale.h>

#include <cerrno>

#include "exec/heap/heap.h"
#include "exec/process/locks/robust_mutexes.h"
#include "exec/process/main/run_main.h"
#include "exec/process/own/own.h"
#include "exec/process/signals/signals.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/process/threads/thread_leavings.h"
#include "exec/ult/worker_core.h"

namespace heddle::process {

namespace {

thread_local constinit Thread* current_thread = nullptr;

void begin(Thread& thread) noexcept {
  Rank::enter(thread.rank);
  heap::begin_strand();
  Rank::current_thread = thread.number;
  current_thread = &thread;
  own(*thread.rank).threads.get().begin(thread);
  uselocale(thread.entry.locale);
  ult::choose_cpus(thread.entry.chosen_cpus);
  errno = 0;
  adopt_interrupt(&thread.interrupt);
  adopt_thread();
  signals::begin_thread(thread.entry.blocked);
}

void end(Thread& thread) {
  adopt_interrupt(nullptr);
  ult::end_thread_locals();
  clear_keys();
  ult::end_thread_locals();  // of those that the destructors of keys have touched first
  heap::end_strand();
  reset_thread_locals();
  uselocale(LC_GLOBAL_LOCALE);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  set_cancel_type_of_ult(PTHREAD_CANCEL_DEFERRED, nullptr);
  give_up_robust_mutexes();
  current_thread = nullptr;
  signals::end_thread();
  leave_thread();
  Rank::current_thread = 0;
  Rank::enter(nullptr);
  Threads& threads = own(*thread.rank).threads.get();
  threads.end(thread);
  threads.leave();
}

// The last cleanup handler of a thread that leaves by pthread_exit or is cancelled: libc has
// unwound the stack to the frame of run_function.
void leave_early(void* thread) {
  ult::forbid_reuse();  // libc remembers in its descriptor that it is leaving
  end(*static_cast<Thread*>(thread));
  ult::finish_current();
}

void run_function(Thread& thread) {
  pthread_cleanup_push(leave_early, &thread);
  thread.result = thread.entry.function(thread.entry.argument);
  pthread_cleanup_pop(0);
}

void thread_main(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  begin(thread);
  run_function(thread);
  end(thread);
}

// 0: as usual. libc's own default is the limit of the process, which the scheduler knows as well.
std::size_t wanted_stack(const pthread_attr_t* attributes) noexcept {
  if (attributes == nullptr) return 0;
  pthread_attr_t usual;
  std::size_t usual_bytes = 0;
  if (pthread_getattr_default_np(&usual) == 0) {
    pthread_attr_getstacksize(&usual, &usual_bytes);
    pthread_attr_destroy(&usual);
  }
  std::size_t bytes = 0;
  pthread_attr_getstacksize(attributes, &bytes);
  return bytes != usual_bytes ? bytes : 0;
}

}  // namespace

Thread* this_ult_thread() noexcept {
  return current_thread;
}

int start_ult_thread(Thread& thread, const pthread_attr_t* attributes, int kept,
                     pthread_t* id) noexcept {
  ult::Attributes wanted;
  wanted.worker = own(*thread.rank).threads.get().place(thread, kept);
  wanted.stack_bytes = wanted_stack(attributes);
  wanted.owner = thread.rank;
  wanted.reusable = true;
  // The thread's TLS block comes from a pthread_create that is not the program's.
  Rank* const creator = Rank::current();
  Rank::enter(nullptr);
  const Error failed = ult::spawn(thread_main, &thread, wanted, &thread.ult);
  Rank::enter(creator);
  if (failed) return EAGAIN;
  *id = ult::thread_of(*thread.ult);
  return 0;
}

}  // namespace heddle::process
