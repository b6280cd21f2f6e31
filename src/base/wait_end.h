// wait_end.h — how a wait has ended: of a strand, of a program's call, and between the host and a
// rank's libc, as a number.

#pragma once

namespace heddle {

enum class WaitEnd : int {
  kNot = 0,    // it has not waited: there is no need, or the caller must wait in the kernel
  kDone,       // what it has waited for has come, or may have
  kTimedOut,   // the deadline came first
  kCancelled,  // a request to give up came first (exec/ult/interrupt.h)
  kAlerted,    // an alert came first (exec/ult/alert.h)
  kHandled,    // a handler of the program has run: a call ends with EINTR
  kRestarts,   // handlers have run after which system calls go on (SA_RESTART)
};

}  // namespace heddle
