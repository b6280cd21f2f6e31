#include "exec/process/threads/kernel_thread.h"

#include <locale.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>

#include "base/platform/own_thread.h"
#include "exec/crash/crash.h"
#include "exec/heap/heap.h"
#include "exec/process/exports/libc.h"
#include "exec/process/main/run_main.h"
#include "exec/process/own/own.h"
#include "exec/process/signals/signals.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/ult/worker_core.h"

namespace heddle::process {

namespace {

bool was_detached() noexcept {
  pthread_attr_t attributes;
  int state = PTHREAD_CREATE_JOINABLE;
  if (libc().pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  pthread_attr_getdetachstate(&attributes, &state);
  pthread_attr_destroy(&attributes);
  return state == PTHREAD_CREATE_DETACHED;
}

pthread_key_t end_key() noexcept;

// A key's destructor runs however the thread ends, and after its thread_local destructors. In the
// first of libc's rounds over the keys it lets those of the program go first, which are younger.
void end_thread(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  if (!thread.keys_have_ended) {
    thread.keys_have_ended = pthread_setspecific(end_key(), &thread) == 0;
    if (thread.keys_have_ended) return;
  }
  Threads& threads = own(*thread.rank).threads.get();
  crash::release_thread();
  adopt_interrupt(nullptr);
  signals::end_thread();
  leave_thread();
  Rank::enter(nullptr);
  if (was_detached()) {
    SpinGuard guard(threads.lock);
    thread.detached = true;
  }
  threads.end(thread);
  threads.leave();
}

pthread_key_t end_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    libc().pthread_key_create(&made, end_thread);
    return made;
  }();
  return key;
}

#if defined(__SANITIZE_THREAD__)
constexpr void (*kPrepare)() = nullptr;  // see thread_entry.h
#else
void prepare_thread() {
  auto& thread = *static_cast<Thread*>(pthread_getspecific(end_key()));
  ult::leave_core(thread.entry.core, thread.entry.chosen_cpus);
  heap::begin_strand();
  crash::prepare_thread();
  adopt_thread();
  adopt_interrupt(&thread.interrupt);
  signals::begin_thread(thread.entry.blocked);
}
constexpr void (*kPrepare)() = prepare_thread;
#endif

// Where the program says so in the attributes, a thread begins there.
int core_to_leave(const pthread_attr_t* attributes) noexcept {
  const int core = ult::core_of_caller();
  cpu_set_t asked;  // libc sets all of them where no affinity has been set
  if (core < 0 || attributes == nullptr ||
      pthread_attr_getaffinity_np(attributes, sizeof asked, &asked) != 0) {
    return core;
  }
  return CPU_COUNT(&asked) == CPU_SETSIZE ? core : -1;
}

// Libc takes static TLS from a thread's stack, and mpiexec asks for much more static TLS than
// programs of their own have. So a thread gets that beyond the stack that it asks for, unless it
// brings its stack along. The copy has libc's pointers to what stays the caller's, and is not
// destroyed.
pthread_attr_t with_static_tls(const pthread_attr_t& asked) noexcept {
  pthread_attr_t grown = asked;
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&asked, &low, &bytes);
  const bool is_given = reinterpret_cast<std::uintptr_t>(low) + bytes != 0;
  if (!is_given) pthread_attr_setstacksize(&grown, bytes + platform::static_tls_bytes());
  return grown;
}

int create(pthread_t* id, const pthread_attr_t* asked, ThreadEntry* entry) noexcept {
  if (asked != nullptr) {
    const pthread_attr_t grown = with_static_tls(*asked);
    return libc().pthread_create(id, &grown, enter_thread, entry);
  }
  pthread_attr_t usual;
  if (const int error = pthread_getattr_default_np(&usual)) return error;
  const pthread_attr_t grown = with_static_tls(usual);
  const int error = libc().pthread_create(id, &grown, enter_thread, entry);
  pthread_attr_destroy(&usual);
  return error;
}

}  // namespace

int start_kernel_thread(Thread& thread, const pthread_attr_t* attributes, pthread_t* id) noexcept {
  thread.entry.prepare = kPrepare;
  thread.entry.core = core_to_leave(attributes);
  thread.entry.end_key = end_key();
  thread.entry.record = &thread;
  return create(id, attributes, &thread.entry);
}

}  // namespace heddle::process
