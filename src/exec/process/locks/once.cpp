#include "exec/process/locks/once.h"

#include <unwind.h>

#include <climits>

#include "exec/process/locks/parking_lot.h"
#include "exec/process/locks/wait_notes.h"

namespace heddle::process {

namespace {

constexpr int kNew = PTHREAD_ONCE_INIT;
constexpr int kRuns = 1;
constexpr int kDone = 2;

// A function that the calling strand runs; the functions of a strand nest.
struct Running {
  pthread_once_t* control;
  Running* outer;
};
thread_local constinit Running* innermost = nullptr;

void end_innermost(int result) noexcept {
  pthread_once_t* const control = innermost->control;
  innermost = innermost->outer;
  __atomic_store_n(control, result, __ATOMIC_RELEASE);  // [R1]
  wake(control, INT_MAX);
}

}  // namespace

extern "C" {

void heddle_guarded_call(void (*function)());

// The personality routine of heddle_guarded_call's frame: an exception of the program or its
// pthread_exit passes through. There is no landing pad, because this library's own copy of the
// compiler's runtime cannot change the context of the program's.
__attribute__((visibility("hidden"))) _Unwind_Reason_Code heddle_guarded_call_unwound(
    int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context*) {
  if ((actions & _UA_CLEANUP_PHASE) != 0) end_innermost(kNew);
  return _URC_CONTINUE_UNWIND;
}

}  // extern "C"

int once(pthread_once_t* control, void (*function)()) {
  for (;;) {
    int seen = kNew;
    if (__atomic_load_n(control, __ATOMIC_ACQUIRE) == kDone) return 0;               // [A1]
    if (__atomic_compare_exchange_n(control, &seen, kRuns, false, __ATOMIC_ACQUIRE,  // [A1]
                                    __ATOMIC_ACQUIRE)) {
      Running running{control, innermost};
      innermost = &running;
      heddle_guarded_call(function);
      end_innermost(kDone);
      return 0;
    }
    if (seen == kDone) return 0;
    const ult::NotedWait noted(note_lock("pthread_once", control));
    wait_unless(control, [=] { return __atomic_load_n(control, __ATOMIC_ACQUIRE) != kRuns; });
  }
}

}  // namespace heddle::process
