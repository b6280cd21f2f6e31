#include "exec/posix/threads.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <new>

#include "exec/crash/crash.h"
#include "exec/libc/run_main.h"
#include "exec/ult/completion.h"
#include "exec/ult/ult.h"

// Where this library's own code lies (defined by the linker).
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char etext;

namespace heddle::posix {

namespace {

// One for the main strand, so that it can wait for the rest (pthread_exit).
struct Threads {
  std::atomic<int> live{1};
  ult::Completion others_ended;
};
RankLocal<Threads> threads_of_rank;

template <class Function>
Function* libc_function(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_own_code(const void* caller) noexcept {
  return caller >= &__ehdr_start && caller < &etext;
}

void leave(Threads& threads) noexcept {
  // acq_rel: whoever sees the last thread gone sees what the threads wrote.
  if (threads.live.fetch_sub(1, std::memory_order_acq_rel) == 1) threads.others_ended.set();
}

// A key's destructor runs however the thread ends, and after its thread_local destructors.
void end_thread(void* rank) {
  crash::release_thread();
  leave(threads_of_rank.of(*static_cast<Rank*>(rank)));
  Rank::enter(nullptr);
}

pthread_key_t end_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    pthread_key_create(&made, end_thread);
    return made;
  }();
  return key;
}

struct Start {
  void* (*function)(void*);
  void* argument;
  Rank* rank;
  locale_t locale;
};

void* run_thread(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  Rank::enter(start.rank);
  pthread_setspecific(end_key(), start.rank);
  crash::prepare_thread();
  libc::adopt_thread();
  uselocale(start.locale);
  return start.function(start.argument);
}

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int create(Create* libc, pthread_t* thread, const pthread_attr_t* attributes,
           void* (*function)(void*), void* argument) noexcept {
  Rank* rank = Rank::current();
  auto* start = new (std::nothrow) Start{function, argument, rank, uselocale(nullptr)};
  if (start == nullptr) return EAGAIN;
  Threads& threads = threads_of_rank.of(*rank);
  threads.live.fetch_add(1, std::memory_order_relaxed);
  end_key();  // made by now, so that a thread cannot fail to find it
  const int error = libc(thread, attributes, run_thread, start);
  if (error != 0) {
    threads.live.fetch_sub(1, std::memory_order_relaxed);
    delete start;
  }
  return error;
}

}  // namespace

int live_threads(Rank& rank) noexcept {
  return threads_of_rank.of(rank).live.load(std::memory_order_acquire) - 1;
}

}  // namespace heddle::posix

using namespace heddle;

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
    void* argument) noexcept {
  static auto* const libc = posix::libc_function<posix::Create>("pthread_create");
  if (Rank::current() == nullptr || posix::is_own_code(__builtin_return_address(0))) {
    return libc(thread, attributes, function, argument);
  }
  return posix::create(libc, thread, attributes, function, argument);
}

extern "C" __attribute__((visibility("default"))) void pthread_exit(void* result) {
  static auto* const libc = posix::libc_function<void(void*)>("pthread_exit");
  if (Rank::current() != nullptr && ult::current() != nullptr) {
    posix::Threads& threads = posix::threads_of_rank.get();
    posix::leave(threads);
    threads.others_ended.wait();
    libc::exit_current_rank(0);
  }
  libc(result);
  __builtin_unreachable();
}

extern "C" __attribute__((visibility("default"))) int pthread_getattr_np(
    pthread_t thread, pthread_attr_t* attributes) noexcept {
  static auto* const libc =
      posix::libc_function<int(pthread_t, pthread_attr_t*)>("pthread_getattr_np");
  const ult::Ult* self = ult::current();
  if (self == nullptr || !pthread_equal(thread, pthread_self())) return libc(thread, attributes);
  if (const int error = pthread_attr_init(attributes)) return error;
  const ult::StackRange stack = ult::stack_of(*self);
  return pthread_attr_setstack(attributes, stack.low, stack.bytes);
}
