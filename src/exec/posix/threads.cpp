#include "exec/posix/threads.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>

#include "base/intrusive_list.h"
#include "base/spin_lock.h"
#include "exec/crash/crash.h"
#include "exec/libc/run_main.h"
#include "exec/posix/thread_entry.h"
#include "exec/ult/completion.h"
#include "exec/ult/ult.h"

// Where this library's own code lies (defined by the linker).
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char etext;

namespace heddle::posix {

namespace {

// A thread that has begun and, unless it is detached, has not been joined.
struct Thread : ListNode<> {
  explicit Thread(Rank* its_rank) noexcept : rank(its_rank) {}

  Rank* const rank;
  ThreadEntry entry = {};
  std::uint64_t serial = 0;  // guarded by the lock of Threads
  pthread_t number = 0;      // likewise; 0 until pthread_create returns
  ult::Completion ended;
};

// The threads of a rank.
class Threads {
 public:
  ~Threads() {
    while (Thread* thread = threads_.pop_front()) delete thread;
  }

  // Returns its serial number.
  std::uint64_t add(Thread& thread) noexcept {
    live_.fetch_add(1, std::memory_order_relaxed);
    SpinGuard guard(lock_);
    thread.serial = ++serials_;
    threads_.push_front(thread);
    return thread.serial;
  }

  // By serial number: a detached thread may have ended and its record may be gone.
  void set_number(std::uint64_t serial, pthread_t number) noexcept {
    SpinGuard guard(lock_);
    for (Thread& thread : threads_) {
      if (thread.serial == serial) thread.number = number;
    }
  }

  void remove(Thread& thread) noexcept {
    SpinGuard guard(lock_);
    IntrusiveList<Thread>::erase(thread);
  }

  // The youngest: libc uses the numbers of ended threads again.
  Thread* find(pthread_t number) noexcept {
    SpinGuard guard(lock_);
    for (Thread& thread : threads_) {
      if (pthread_equal(thread.number, number)) return &thread;
    }
    return nullptr;
  }

  // acquire: whoever sees the last thread gone sees what the threads wrote; pairs with [R1].
  int live() const noexcept { return live_.load(std::memory_order_acquire) - 1; }

  // One strand fewer: a thread, or the main strand in pthread_exit.
  void leave() noexcept {
    if (live_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_ended_.set();  // [R1]
  }
  void await_all() noexcept { all_ended_.wait(); }

 private:
  std::atomic<int> live_{1};  // with the main strand
  ult::Completion all_ended_;
  SpinLock lock_;
  std::uint64_t serials_ = 0;      // guarded by lock_
  IntrusiveList<Thread> threads_;  // guarded by lock_
};
RankLocal<Threads> threads_of_rank;

template <class Function>
Function* libc_function(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_own_code(const void* caller) noexcept {
  return caller >= &__ehdr_start && caller < &etext;
}

bool is_detached() noexcept {
  pthread_attr_t attributes;
  int state = PTHREAD_CREATE_JOINABLE;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  pthread_attr_getdetachstate(&attributes, &state);
  pthread_attr_destroy(&attributes);
  return state == PTHREAD_CREATE_DETACHED;
}

// A key's destructor runs however the thread ends, and after its thread_local destructors.
void end_thread(void* argument) {
  Thread* thread = static_cast<Thread*>(argument);
  Threads& threads = threads_of_rank.of(*thread->rank);
  crash::release_thread();
  Rank::enter(nullptr);
  if (is_detached()) {
    threads.remove(*thread);
    delete thread;
  } else {
    thread->ended.set();  // it may be gone from here on
  }
  threads.leave();
}

pthread_key_t end_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    pthread_key_create(&made, end_thread);
    return made;
  }();
  return key;
}

#if defined(__SANITIZE_THREAD__)
constexpr void (*kPrepare)() = nullptr;  // see thread_entry.h
#else
void prepare_thread() {
  crash::prepare_thread();
  libc::adopt_thread();
}
constexpr void (*kPrepare)() = prepare_thread;
#endif

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int create(Create* libc, pthread_t* thread, const pthread_attr_t* attributes,
           void* (*function)(void*), void* argument) noexcept {
  auto* record = new (std::nothrow) Thread(Rank::current());
  if (record == nullptr) return EAGAIN;
  Threads& threads = threads_of_rank.get();
  const std::uint64_t serial = threads.add(*record);
  record->entry = {record->rank, function,  argument, uselocale(nullptr),
                   kPrepare,     end_key(), record};
  pthread_t number = 0;
  const int error = libc(&number, attributes, enter_thread, &record->entry);
  if (error == 0) {
    threads.set_number(serial, number);
    *thread = number;
  } else {
    threads.remove(*record);
    threads.leave();
    delete record;
  }
  return error;
}

}  // namespace

int live_threads(Rank& rank) noexcept {
  return threads_of_rank.of(rank).live();
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

// ThreadSanitizer asks for a thread's stack before the thread may run instrumented code, and does
// not follow what happens inside pthread_join, where a strand would park: both stay libc's there.
#if !defined(__SANITIZE_THREAD__)
extern "C" __attribute__((visibility("default"))) int pthread_join(pthread_t thread,
                                                                   void** result) {
  static auto* const libc = posix::libc_function<int(pthread_t, void**)>("pthread_join");
  if (Rank::current() == nullptr || ult::current() == nullptr) return libc(thread, result);
  posix::Threads& threads = posix::threads_of_rank.get();
  posix::Thread* record = threads.find(thread);
  if (record != nullptr) {
    record->ended.wait();
    threads.remove(*record);
    delete record;
  }
  return libc(thread, result);  // it has ended but for a few instructions
}

#endif

extern "C" __attribute__((visibility("default"))) void pthread_exit(void* result) {
  static auto* const libc = posix::libc_function<void(void*)>("pthread_exit");
  if (Rank::current() != nullptr && ult::current() != nullptr) {
    posix::Threads& threads = posix::threads_of_rank.get();
    threads.leave();
    threads.await_all();
    libc::exit_current_rank(0);
  }
  libc(result);
  __builtin_unreachable();
}

#if !defined(__SANITIZE_THREAD__)
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
#endif
