// exit and its relatives end the rank, never the process.
//
// All destructors of static objects and all handlers of the program and of its private libraries
// are kept here, in one list, so that they run in the order that the C++ standard asks for.
//
//   exit, return from main   thread_local destructors of the calling strand, handlers, flush, leave
//   quick_exit               handlers of at_quick_exit, leave
//   _exit, _Exit             leave (both drop what open files hold and flush the standard streams:
//                            a rank's last words appear where a process would lose them)
//   abort                    libc's: raises SIGABRT, which exec/crash reports with the rank
//
// Any thread of the rank may call them. The first that exits runs the handlers; another one stands
// still where it calls exit.

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec/process/children/of_rank/fork_handlers.h"
#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"
#include "exec/process/streams/of_rank/files.h"

namespace heddle::process::of_rank {
namespace {

enum class HandlerKind { kDone, kCxa, kOnExit, kQuick, kThreadLocal };

struct Handler {
  HandlerKind kind;
  void (*function)();
  void* argument;
  void* library;  // __dso_handle of the library that registered it
};

// A stack of handlers. One block is part of it, so that the registrations of small programs cannot
// fail (C11 7.22.4.2 asks for 32).
class Handlers {
 public:
  bool push(const Handler& handler) noexcept {
    Guard guard(Guarded::kExitHandlers);
    if (size_ == capacity_ && !grow()) return false;
    items_[size_++] = handler;
    return true;
  }

  // The youngest that `wanted` accepts, removed from the list.
  template <class Wanted>
  bool pop(Wanted wanted, Handler* out) noexcept {
    Guard guard(Guarded::kExitHandlers);
    for (size_t i = size_; i-- > 0;) {
      if (items_[i].kind == HandlerKind::kDone || !wanted(items_[i])) continue;
      *out = items_[i];
      items_[i].kind = HandlerKind::kDone;
      while (size_ > 0 && items_[size_ - 1].kind == HandlerKind::kDone) --size_;
      return true;
    }
    return false;
  }

  void clear() noexcept {
    Guard guard(Guarded::kExitHandlers);
    size_ = 0;
  }

 private:
  bool grow() noexcept {
    const size_t capacity = 2 * capacity_;
    const bool first = items_ == block_;
    auto* grown =
        static_cast<Handler*>(realloc(first ? nullptr : items_, capacity * sizeof(Handler)));
    if (grown == nullptr) return false;
    if (first) __builtin_memcpy(grown, block_, sizeof block_);
    items_ = grown;
    capacity_ = capacity;
    return true;
  }

  static constexpr size_t kBlock = 48;

  Handler block_[kBlock] = {};
  Handler* items_ = block_;
  size_t size_ = 0;
  size_t capacity_ = kBlock;
};

constinit Handlers handlers;
constinit Handlers quick_handlers;
constinit Handlers thread_local_handlers;  // of the main strand
constinit pthread_t main_strand = 0;
// The thread that runs the handlers; 0: none. Only by atomic operations.
constinit pthread_t exiting = 0;

void call(const Handler& handler, int status) {
  switch (handler.kind) {
    case HandlerKind::kCxa:
    case HandlerKind::kThreadLocal:
      reinterpret_cast<void (*)(void*)>(handler.function)(handler.argument);
      break;
    case HandlerKind::kOnExit:
      reinterpret_cast<void (*)(int, void*)>(handler.function)(status, handler.argument);
      break;
    case HandlerKind::kQuick:
      handler.function();
      break;
    case HandlerKind::kDone:
      break;
  }
}

bool any(const Handler&) noexcept {
  return true;
}

void run_all(Handlers& list, int status) {
  Handler handler;
  while (list.pop(any, &handler)) call(handler, status);
}

// The strand that loads a rank's image is the one that runs its main.
__attribute__((constructor)) void remember_main_strand() noexcept {
  main_strand = pthread_self();
}

// False in every child of a rank, one that shares its memory (vfork) included: exit ends it.
bool hosted() noexcept {
  return hooks() != nullptr && getpid() == *hooks()->children.host_process;
}

[[noreturn]] void end_process(int status) noexcept {
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

[[noreturn]] void leave(heddle_libc_ending ending, int status) {
  hooks()->exit.leave(ending, status);
  __builtin_unreachable();
}

[[noreturn]] void leave_at_once(int status) {
  // dlclose must not run what _exit skips.
  handlers.clear();
  thread_local_handlers.clear();
  discard_open_files();
  flush_printed();
  leave(HEDDLE_ENDED_IMMEDIATE, status);
}

// The first one, or a handler that calls exit once more.
bool may_exit() noexcept {
  pthread_t first = 0;
  return __atomic_compare_exchange_n(&exiting, &first, pthread_self(), false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE) ||
         pthread_equal(first, pthread_self());
}

}  // namespace

void finish(int status) {
  if (!may_exit()) hooks()->exit.stand_still();
  if (pthread_equal(pthread_self(), main_strand)) {
    run_all(thread_local_handlers, status);
  } else {
    if (libc().__call_tls_dtors != nullptr) libc().__call_tls_dtors();
  }
  run_all(handlers, status);
  end_openmp();
  flush_streams();
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept {
  if (hooks() == nullptr) return libc().__cxa_atexit(function, argument, library);
  const Handler handler = {HandlerKind::kCxa, reinterpret_cast<void (*)()>(function), argument,
                           library};
  return handlers.push(handler) ? 0 : -1;
}

HEDDLE_EXPORT int on_exit(void (*function)(int, void*), void* argument) noexcept {
  if (hooks() == nullptr) return libc().on_exit(function, argument);
  const Handler handler = {HandlerKind::kOnExit, reinterpret_cast<void (*)()>(function), argument,
                           nullptr};
  return handlers.push(handler) ? 0 : -1;
}

HEDDLE_EXPORT int __cxa_at_quick_exit(void (*function)(), void* library) noexcept {
  if (hooks() == nullptr) return libc().__cxa_at_quick_exit(function, library);
  return quick_handlers.push({HandlerKind::kQuick, function, nullptr, library}) ? 0 : -1;
}

// Destructors of the main strand's thread_local objects. Those of the rank's other threads stay
// with libc, which runs them when the thread ends or exits.
HEDDLE_EXPORT int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library) {
  if (hooks() == nullptr || !pthread_equal(pthread_self(), main_strand)) {
    return libc().__cxa_thread_atexit_impl(function, object, library);
  }
  const Handler handler = {HandlerKind::kThreadLocal, reinterpret_cast<void (*)()>(function),
                           object, library};
  return thread_local_handlers.push(handler) ? 0 : -1;
}

// A library of the rank is being unloaded: its destructors run now.
HEDDLE_EXPORT void __cxa_finalize(void* library) {
  if (hooks() == nullptr) {
    libc().__cxa_finalize(library);
    return;
  }
  const auto of_library = [library](const Handler& handler) {
    return library == nullptr || handler.library == library;
  };
  Handler handler;
  if (pthread_equal(pthread_self(), main_strand)) {
    while (thread_local_handlers.pop(of_library, &handler)) call(handler, 0);
  }
  while (handlers.pop(of_library, &handler)) call(handler, 0);
  while (quick_handlers.pop(of_library, &handler)) continue;
  forget_fork_handlers(library);
}

HEDDLE_EXPORT void exit(int status) noexcept {
  if (hooks() == nullptr) {
    libc().exit(status);
    __builtin_unreachable();
  }
  finish(status);
  if (!hosted()) end_process(status);
  leave(HEDDLE_ENDED_EXIT, status);
}

HEDDLE_EXPORT void quick_exit(int status) noexcept {
  if (hooks() == nullptr) {
    libc().quick_exit(status);
    __builtin_unreachable();
  }
  run_all(quick_handlers, status);
  handlers.clear();
  thread_local_handlers.clear();
  discard_open_files();
  if (!hosted()) end_process(status);
  flush_printed();
  leave(HEDDLE_ENDED_QUICK, status);
}

HEDDLE_EXPORT void _exit(int status) {
  if (!hosted()) end_process(status);
  leave_at_once(status);
}

HEDDLE_EXPORT void _Exit(int status) noexcept {
  _exit(status);
}
